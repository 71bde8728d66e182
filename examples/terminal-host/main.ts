// A host in the terminal, with the servers of a configuration file or with those of the examples:
//   node examples/dist/terminal-host/main.js [crosspoint.json] [--keep state.db]
// --keep: keeps what you allow in a file; without it, everything is forgotten at the end.
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { SamplingModel } from '@crosspoint/host';
import { problemLine, readConfiguration } from '@crosspoint/host/config';
import type { Store } from 'crosspoint/stores';
import { sqliteStore } from 'crosspoint/stores/sqlite';
import { TerminalHost } from './terminal-host.ts';

/** An example needs no key: its model repeats what it is told. */
const parrot: SamplingModel = ({ messages }) =>
  Promise.resolve({
    role: 'assistant',
    model: 'parrot',
    content: { type: 'text', text: `I was told: ${JSON.stringify(messages.at(-1)?.content)}` },
  });

const example = (path: string): { command: string; args: string[]; roots: string[] } => ({
  command: process.execPath,
  args: [fileURLToPath(new URL(`../${path}`, import.meta.url))],
  roots: [process.cwd()],
});

async function openStore(file: string): Promise<Store> {
  const { DatabaseSync } = await import('@photostructure/sqlite');
  return sqliteStore(new DatabaseSync(file));
}

const { values, positionals } = parseArgs({ allowPositionals: true, options: { keep: { type: 'string' } } });
const configuration = await readConfiguration({
  formats: [],
  files: positionals.map((file) => ({ file: resolve(file) })),
  folder: process.cwd(),
});
for (const problem of configuration.problems) console.error(problemLine(problem));
if (configuration.files.length < positionals.length) {
  console.error('There is no such file, or it holds no configuration.');
  process.exit(1);
}
const store = values.keep === undefined ? undefined : await openStore(resolve(values.keep));

const terminal = new TerminalHost(
  {
    name: 'terminal-host',
    version: '1.0.0',
    folder: process.cwd(),
    inputs: configuration.inputs,
    sampling: { model: parrot },
    ...(positionals.length === 0 && {
      servers: { demo: example('demo-server/stdio.js'), asking: example('asking/stdio.js') },
    }),
    ...(store !== undefined && { store }),
  },
  { input: process.stdin, output: process.stdout },
);
for (const signal of ['SIGTERM', 'SIGHUP'] as const) process.once(signal, () => terminal.quit());
await terminal.run(configuration);
await store?.close();
