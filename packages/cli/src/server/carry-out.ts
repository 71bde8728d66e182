import { catalogueName, type Host } from '@crosspoint/host';
import { describeTarget } from '@crosspoint/host/config';
import { CliError } from '../errors/cli-error.ts';
import { acceptDefinitions, definitionChanges, explainCall } from './consent.ts';
import type { OperationName, ResultOf, ServerFacts } from './operations.ts';
import { queryTimeline } from './timeline.ts';
import type { Work } from './work.ts';

type Table = { readonly [Name in OperationName]: (work: Work<Name>) => Promise<ResultOf<Name>> | ResultOf<Name> };

/** How each operation is carried out with the host. */
const TABLE: Table = {
  show: showServer,
  'tools.list': ({ host, server }) => ({ tools: listingOf(host, server).tools }),
  'prompts.list': ({ host, server }) => ({ prompts: listingOf(host, server).prompts }),
  'resources.list': ({ host, server }) => ({ resources: listingOf(host, server).resources }),
  'resources.templates': ({ host, server }) => ({ resourceTemplates: listingOf(host, server).templates }),
  'tools.call': callTool,
  'calls.wait': ({ params: { call } }) => {
    throw new CliError('usage', `No call ${JSON.stringify(call)} was left waiting.`);
  },
  'definitions.changes': definitionChanges,
  'definitions.accept': acceptDefinitions,
  'policy.explain': explainCall,
  'timeline.query': queryTimeline,
  'requests.list': ({ host }) => ({ requests: host.inbox.list() }),
  'requests.answer': ({ host, params: { id, answer } }) => {
    host.inbox.answer(id, answer);
    return {};
  },
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

function callTool({ host, server, params, signal, onevent }: Work<'tools.call'>): Promise<ResultOf<'tools.call'>> {
  return host.callTool(catalogueName(server, params.tool), params.arguments, {
    id: params.call,
    signal,
    reason: 'It was typed at the command line.',
    onprogress: ({ progress, total, message }) =>
      onevent?.({
        type: 'progress',
        progress,
        ...(total !== undefined && { total }),
        ...(message !== undefined && { message }),
      }),
  });
}
