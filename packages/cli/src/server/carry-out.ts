import type { CallToolResult } from 'crosspoint/client';
import { catalogueName, type Host } from '@crosspoint/host';
import { describeTarget } from '@crosspoint/host/config';
import { CliError } from '../errors/cli-error.ts';
import { acceptDefinitions, definitionChanges, explainCall } from './consent.ts';
import { listed } from './offers/listed.ts';
import { followLogs, setLogLevel } from './offers/logs.ts';
import { completeArgument, getPrompt } from './offers/prompts.ts';
import { readResource, watchResources } from './offers/resources.ts';
import { listRoots, setRoots } from './offers/roots.ts';
import { searchableTools } from './offers/searchable-tools.ts';
import type { OperationName, ResultOf, ServerFacts } from './operations.ts';
import { QUESTION_TABLE } from './questions/carry-out.ts';
import { TASK_TABLE } from './tasks/carry-out.ts';
import { queryTimeline } from './timeline.ts';
import type { Work } from './work.ts';

type Table = { readonly [Name in OperationName]: (work: Work<Name>) => Promise<ResultOf<Name>> | ResultOf<Name> };

/** How each operation is carried out with the host. */
const TABLE: Table = {
  show: showServer,
  'tools.list': async (work) => ({ tools: await listed(work, 'tools') }),
  'tools.searchable': searchableTools,
  'prompts.list': async (work) => ({ prompts: await listed(work, 'prompts') }),
  'prompts.get': getPrompt,
  'resources.list': async (work) => ({ resources: await listed(work, 'resources') }),
  'resources.templates': async (work) => ({ resourceTemplates: await listed(work, 'templates') }),
  'resources.read': readResource,
  'resources.watch': watchResources,
  complete: completeArgument,
  'roots.list': listRoots,
  'roots.set': setRoots,
  'logs.follow': followLogs,
  'logs.level': setLogLevel,
  'tools.call': callTool,
  'definitions.changes': definitionChanges,
  'definitions.accept': acceptDefinitions,
  'policy.explain': explainCall,
  'timeline.query': queryTimeline,
  ...QUESTION_TABLE,
  ...TASK_TABLE,
};

/** Carries out an operation. Rejects with the errors of the host. */
export async function carryOut<Name extends OperationName>(operation: Name, work: Work<Name>): Promise<ResultOf<Name>> {
  if (!Object.hasOwn(TABLE, operation))
    throw new CliError('usage', `There is no operation ${JSON.stringify(operation)}.`);
  return TABLE[operation](work);
}

/** The listing of a connected server. */
function listingOf(host: Host, server: string): NonNullable<ReturnType<Host['servers']['get']>>['listing'] & object {
  const listing = host.servers.get(server)?.listing;
  if (listing === undefined) throw new CliError('unreachable', `The server "${server}" has not listed what it offers.`);
  return listing;
}

async function showServer({ host, server, signal }: Work<'show'>): Promise<ServerFacts> {
  const found = host.servers.get(server);
  if (found === undefined) throw new CliError('usage', `There is no server "${server}".`);
  const client = await found.ready(signal);
  const { tools, resources, templates, prompts } = listingOf(host, server);
  const instructions = client.getInstructions();
  return {
    name: server,
    target: describeTarget(found.entry.reach).target,
    family: client.family ?? 'unknown',
    revision: client.revision?.id ?? 'unknown',
    server: client.getServerVersion() ?? { name: '', version: '' },
    capabilities: client.getServerCapabilities() ?? {},
    ...(instructions !== undefined && { instructions }),
    tools: tools.length,
    resources: resources.length,
    templates: templates.length,
    prompts: prompts.length,
  };
}

function callTool({ host, held, server, params, signal, onevent }: Work<'tools.call'>): Promise<CallToolResult> {
  const { call: id, tool, arguments: args } = params;
  return held.calls.run({ id, tool, arguments: args, onevent }, (tell) =>
    host.callTool(catalogueName(server, tool), args, {
      id,
      signal,
      reason: 'It was typed at the command line.',
      onprogress: ({ progress, total, message }) =>
        tell({
          type: 'progress',
          progress,
          ...(total !== undefined && { total }),
          ...(message !== undefined && { message }),
        }),
    }),
  );
}
