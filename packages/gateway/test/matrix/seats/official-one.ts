import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import {
  CallToolResultSchema,
  CreateMessageRequestSchema,
  ElicitationCompleteNotificationSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
  LoggingMessageNotificationSchema,
  ResourceUpdatedNotificationSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { answering, CAPABILITIES, createSeen, INFO, isOldest, type Place, type Seat, type Seen } from './seat.ts';

function listen(client: Client, seen: Seen): void {
  const answers = answering(seen);
  client.onerror = (error) => void seen.problems.push(error.message);
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => answers.elicit(params));
  client.setRequestHandler(CreateMessageRequestSchema, ({ params }) => answers.sample(params));
  client.setRequestHandler(ListRootsRequestSchema, () => answers.roots());
  client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => void seen.logs.push(params));
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => void seen.updates.push(params.uri));
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => void (seen.toolChanges += 1));
  client.setNotificationHandler(
    ElicitationCompleteNotificationSchema,
    ({ params }) => void seen.pagesDone.push(params.elicitationId),
  );
}

/** The client of the official SDK, first generation: the handshake family alone. */
export async function seatOne(place: Place): Promise<Seat> {
  const seen = createSeen();
  const client = new Client(INFO, { capabilities: CAPABILITIES });
  listen(client, seen);
  const transport = transportTo(place);
  await client.connect(transport as Transport);
  return {
    losesProgress: true,
    seen,
    about: async () => ({
      server: client.getServerVersion(),
      capabilities: client.getServerCapabilities(),
      instructions: client.getInstructions(),
    }),
    list: (what) => listed(client, what),
    call: (name, args = {}, options = {}) => client.callTool({ name, arguments: args }, undefined, options),
    read: (uri) => client.readResource({ uri }),
    get: (name, args) => client.getPrompt({ name, ...(args !== undefined && { arguments: args }) }),
    complete: (ref, name, value) => client.complete({ ref, argument: { name, value } }),
    setLevel: async (level) => void (await client.setLoggingLevel(level)),
    watch: async (uri) => void (await client.subscribeResource({ uri })),
    unwatch: async (uri) => void (await client.unsubscribeResource({ uri })),
    task: (name) => asTask(client, name),
    close: async () => {
      if (transport instanceof StreamableHTTPClientTransport) await transport.terminateSession();
      await client.close();
    },
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

async function asTask(client: Client, name: string): Promise<unknown> {
  const messages = client.experimental.tasks.callToolStream({ name, arguments: {} }, CallToolResultSchema, {
    task: { ttl: 30_000 },
  });
  for await (const message of messages) {
    if (message.type === 'error') throw message.error;
    if (message.type === 'result') return message.result;
  }
  return undefined;
}
