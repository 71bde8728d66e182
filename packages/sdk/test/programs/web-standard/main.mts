// A server of requests and responses, as workers and other runtimes have them: no socket at all.
import * as z from 'zod/v4';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import type { FetchLike } from '@modelcontextprotocol/sdk/shared/transport.js';
import { say } from '../say.mjs';

const server = new McpServer({ name: 'edge', version: '1.0.0' });
server.registerTool('add', { inputSchema: { a: z.number(), b: z.number() } }, ({ a, b }, { authInfo }) => ({
  content: [{ type: 'text', text: `${a + b} for ${authInfo?.clientId ?? 'anyone'}` }],
}));
const events: string[] = [];
const transport = new WebStandardStreamableHTTPServerTransport({
  sessionIdGenerator: () => 'the-only-session',
  onsessioninitialized: (id) => void events.push(`began ${id}`),
  onsessionclosed: (id) => void events.push(`ended ${id}`),
});
await server.connect(transport);

const seen: string[] = [];
const inProcess: FetchLike = async (url, init) => {
  const request = new Request(url, init);
  seen.push(request.method);
  return transport.handleRequest(request, { authInfo: { token: 't', clientId: 'worker', scopes: [] } });
};
const client = new Client({ name: 'page', version: '1.0.0' });
const remote = new StreamableHTTPClientTransport(new URL('https://edge.example/mcp'), {
  fetch: inProcess,
  requestInit: { headers: { 'X-Trace': '1' } },
});
await client.connect(remote);
say('session', remote.sessionId);
say('sum', (await client.callTool({ name: 'add', arguments: { a: 2, b: 5 } })).content);
const unknown = await transport.handleRequest(
  new Request('https://edge.example/mcp', {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-session-id': 'other',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
  }),
);
say('another session', unknown.status);
const unacceptable = await transport.handleRequest(
  new Request('https://edge.example/mcp', {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'text/html' },
    body: '{}',
  }),
);
say('unacceptable', unacceptable.status);
const notJson = await transport.handleRequest(
  new Request('https://edge.example/mcp', {
    method: 'POST',
    headers: { 'content-type': 'text/plain', accept: 'application/json, text/event-stream' },
    body: 'x',
  }),
);
say('another type', notJson.status);
say(
  'another method',
  (await transport.handleRequest(new Request('https://edge.example/mcp', { method: 'PUT' }))).status,
);
await remote.terminateSession();
say('events', events);
say('methods', [...new Set(seen)].filter((method) => method !== 'GET').sort());
await client.close();
say('done');
