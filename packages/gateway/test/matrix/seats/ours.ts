import { Client, createVerdictMemory, SSEClientTransport, StreamableHTTPClientTransport } from 'crosspoint/client';
import { StdioClientTransport } from 'crosspoint/client/stdio';
import { answering, CAPABILITIES, createSeen, INFO, isOldest, type Place, type Seat } from './seat.ts';

/** Our client, which speaks every revision. */
export async function seatOurs(place: Place): Promise<Seat> {
  const seen = createSeen();
  const answers = answering(seen);
  const client = new Client(INFO, {
    capabilities: CAPABILITIES,
    verdicts: createVerdictMemory(),
    cache: false,
    onproblem: (problem) => seen.problems.push(problem.message),
    onlog: (message) => seen.logs.push(message),
  });
  client.setRequestHandler('elicitation/create', ({ params }) => answers.elicit(params));
  client.setRequestHandler('sampling/createMessage', ({ params }) => answers.sample(params));
  client.setRequestHandler('roots/list', () => answers.roots());
  client.setNotificationHandler(
    'notifications/resources/updated',
    ({ params }) => void seen.updates.push(String(params?.['uri'])),
  );
  client.setNotificationHandler('notifications/tools/list_changed', () => void (seen.toolChanges += 1));
  await client.connect(transportTo(place));
  return {
    losesProgress: false,
    seen,
    about: async () => ({
      server: client.getServerVersion(),
      capabilities: client.getServerCapabilities(),
      instructions: client.getInstructions(),
    }),
    list: (what) => listed(client, what),
    call: (name, args = {}, options = {}) => client.callTool({ name, arguments: args }, options),
    read: (uri) => client.readResource({ uri }),
    get: (name, args) => client.getPrompt({ name, ...(args !== undefined && { arguments: args }) }),
    complete: (ref, name, value) => client.complete({ ref, argument: { name, value } }),
    setLevel: async (level) => void (await client.setLoggingLevel(level)),
    async watch(uri) {
      await client.subscribeResource({ uri });
      if (client.family === 'per-request') await client.listen({ toolsListChanged: true });
    },
    unwatch: async (uri) => void (await client.unsubscribeResource({ uri })),
    task: async (name) => (await client.startTask({ name, arguments: {} })).wait(),
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
  if (what === 'tools') return client.listTools();
  if (what === 'resources') return client.listResources();
  return what === 'prompts' ? client.listPrompts() : client.listResourceTemplates();
}
