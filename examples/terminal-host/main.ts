// A host in the terminal, with the servers of a configuration file or with those of the examples:
//   node examples/dist/terminal-host/main.js [crosspoint.json]
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readConfiguration } from '@crosspoint/host/config';
import { TerminalHost } from './terminal-host.ts';

const examples = fileURLToPath(new URL('..', import.meta.url));
const [file] = process.argv.slice(2);
const program = (path: string): { command: string; args: string[] } => ({
  command: process.execPath,
  args: [resolve(examples, path)],
});
const servers =
  file === undefined
    ? { explorer: program('sqlite-explorer/stdio.js'), demo: program('demo-server/stdio.js') }
    : (await readConfiguration({ formats: [], files: [{ file: resolve(file), scope: 'user' }] })).entries;

await new TerminalHost(
  {
    name: 'terminal-host',
    version: '1.0.0',
    servers,
    sampling: {
      // An example needs no key: its model repeats what it is told.
      model: ({ messages }) =>
        Promise.resolve({
          role: 'assistant',
          model: 'parrot',
          content: { type: 'text', text: `I was told: ${JSON.stringify(messages.at(-1)?.content)}` },
        }),
    },
  },
  process.stdin,
  process.stdout,
).run();
