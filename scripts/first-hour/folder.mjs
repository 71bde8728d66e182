// Commands in a folder of a new user. What a command prints is part of its error.
import { createServer } from 'node:net';
import { npmCommand } from '../runtimes/install.mjs';
import { run } from '../runtimes/processes.mjs';

const COMMAND_MS = 120_000;

/** Runs a command to its end and gives what it wrote to stdout. */
export async function execute(command, cwd, env = {}) {
  const { code, stdout, output } = await run(command, { cwd, env, limitMs: COMMAND_MS });
  if (code !== 0) throw new Error(`${command.join(' ')} ended with ${code}: ${output.trim().slice(-1500)}`);
  return stdout;
}

export const node = (args, cwd) => execute([process.execPath, ...args], cwd);

/** npm as a new user has it, with the registry that has our packages. Its cache spares the downloads of everything else. */
export function npm(args, { cwd, registry, cache }) {
  const settings = {
    npm_config_registry: registry,
    npm_config_audit: 'false',
    npm_config_fund: 'false',
    npm_config_loglevel: 'error',
    npm_config_prefer_offline: 'true',
    npm_config_update_notifier: 'false',
    ...(cache && { npm_config_cache: cache }),
  };
  return execute(npmCommand(args), cwd, settings);
}

export const freePort = () =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });

export function expectText(actual, expected) {
  if (actual.trim() !== expected.trim()) throw new Error(`Printed:\n${actual.trim()}\ninstead of:\n${expected.trim()}`);
}
