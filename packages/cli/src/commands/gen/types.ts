import { readFile, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { CliError } from '../../errors/cli-error.ts';
import { defineCommand, type Command } from '../../grammar/command.ts';
import { HEADER, surfaceText, typeNameOf, type Offers } from './surface-text.ts';

export const types: Command = defineCommand({
  path: ['gen', 'types'],
  says: 'Generate TypeScript types of a server, for client.as<…>() of crosspoint/client.',
  about:
    'Tools with their arguments and results, prompts with their arguments, and the addresses of resources, by name. JSON Schema that has no words in TypeScript becomes unknown: not, if/then/else, patternProperties, dependent and unevaluated members, references to other documents. Limits of numbers, lengths and formats are not types. The same server gives the same text.',
  target: 'needed',
  options: {
    out: {
      type: 'text',
      value: 'FILE',
      completes: 'file',
      says: 'Write the types into this file. One that exists is replaced only if it was generated.',
    },
    name: { type: 'text', value: 'NAME', says: 'The name of the type; made of the name of the server when absent.' },
  },
  examples: [
    { line: 'crosspoint gen types ev --out src/everything.ts', says: 'Types of a kept connection.' },
    { line: 'crosspoint gen types https://example.com/mcp --name Docs', says: 'Printed, under a name.' },
  ],
  prints: 'TypeScript; with --out: { file, name, tools, prompts, resources, templates }, the last four as numbers',
  async run({ target, options }, { withServer, output, io }) {
    if (target === undefined) throw new CliError('usage', 'The server is missing.');
    const offers = await withServer(target, async (server): Promise<Offers> => {
      const facts = await server.request('show', {});
      const { tools } = await server.request('tools.list', {});
      const { prompts } = await server.request('prompts.list', {});
      const { resources } = await server.request('resources.list', {});
      const { resourceTemplates } = await server.request('resources.templates', {});
      return { server: facts.server.name, tools, prompts, resources, templates: resourceTemplates };
    });
    const name = options.name ?? typeNameOf(offers.server);
    if (!/^[A-Za-z_$][\w$]*$/.test(name))
      throw new CliError('usage', `--name ${JSON.stringify(name)} is no name of a type, such as Weather.`);
    const text = surfaceText(offers, name);
    if (options.out === undefined) return void io.stdout.write(text);
    const file = resolve(io.cwd, options.out);
    await replaceGenerated(file, text);
    const { tools, prompts, resources, templates } = offers;
    const counts = {
      tools: tools.length,
      prompts: prompts.length,
      resources: resources.length,
      templates: templates.length,
    };
    output.result({ file, name, ...counts }, () => `The type ${name} is in ${file}.`);
  },
});

async function replaceGenerated(file: string, text: string): Promise<void> {
  const there = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw new CliError('usage', `--out: ${file} cannot be read (${error.code ?? error.message}).`);
  });
  if (there !== undefined && !there.startsWith(HEADER))
    throw new CliError('usage', `--out: ${file} exists, and was not generated. Nothing was written.`, {
      hint: 'Choose another file, or remove this one.',
    });
  await writeFile(file, text).catch((error: NodeJS.ErrnoException) => {
    throw new CliError('usage', `--out: ${file} cannot be written (${error.code ?? error.message}).`);
  });
}
