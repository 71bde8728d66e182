import { CliError } from '../../errors/cli-error.ts';
import { defineCommand, type Command } from '../../grammar/command.ts';
import { findTool } from '../../server/find-offered.ts';

export const get: Command = defineCommand({
  path: ['tools', 'get'],
  says: 'Show the whole definition of a tool, and what the policy says of it.',
  about:
    'Nothing is called. The policy is asked about a call without arguments; crosspoint policy explain takes arguments, too. Texts of the definition are those of the server: its hints are claims.',
  target: 'needed',
  arguments: [{ name: 'tool', says: 'the name of the tool, in full', completes: 'tool' }],
  examples: [{ line: 'crosspoint tools get ev get-sum', says: 'Description, schemas, annotations and policy.' }],
  prints:
    '{ tool: Tool, annotations: { readOnlyHint, destructiveHint, idempotentHint, openWorldHint }, policy: { effect, decision, reasons } }; annotations with the defaults of the specification',
  async run({ target, words: [name = ''] }, { withServer, output }) {
    if (target === undefined) throw new CliError('usage', 'The server is missing.');
    const { tool, policy } = await withServer(target, async (server) => {
      const found = await findTool(server, name);
      return { tool: found, policy: await server.request('policy.explain', { tool: name, arguments: {} }) };
    });
    const { effectiveAnnotations } = await import('crosspoint/client');
    const annotations = effectiveAnnotations(tool);
    const { toolText } = await import('./tool-text.ts');
    output.result({ tool, annotations, policy }, () => toolText({ tool, annotations, policy }, output.colours));
  },
});
