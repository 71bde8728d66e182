import { spawn, spawnSync } from 'node:child_process';
import { connect, createServer } from 'node:net';

const LIMIT_MS = 20_000;

/** Whether there is a Redis to be started. */
export const hasRedis = () => spawnSync('redis-server', ['--version'], { stdio: 'ignore' }).status === 0;

const freePort = () =>
  new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });

const answers = (port) =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write('PING\r\n'));
    socket.once('data', (data) => {
      socket.destroy();
      resolve(data.toString().startsWith('+PONG'));
    });
    socket.once('error', () => resolve(false));
  });

/** A Redis of our own that writes nothing to disk. */
export async function startRedis() {
  const port = await freePort();
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
  const child = spawn('redis-server', args, { stdio: 'ignore' });
  const exited = new Promise((resolve) => child.once('exit', resolve));
  const end = () => child.kill('SIGKILL');
  process.once('exit', end);
  const deadline = performance.now() + LIMIT_MS;
  while (!(await answers(port))) {
    if (performance.now() > deadline || child.exitCode !== null) throw new Error('redis-server does not answer.');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const stop = async () => {
    process.off('exit', end);
    end();
    await exited;
  };
  return { url: `redis://127.0.0.1:${port}`, pid: child.pid, stop };
}
