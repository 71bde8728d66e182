import { CliError } from '../../errors/cli-error.ts';
import { defineCommand, type Command } from '../../grammar/command.ts';
import { requireCapability } from '../../server/required-capability.ts';

export const ls: Command = defineCommand({
  path: ['resources', 'ls'],
  says: 'List the resources of a server.',
  about: 'Resources of a template are listed by crosspoint resources templates, one line for all of them.',
  target: 'needed',
  examples: [{ line: 'crosspoint resources ls ev', says: 'One line a resource: address, type and name.' }],
  prints: '{ resources: [Resource] }, as the specification has them, every page',
  async run({ target }, { withServer, output }) {
    if (target === undefined) throw new CliError('usage', 'The server is missing.');
    const { resources } = await withServer(target, async (server) => {
      await requireCapability(server, 'resources');
      return server.request('resources.list', {});
    });
    if (output.isJson) return output.result({ resources }, () => '');
    const { resourcesText } = await import('./resources-text.ts');
    output.result({ resources }, () => resourcesText(resources, output.colours));
  },
});
