import { CliError } from '../../errors/cli-error.ts';
import { defineCommand, type Command } from '../../grammar/command.ts';
import { requireCapability } from '../../server/required-capability.ts';

export const ls: Command = defineCommand({
  path: ['tools', 'ls'],
  says: 'List the tools of a server, each with its arguments.',
  target: 'needed',
  examples: [{ line: 'crosspoint tools ls ev', says: 'One line a tool: name(arguments), and what it does.' }],
  prints: '{ tools: [Tool] }, as the specification has them, every page',
  async run({ target }, { withServer, output }) {
    if (target === undefined) throw new CliError('usage', 'The server is missing.');
    const { tools } = await withServer(target, async (server) => {
      await requireCapability(server, 'tools');
      return server.request('tools.list', {});
    });
    if (output.isJson) return output.result({ tools }, () => '');
    const { toolsText } = await import('./tools-text.ts');
    output.result({ tools }, () => toolsText(tools, output.colours));
  },
});
