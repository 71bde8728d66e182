// Measures how long processes take to start.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { placeOf } from './places.mjs';
import { nodeCommand, SERVER_CORE } from './processes.mjs';

const LIMIT_MS = 30_000;
const REPORT = 'process.stdout.write(JSON.stringify({ ...process.cpuUsage(), rss: process.memoryUsage.rss() }))';

function startNode(cwd, args, stdin = 'ignore') {
  const [command, ...rest] = nodeCommand(SERVER_CORE, args);
  const env = { ...process.env, NODE_ENV: 'production', NODE_OPTIONS: '' };
  const child = spawn(command, rest, { cwd, env, stdio: [stdin, 'pipe', 'pipe'] });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text) => (stderr += text));
  return { child, complaints: () => stderr.slice(0, 500) };
}

/** Starts Node, imports modules, and returns the time until the process had ended. */
export function importModules(subject, specifiers) {
  const source = [...specifiers.map((specifier) => `await import(${JSON.stringify(specifier)});`), REPORT].join('\n');
  const since = performance.now();
  const { child, complaints } = startNode(placeOf(subject).bench, ['--input-type=module', '--eval', source]);
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (chunk) => (text += chunk));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      const wallMs = performance.now() - since;
      if (code !== 0) return reject(new Error(`Importing ${specifiers.join(', ')}: ${complaints()}`));
      const { user, system, rss } = JSON.parse(text);
      resolve({ wallMs, cpuMs: (user + system) / 1000, rssMb: rss / 2 ** 20 });
    });
  });
}

/** Starts a stdio server and returns the time until its first answer. */
export function firstAnswer(name, program, message) {
  const { bench, subject } = placeOf(name);
  const since = performance.now();
  const { child, complaints } = startNode(bench, [join(bench, 'programs', subject, `${program}.mjs`)], 'pipe');
  child.stdin.write(`${JSON.stringify(message)}\n`);
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => child.kill('SIGKILL'), LIMIT_MS);
    let text = '';
    let answeredMs;
    child.on('error', reject);
    child.stdout.setEncoding('utf8').on('data', (chunk) => {
      text += chunk;
      if (answeredMs !== undefined || !text.includes('\n')) return;
      answeredMs = performance.now() - since;
      child.kill('SIGKILL');
    });
    child.on('close', () => {
      clearTimeout(timer);
      if (answeredMs !== undefined && text.includes('"result"')) resolve(answeredMs);
      else reject(new Error(`${program} gave no answer: ${text.slice(0, 200)} ${complaints()}`));
    });
  });
}
