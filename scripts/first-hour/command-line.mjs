// The command line as a new user has it: `npx @crosspoint/cli`, and the projects that it writes.
import { join } from 'node:path';
import { npm } from './folder.mjs';

/** Runs the command without installing it, and gives what it prints as JSON. */
async function crosspoint(words, { cwd, registry, cache }) {
  const printed = await npm(['exec', '--yes', '@crosspoint/cli', '--', ...words], { cwd, registry, cache });
  return JSON.parse(printed);
}

/** A server and a client, each written, installed, built, tested and run with one command. */
export async function tryCommandLine({ folder, registry, cache }) {
  const context = { cwd: folder, registry, cache };
  await crosspoint(['new', 'server', 'cli-server', '--yes'], context);
  const server = { cwd: join(folder, 'cli-server'), registry };
  await npm(['install'], server);
  await npm(['run', 'build'], server);
  await npm(['test'], server);
  const program = ['--', process.execPath, 'dist/main.js'];
  const words = ['tools', 'call', 'greet', 'name=Ada', ...program];
  const { content } = await crosspoint(words, { ...context, ...server });
  if (content[0]?.text !== 'Hello, Ada!') throw new Error(`The tool answered ${JSON.stringify(content)}.`);
  await crosspoint(['new', 'client', 'cli-client', '--language', 'javascript', '--yes'], context);
  const client = { cwd: join(folder, 'cli-client'), registry };
  await npm(['install'], client);
  await npm(['test'], client);
  const started = await npm(['start'], client);
  if (!started.includes('Hello, Ada!')) throw new Error(`npm start printed ${started}`);
}
