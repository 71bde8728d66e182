import {
  Client,
  LOG_LEVEL_META_KEY,
  SSEClientTransport,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { callAsTask } from './official-tasks.ts';
import { answering, CAPABILITIES, createSeen, INFO, isOldest, type Place, type Seat, type Seen } from './seat.ts';

function listen(client: Client, seen: Seen): void {
  const answers = answering(seen);
  client.onerror = (error) => void seen.problems.push(error.message);
  client.setRequestHandler('elicitation/create', ({ params }) => answers.elicit(params));
  client.setRequestHandler('sampling/createMessage', ({ params }) => answers.sample(params));
  client.setRequestHandler('roots/list', () => answers.roots());
  client.setNotificationHandler('notifications/message', ({ params }) => void seen.logs.push(params));
  client.setNotificationHandler('notifications/resources/updated', ({ params }) => void seen.updates.push(params.uri));
  client.setNotificationHandler('notifications/tools/list_changed', () => void (seen.toolChanges += 1));
  client.setNotificationHandler(
    'notifications/elicitation/complete',
    ({ params }) => void seen.pagesDone.push(params.elicitationId),
  );
}

/** The client of the official SDK, second generation, which prefers the per-request family. */
export async function seatTwo(place: Place): Promise<Seat> {
  const seen = createSeen();
  const client = new Client(INFO, { capabilities: CAPABILITIES, versionNegotiation: { mode: 'auto' } });
  listen(client, seen);
  await client.connect(transportTo(place));
  const isPerRequest = client.getDiscoverResult() !== undefined;
  const revision = isPerRequest ? client.getNegotiatedProtocolVersion() : undefined;
  let level: string | undefined;
  let subscription: { close(): Promise<void> } | undefined;
  const meta = (): object => (isPerRequest && level !== undefined ? { _meta: { [LOG_LEVEL_META_KEY]: level } } : {});
  return {
    losesProgress: true,
    seen,
    about: async () => ({
      server: client.getServerVersion(),
      capabilities: client.getServerCapabilities(),
      instructions: client.getInstructions(),
    }),
    list: (what) => listed(client, what),
    call: (name, args = {}, options = {}) => client.callTool({ name, arguments: args, ...meta() }, options),
    read: (uri) => client.readResource({ uri }),
    get: (name, args) => client.getPrompt({ name, ...(args !== undefined && { arguments: args }) }),
    complete: (ref, name, value) => client.complete({ ref, argument: { name, value } }),
    async setLevel(wanted) {
      level = wanted;
      if (!isPerRequest) await client.setLoggingLevel(wanted);
    },
    async watch(uri) {
      if (!isPerRequest) await client.subscribeResource({ uri });
      else subscription = await client.listen({ resourceSubscriptions: [uri], toolsListChanged: true });
    },
    async unwatch(uri) {
      if (!isPerRequest) await client.unsubscribeResource({ uri });
      else await subscription?.close();
    },
    task:
      typeof place === 'string' && revision !== undefined
        ? (name) => callAsTask({ client, seen, url: place, revision }, name)
        : undefined,
    close: () => client.close(),
  };
}

function transportTo(place: Place): SSEClientTransport | StdioClientTransport | StreamableHTTPClientTransport {
  if (typeof place !== 'string')
    return new StdioClientTransport({ command: process.execPath, args: [...place], stderr: 'inherit' });
  const url = new URL(place);
  return isOldest(place) ? new SSEClientTransport(url) : new StreamableHTTPClientTransport(url);
}

function listed(client: Client, what: string): Promise<unknown> {
  const fresh = { cacheMode: 'refresh' as const };
  if (what === 'tools') return client.listTools(undefined, fresh);
  if (what === 'resources') return client.listResources(undefined, fresh);
  return what === 'prompts' ? client.listPrompts(undefined, fresh) : client.listResourceTemplates(undefined, fresh);
}
