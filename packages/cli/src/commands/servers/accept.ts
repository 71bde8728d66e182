import { CliError } from '../../errors/cli-error.ts';
import { defineCommand, type Command } from '../../grammar/command.ts';

export const accept: Command = defineCommand({
  path: ['servers', 'accept'],
  says: 'Look at how a server has changed, and accept it.',
  about:
    'A server whose command, address or tools are not as they were is not used until you have seen the differences. This shows them, and takes the server as it is now after a yes.',
  target: 'needed',
  options: { yes: { type: 'flag', says: 'Accept without a question.' } },
  examples: [{ line: 'crosspoint servers accept files', says: 'Shows the differences, and asks.' }],
  prints: '{ name, changes: { added, removed, renamed, changed, instructions? }, isAccepted }',
  endings: ['denied'],
  async run({ target, options }, context) {
    if (target === undefined) throw new CliError('usage', 'The server is missing.');
    const { acceptServer } = await import('./accepting.ts');
    await acceptServer(target, options.yes, context);
  },
});
