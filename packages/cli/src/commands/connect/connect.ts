import { CliError } from '../../errors/cli-error.ts';
import { defineCommand, type Command } from '../../grammar/command.ts';

export const connect: Command = defineCommand({
  path: ['connect'],
  says: 'Open a connection and keep it for the next commands.',
  about:
    'A process of its own holds the connection, so that the next commands are fast and the server keeps its state. It ends by itself after 15 minutes without a command, or with crosspoint close.',
  target: 'needed',
  options: {
    as: { type: 'text', value: 'NAME', says: 'The name of the connection; that of the configured server when absent.' },
    idle: {
      type: 'number',
      value: 'SECONDS',
      least: 1,
      most: 86_400,
      says: 'End after this time without a command; 900 when absent.',
    },
  },
  examples: [
    {
      line: 'crosspoint connect --as ev -- npx -y @modelcontextprotocol/server-everything',
      says: 'Starts the server and keeps it as "ev".',
    },
    { line: 'crosspoint connect https://example.com/mcp --as docs', says: 'Keeps a connection to an address.' },
  ],
  prints:
    '{ name, target, family, revision, server: { name, version }, capabilities, instructions?, tools, resources, templates, prompts }',
  async run({ target, options }, context) {
    if (target === undefined) throw new CliError('usage', 'The server is missing.');
    const { openKept } = await import('./open-kept.ts');
    const facts = await openKept(target, { as: options.as, idleSeconds: options.idle }, context);
    const { factsText } = await import('./facts-text.ts');
    context.output.result(facts, () => factsText(facts, context.output.colours));
  },
});
