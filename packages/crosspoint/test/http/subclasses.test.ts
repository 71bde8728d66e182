import type { Server as HttpServer } from 'node:http';
import { afterEach, describe, expect, test } from 'vitest';
import {
  StreamableHTTPServerTransport,
  WebStandardStreamableHTTPServerTransport,
  type HttpRequest,
} from '../../src/server/index.ts';
import { initialize, listen, makeServer, send, stateless } from './serving.ts';

type Reply = Parameters<StreamableHTTPServerTransport['serve']>[1];

const running: HttpServer[] = [];
afterEach(() => {
  for (const http of running.splice(0)) {
    http.closeAllConnections();
    http.close();
  }
});

/** A transport that answers one path by itself, and reads the body of every POST before it passes it on. */
class OwnAnswers extends StreamableHTTPServerTransport {
  readonly seen: unknown[] = [];

  isAtWork(id: number): boolean {
    return this.worksOn(id);
  }

  protected override async serve(request: HttpRequest, reply: Reply): Promise<void> {
    if (request.path === '/own') return reply.send(418, {}, String(request.principal));
    request.parsedBody = JSON.parse(await request.readText({ maxBytes: 10_000, timeoutMs: 1000 })) as unknown;
    this.seen.push(request.parsedBody);
    await super.serve(request, reply);
  }
}

test('a subclass answers some requests itself and passes others on, with the body that it has read', async () => {
  const transport = new OwnAnswers({ sessionIdGenerator: () => 'one', principal: () => 'ada' });
  const server = makeServer();
  let wasAtWork = false;
  server.registerTool('look', {}, async () => {
    wasAtWork = transport.isAtWork(7);
    return { content: [] };
  });
  await server.connect(transport);
  const { http, port } = await listen((request, response) => void transport.handleRequest(request, response));
  running.push(http);
  const own = await send({ port }, { path: '/own', method: 'GET' });
  expect([own.status, own.text]).toEqual([418, 'ada']);
  expect((await send({ port }, { path: '/own', headers: { host: 'evil.example' } })).status).toBe(403);
  expect((await send({ port }, { body: initialize() })).status).toBe(200);
  const call = stateless('tools/call', { name: 'look' }, { id: 7 });
  expect((await send({ port }, call)).status).toBe(200);
  expect(transport.seen).toHaveLength(2);
  expect([wasAtWork, transport.isAtWork(7)]).toEqual([true, false]);
});

describe('the address of a request', () => {
  const address = { name: 'address' };
  const makeAddressed = (): ReturnType<typeof makeServer> => {
    const server = makeServer();
    server.registerTool('address', {}, async ({ requestInfo }) => ({
      content: [{ type: 'text', text: `${requestInfo?.url?.href} ${String(requestInfo?.headers['x-mark'])}` }],
    }));
    return server;
  };

  test('is what the client asked for, on Node', async () => {
    const transport = new StreamableHTTPServerTransport();
    await makeAddressed().connect(transport);
    const { http, port } = await listen((request, response) => void transport.handleRequest(request, response));
    running.push(http);
    const call = stateless('tools/call', address);
    const asked = { ...call, path: '/mcp?a=1', headers: { ...call.headers, 'x-mark': 'here' } };
    const answer = await (await send({ port }, asked)).json();
    expect(answer).toMatchObject({ result: { content: [{ text: `http://127.0.0.1:${port}/mcp?a=1 here` }] } });
  });

  test('is what the client asked for, with Request and Response', async () => {
    const transport = new WebStandardStreamableHTTPServerTransport();
    await makeAddressed().connect(transport);
    const { body, headers } = stateless('tools/call', address);
    const asked = new Request('https://localhost:8443/mcp?b=2', {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers, 'x-mark': 'there' },
      body: JSON.stringify(body),
    });
    const answer = await (await transport.handleRequest(asked)).json();
    expect(answer).toMatchObject({ result: { content: [{ text: 'https://localhost:8443/mcp?b=2 there' }] } });
  });
});
