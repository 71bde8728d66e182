// bounded.mjs SECONDS COMMAND ARGS…: runs the command and fails when it takes longer. `timeout` is not there on every system.
import { spawn } from 'node:child_process';

const [seconds, command, ...args] = process.argv.slice(2);
const child = spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit'], detached: true });
const timer = setTimeout(
  () => {
    console.error(`${[command, ...args].join(' ')} did not end within ${seconds} s.`);
    process.exitCode = 1;
    process.kill(-child.pid, 'SIGKILL');
  },
  Number(seconds) * 1000,
);
child.on('error', (error) => {
  clearTimeout(timer);
  console.error(error.message);
  process.exitCode = 1;
});
child.on('exit', (code) => {
  clearTimeout(timer);
  process.exitCode ||= code ?? 1;
});
