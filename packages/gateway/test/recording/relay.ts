/** A relay made by hand: a face that passes every call of a tool on to one server. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Client, type ClientOptions } from 'crosspoint/client';
import { McpServer, Server, createMcpHandler, text, type McpHandlerOptions } from 'crosspoint/server';

const closers: (() => unknown)[] = [];

export async function closeAll(): Promise<void> {
  for (const close of closers.splice(0).toReversed()) await close();
}

export const FORM = {
  type: 'object',
  properties: { user: { type: 'string' }, word: { type: 'string', format: 'password' } },
} as const;

export function upstreamServer(): McpServer {
  const server = new McpServer({ name: 'upstream', version: '1.0.0' });
  server.registerTool('greet', {}, async (ctx) => {
    ctx.progress(1, 2);
    return text('Hello.');
  });
  const { server: low } = server;
  // A form that asks for a password is refused unless it is another's.
  low.setRequestHandler('acme/login', async (_request, ctx) => {
    const params = { mode: 'form', message: 'Who?', requestedSchema: FORM };
    const answer = await ctx.sendRequest({ method: 'elicitation/create', params }, undefined, { relayed: true });
    return { welcome: (answer as { content?: { user?: string } }).content?.user };
  });
  return server;
}

/** Serves over HTTP on loopback until `closeAll`; gives the address. */
export async function serve(server: McpServer | Server, options: McpHandlerOptions = {}): Promise<string> {
  const handler = createMcpHandler(server, { path: '/mcp', ...options });
  const http = createServer((request, response) => void handler.node(request, response));
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  closers.push(async () => {
    await handler.close({ grace: 0 });
    http.closeAllConnections();
    await new Promise((resolve) => http.close(resolve));
  });
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`;
}

/** The face: calls go to `client`, and questions of the server to the client that called last. */
export function faceOf(client: Client): Server {
  const face = new Server({ name: 'face', version: '1.0.0' }, { capabilities: { tools: {} } });
  for (const method of ['tools/list', 'tools/call', 'acme/login'])
    face.setRequestHandler(method, async (request, ctx) => {
      client.setRequestHandler('elicitation/create', async ({ params }) => {
        const asked = { method: 'elicitation/create', params: { ...params } };
        return (await ctx.sendRequest(asked, undefined, { relayed: true })) as never;
      });
      const params = (request as { params?: object }).params ?? {};
      return client.request({ method, params: { ...params } });
    });
  return face;
}

export function newClient(options: ClientOptions = {}): Client {
  const client = new Client(
    { name: 'test', version: '1.0.0' },
    { revisions: 'handshake', capabilities: { elicitation: {} }, relayed: true, ...options },
  );
  closers.push(() => client.close());
  return client;
}
