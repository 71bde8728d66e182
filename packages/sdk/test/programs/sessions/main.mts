import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import {
  CallToolResultSchema,
  LATEST_PROTOCOL_VERSION,
  LoggingMessageNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { say } from '../say.mjs';

const url = new URL(`${process.env['SERVER']}/mcp`);
const state = async (): Promise<unknown> => (await fetch(new URL('/state', url))).json();
const headers = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };
const post = (body: unknown, more: Record<string, string> = {}): Promise<Response> =>
  fetch(url, { method: 'POST', headers: { ...headers, ...more }, body: JSON.stringify(body) });

const stranger = await post({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
say('without a session', { status: stranger.status, body: await stranger.json() });
const lost = await post({ jsonrpc: '2.0', id: 1, method: 'tools/list' }, { 'mcp-session-id': 'lost' });
say('with an unknown session', { status: lost.status });
say('GET without a session', { status: (await fetch(url, { headers: { Accept: 'text/event-stream' } })).status });

async function connected(name: string): Promise<{ client: Client; transport: StreamableHTTPClientTransport }> {
  const transport = new StreamableHTTPClientTransport(url, {
    reconnectionOptions: {
      initialReconnectionDelay: 20,
      maxReconnectionDelay: 200,
      reconnectionDelayGrowFactor: 1.5,
      maxRetries: 5,
    },
  });
  const client = new Client({ name, version: '1.0.0' });
  await client.connect(transport);
  return { client, transport };
}

const ada = await connected('ada');
const bert = await connected('bert');
say('two sessions', { differ: ada.transport.sessionId !== bert.transport.sessionId, ...((await state()) as object) });
say('revision', ada.transport.protocolVersion === LATEST_PROTOCOL_VERSION);
const next = async (client: Client): Promise<unknown> => (await client.callTool({ name: 'next' })).content;
say('ada', await next(ada.client));
say('ada', await next(ada.client));
say('bert', await next(bert.client));

const again = await post(
  {
    jsonrpc: '2.0',
    id: 9,
    method: 'initialize',
    params: { protocolVersion: LATEST_PROTOCOL_VERSION, capabilities: {}, clientInfo: { name: 'ada', version: '1' } },
  },
  { 'mcp-session-id': ada.transport.sessionId ?? '' },
);
say('initialized twice', { status: again.status });
await again.body?.cancel();

// The stream breaks while the tool works: it goes on from the last event.
const heard: unknown[] = [];
ada.client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => {
  heard.push(params.data);
});
const tokens: string[] = [];
const dropped = await ada.client.request({ method: 'tools/call', params: { name: 'drop' } }, CallToolResultSchema, {
  onresumptiontoken: (token) => tokens.push(token),
});
say('dropped', { content: dropped.content, heard, tokens: tokens.length > 0 });

// What belongs to no request comes on the stream that the client holds open, once it does.
const announced = new Promise<unknown>((resolve) => {
  bert.client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => resolve(params));
});
let said: unknown;
void announced.then((params) => (said = params));
while (said === undefined) {
  await bert.client.callTool({ name: 'announce' });
  await new Promise((resolve) => setTimeout(resolve, 10));
}
say('announced', said);

await ada.transport.terminateSession();
say('ended', { session: ada.transport.sessionId ?? null, ...((await state()) as object) });
await ada.client.close();
const id = bert.transport.sessionId ?? '';
const deleted = await fetch(url, { method: 'DELETE', headers: { 'mcp-session-id': id } });
say('deleted', { status: deleted.status, ...((await state()) as object) });
await bert.client.close();
say('done');
