// A program that is used from the command line, with our server in its configuration.
import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { args, command, url } from './steps.mjs';

const COMMAND_MS = 60_000;

/** Writes the configuration that hosts share: `mcpServers`. */
export function configure(file, more = {}, remote = { url }) {
  const ours = url === undefined ? { command, args } : remote;
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify({ ...more, mcpServers: { ours } }));
  return file;
}

/** Gives what a program of a package writes. It fails when the program does, with the line that says why. */
export const runProgram = (file, given) =>
  new Promise((resolve, reject) => {
    const options = { timeout: COMMAND_MS, maxBuffer: 16_000_000 };
    const child = execFile(
      process.execPath,
      [join('node_modules', file), ...given],
      options,
      (error, stdout, stderr) => {
        const lines = `${stderr}${stdout}`.split('\n');
        if (error === null) resolve(stdout || stderr);
        else reject(new Error(lines.find((line) => /error/i.test(line))?.trim() ?? error.message));
      },
    );
    child.stdin?.end();
  });
