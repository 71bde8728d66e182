import { CliError } from '../../errors/cli-error.ts';
import { defineCommand, type Command } from '../../grammar/command.ts';

export const show: Command = defineCommand({
  path: ['show'],
  says: 'Show what a server says of itself.',
  target: 'needed',
  examples: [
    { line: 'crosspoint show ev', says: 'Name, revision, capabilities and instructions of a kept connection.' },
  ],
  prints:
    '{ name, target, family, revision, server: { name, version }, capabilities, instructions?, tools, resources, templates, prompts }',
  async run({ target }, { withServer, output }) {
    if (target === undefined) throw new CliError('usage', 'The server is missing.');
    const facts = await withServer(target, (server) => server.request('show', {}));
    const { factsText } = await import('./facts-text.ts');
    output.result(facts, () => factsText(facts, output.colours));
  },
});
