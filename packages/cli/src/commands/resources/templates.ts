import { CliError } from '../../errors/cli-error.ts';
import { defineCommand, type Command } from '../../grammar/command.ts';
import { requireCapability } from '../../server/required-capability.ts';

export const templates: Command = defineCommand({
  path: ['resources', 'templates'],
  says: 'List the templates of resources of a server.',
  about: 'A template has variables in braces, as RFC 6570 has them. crosspoint resources read takes their values.',
  target: 'needed',
  examples: [{ line: 'crosspoint resources templates ev', says: 'One line a template: address, type and name.' }],
  prints: '{ resourceTemplates: [ResourceTemplate] }, as the specification has them, every page',
  async run({ target }, { withServer, output }) {
    if (target === undefined) throw new CliError('usage', 'The server is missing.');
    const { resourceTemplates } = await withServer(target, async (server) => {
      await requireCapability(server, 'resources');
      return server.request('resources.templates', {});
    });
    if (output.isJson) return output.result({ resourceTemplates }, () => '');
    const { templatesText } = await import('./resources-text.ts');
    output.result({ resourceTemplates }, () => templatesText(resourceTemplates, output.colours));
  },
});
