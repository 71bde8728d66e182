import { CliError } from '../../errors/cli-error.ts';
import { defineCommand, type Command } from '../../grammar/command.ts';
import { requireCapability } from '../../server/required-capability.ts';

export const ls: Command = defineCommand({
  path: ['prompts', 'ls'],
  says: 'List the prompts of a server, each with its arguments.',
  target: 'needed',
  examples: [{ line: 'crosspoint prompts ls ev', says: 'One line a prompt: name(arguments), and what it is for.' }],
  prints: '{ prompts: [Prompt] }, as the specification has them, every page',
  async run({ target }, { withServer, output }) {
    if (target === undefined) throw new CliError('usage', 'The server is missing.');
    const { prompts } = await withServer(target, async (server) => {
      await requireCapability(server, 'prompts');
      return server.request('prompts.list', {});
    });
    if (output.isJson) return output.result({ prompts }, () => '');
    const { promptsText } = await import('./prompts-text.ts');
    output.result({ prompts }, () => promptsText(prompts, output.colours));
  },
});
