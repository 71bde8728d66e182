import { spawn } from 'node:child_process';
import { connect } from 'node:net';

const posix = process.platform !== 'win32';

/** Ends processes that still run at the exit. */
const running = new Set();
process.on('exit', () => {
  for (const end of running) end();
});
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(1));

/** Starts a process group, so that it can be ended with everything it started: some programs are wrappers of others. */
function start([command, ...args], { cwd, env = {} }) {
  const child = spawn(command, args, {
    cwd,
    env: { ...process.env, NO_COLOR: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: posix,
  });
  const end = () => {
    running.delete(end);
    try {
      if (posix && child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
      else child.kill('SIGKILL');
    } catch {
      // The process group has ended already.
    }
  };
  running.add(end);
  child.on('exit', end);
  return { child, end };
}

/** Runs a command to its end. A command longer than `limitMs` is killed and counts as failed. */
export function run(command, { cwd, env, limitMs }) {
  const { child, end } = start(command, { cwd, env });
  return new Promise((resolve) => {
    let [stdout, output] = ['', ''];
    const timer = setTimeout(() => {
      output += `\nIt did not end within ${limitMs / 1000} s.`;
      end();
    }, limitMs);
    child.stdout.setEncoding('utf8').on('data', (chunk) => {
      stdout += chunk;
      output += chunk;
    });
    child.stderr.setEncoding('utf8').on('data', (chunk) => {
      output += chunk;
    });
    const settle = (code) => {
      clearTimeout(timer);
      resolve({ code: code ?? 1, stdout, output });
    };
    child.on('error', (error) => {
      output += error.message;
      settle(1);
    });
    child.on('close', settle);
  });
}

/** Starts a server and waits until its output matches `ready`; returns the match and a function to end it. */
export function serve(command, { ready, limitMs, ...options }) {
  const { child, end } = start(command, options);
  return new Promise((resolve, reject) => {
    let output = '';
    const fail = (why) => {
      clearTimeout(timer);
      end();
      reject(new Error(`${why} ${output.trim().slice(-600)}`));
    };
    const timer = setTimeout(() => fail(`It was not ready within ${limitMs / 1000} s.`), limitMs);
    const look = (chunk) => {
      output = (output + chunk).slice(-20_000);
      const match = ready.exec(output);
      if (match === null) return;
      clearTimeout(timer);
      resolve({ match: match[0], stop: end, told: () => output, pid: child.pid });
    };
    child.stdout.setEncoding('utf8').on('data', look);
    child.stderr.setEncoding('utf8').on('data', look);
    child.on('error', (error) => fail(error.message));
    child.on('exit', (code) => fail(`It ended with ${code}.`));
  });
}

const LOOK_MS = 100;

const isOpen = (port) =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const answer = (is) => {
      socket.destroy();
      resolve(is);
    };
    socket.once('connect', () => answer(true)).once('error', () => answer(false));
  });

/** Starts a server that says nothing when it is ready, and waits until its port on loopback is open. */
export async function serveOn(port, command, { limitMs, ...options }) {
  const { child, end } = start(command, options);
  let [output, hasEnded] = ['', false];
  const keep = (chunk) => {
    output = (output + chunk).slice(-20_000);
  };
  child.stdout.setEncoding('utf8').on('data', keep);
  child.stderr.setEncoding('utf8').on('data', keep);
  child.on('error', (error) => keep(error.message)).on('close', () => (hasEnded = true));
  const until = performance.now() + limitMs;
  while (!(await isOpen(port))) {
    if (hasEnded || performance.now() > until) {
      end();
      throw new Error(`Port ${port} was not opened. ${output.trim().slice(-600)}`);
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
  return { stop: end, pid: child.pid };
}
