import type { IncomingMessage, Server as HttpServer, ServerResponse } from 'node:http';
import { afterEach, describe, expect, test } from 'vitest';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import {
  SSEServerTransport,
  StreamableHTTPServerTransport,
  WebStandardStreamableHTTPServerTransport,
  type EventStore,
  type StreamableHTTPServerTransportOptions,
} from '../../src/server/index.ts';
import { proves } from '../requirements/proves.ts';
import { HANDSHAKE, initialize, listen, makeServer, openSession, send, stateless, until } from './serving.ts';

const running: HttpServer[] = [];
afterEach(async () => {
  for (const http of running.splice(0)) {
    http.closeAllConnections();
    await new Promise((resolve) => http.close(resolve));
  }
});

async function at(handle: (request: IncomingMessage, response: ServerResponse) => void): Promise<{ port: number }> {
  const { http, port } = await listen(handle);
  running.push(http);
  return { port };
}

/** The router of the documentation that people start from: a transport for each session, found by its id. */
async function routed(
  options: StreamableHTTPServerTransportOptions = {},
): Promise<{ port: number; transports: Map<string, StreamableHTTPServerTransport>; events: string[] }> {
  const server = makeServer();
  const transports = new Map<string, StreamableHTTPServerTransport>();
  const events: string[] = [];
  const { port } = await at((request, response) => {
    void (async () => {
      const known = transports.get(String(request.headers['mcp-session-id']));
      if (known) return known.handleRequest(request, response);
      const transport: StreamableHTTPServerTransport = new StreamableHTTPServerTransport({
        sessionIdGenerator: () => crypto.randomUUID(),
        onsessioninitialized: async (id) => {
          await new Promise((resolve) => setTimeout(resolve, 5));
          transports.set(id, transport);
          events.push('initialized');
        },
        onsessionclosed: () => void events.push('closed'),
        ...options,
      });
      transport.onclose = () => {
        if (transport.sessionId !== undefined) transports.delete(transport.sessionId);
        events.push('onclose');
      };
      await server.connect(transport);
      return transport.handleRequest(request, response);
    })();
  });
  return { port, transports, events };
}

const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };

describe('StreamableHTTPServerTransport', () => {
  proves('L-SDK-021, L-SDK-023, L-SDK-024, L-SDK-025, L-SDK-026').test(
    'a transport for each session: ids, callbacks, GET and DELETE',
    async () => {
      const served = await routed();
      const session = await openSession(served);
      expect(session.id).toMatch(/^[\w-]{36}$/);
      expect(served.transports.has(session.id)).toBe(true);
      expect((await session.post(list)).status).toBe(200);
      const stream = await session.get();
      expect(stream.headers['content-type']).toBe('text/event-stream');
      expect((await session.get()).status).toBe(409);
      expect((await send(served, { method: 'DELETE', headers: session.headers })).status).toBe(200);
      await stream.finish();
      expect(served.events).toEqual(['initialized', 'closed', 'onclose']);
      expect(served.transports.size).toBe(0);
    },
  );

  proves('L-SDK-028').test('without an id 400, with another one 404, and a second handshake 400', async () => {
    const server = makeServer();
    const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: () => 'fixed' });
    await server.connect(transport);
    const served = await at((request, response) => void transport.handleRequest(request, response));
    expect((await send(served, { body: list })).status).toBe(400);
    const session = await openSession(served);
    expect((await send(served, { body: list })).status).toBe(400);
    expect((await session.post(list, { 'mcp-session-id': 'other' })).status).toBe(404);
    expect((await send(served, { body: initialize() })).status).toBe(400);
    expect((await session.post(list, { 'mcp-protocol-version': 'foo' })).status).toBe(400);
    expect((await send(served, { method: 'PUT' })).headers.allow).toBe('POST, GET, DELETE');
    await transport.close();
    expect((await session.post(list)).status).toBe(404);
  });

  proves('L-SDK-018').test('without sessions: any request, no id, GET and DELETE 405', async () => {
    const server = makeServer();
    const served = await at((request, response) => {
      const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined });
      response.on('close', () => void transport.close());
      void server.connect(transport).then(() => transport.handleRequest(request, response));
    });
    const answer = await send(served, { body: list, headers: { 'mcp-protocol-version': HANDSHAKE } });
    expect([answer.status, answer.headers['mcp-session-id']]).toEqual([200, undefined]);
    expect((await answer.json()).result).toHaveProperty('tools');
    expect((await send(served, { body: { jsonrpc: '2.0', method: 'notifications/initialized' } })).status).toBe(202);
    expect((await send(served, { body: list, headers: { 'mcp-protocol-version': 'foo' } })).status).toBe(400);
    for (const method of ['GET', 'DELETE']) expect((await send(served, { method })).status).toBe(405);
  });

  proves('L-SDK-020').test(
    'takes a body that was parsed before, and is no worse as the handler of a framework',
    async () => {
      const server = makeServer();
      const served = await at((request, response) => {
        const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true });
        const chunks: Buffer[] = [];
        request.on('data', (chunk: Buffer) => chunks.push(chunk));
        request.on(
          'end',
          () =>
            void server
              .connect(transport)
              .then(() => transport.handleRequest(request, response, JSON.parse(Buffer.concat(chunks).toString()))),
        );
      });
      expect((await send(served, { body: list })).status).toBe(200);
    },
  );

  proves('L-SDK-031, L-SDK-032').test('Host and Origin are checked, unless that is turned off', async () => {
    for (const [options, headers, status] of [
      [{}, { host: 'evil.example' }, 403],
      [{}, { origin: 'http://evil.example' }, 403],
      [{ allowedHosts: ['127.0.0.1'] }, { host: '127.0.0.1:3000' }, 200],
      [{ allowedHosts: ['127.0.0.1:3000'] }, { host: '127.0.0.1:3001' }, 403],
      [
        { enableDnsRebindingProtection: true, allowedHosts: ['mcp.example'], allowedOrigins: ['https://app.example'] },
        { host: 'mcp.example', origin: 'https://app.example' },
        200,
      ],
      [{ enableDnsRebindingProtection: false }, { host: 'evil.example', origin: 'http://evil.example' }, 200],
    ] as const) {
      const served = await routed(options as StreamableHTTPServerTransportOptions);
      expect((await send(served, { body: initialize(), headers })).status).toBe(status);
      if (status === 403)
        for (const method of ['GET', 'DELETE']) expect((await send(served, { method, headers })).status).toBe(403);
    }
  });

  test('resumes with the event store it was given, and closes a stream to be polled', async () => {
    const kept: { id: string; stream: string; message: never }[] = [];
    const eventStore: EventStore = {
      storeEvent: async (stream, message) => {
        kept.push({ id: `e${kept.length}`, stream, message: message as never });
        return `e${kept.length - 1}`;
      },
      replayEventsAfter: async (last, { send: resend }) => {
        const from = kept.find(({ id }) => id === last);
        for (const event of kept.slice(kept.findIndex(({ id }) => id === last) + 1))
          if (event.stream === from?.stream) await resend(event.id, event.message);
        return from?.stream ?? '';
      },
    };
    const served = await routed({ eventStore, retryInterval: 321 });
    const session = await openSession(served);
    const call = await session.call(1, 'later', { text: 'polled', ms: 80 });
    await until(() => call.frames.length === 1);
    expect(call.frames[0]).toMatchObject({ data: '', retry: '321' });
    served.transports.get(session.id)?.closeSSEStream(1);
    await call.finish();
    expect(call.frames.at(-1)).toMatchObject({ retry: '321' });
    const rest = await (await session.get({ 'last-event-id': call.frames[0]?.id ?? '' })).finish();
    expect(rest.messages).toMatchObject([{ id: 1, result: { content: [{ text: 'polled' }] } }]);
    expect((await session.get({ 'last-event-id': 'e99' })).status).toBe(400);
  });

  test('limits bodies, and refuses an id that is in use rather than mixing answers', async () => {
    const server = makeServer();
    const shared = new StreamableHTTPServerTransport({ maxRequestBodySize: 500, enableJsonResponse: true });
    await server.connect(shared);
    const served = await at((request, response) => void shared.handleRequest(request, response));
    expect((await send(served, { body: { long: 'x'.repeat(1000) } })).status).toBe(413);
    const call = (text: string): object => ({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'later', arguments: { text, ms: 50 } },
    });
    const answers = await Promise.all([send(served, { body: call('a') }), send(served, { body: call('b') })]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
  });

  test('serves stateless requests too, and holds their headers to their bodies', async () => {
    const server = makeServer();
    const served = await at((request, response) => {
      const transport = new StreamableHTTPServerTransport();
      void server.connect(transport).then(() => transport.handleRequest(request, response));
    });
    expect((await send(served, stateless('tools/list'))).status).toBe(200);
    expect((await send(served, stateless('nothing/here'))).status).toBe(404);
    expect((await send(served, stateless('tools/list', {}, { headers: { 'mcp-method': 'other' } }))).status).toBe(400);
    expect((await send(served, stateless('tools/call', { name: 'region', arguments: { region: 'x' } }))).status).toBe(
      400,
    );
    expect(
      (
        await send(
          served,
          stateless(
            'tools/call',
            { name: 'region', arguments: { region: 'x' } },
            { headers: { 'mcp-param-region': 'x' } },
          ),
        )
      ).status,
    ).toBe(200);
  });

  test('the client of the other library works with it', async () => {
    const served = await routed();
    const client = new Client({ name: 'other', version: '1' });
    await client.connect(new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${served.port}/mcp`)) as never);
    const result = await client.callTool({ name: 'echo', arguments: { text: 'hello' } });
    expect(result.content).toEqual([{ type: 'text', text: 'hello' }]);
    await client.close();
  });
});

describe('WebStandardStreamableHTTPServerTransport', () => {
  test('does the same with Request and Response', async () => {
    const server = makeServer();
    const transport = new WebStandardStreamableHTTPServerTransport({ sessionIdGenerator: () => crypto.randomUUID() });
    await server.connect(transport);
    const post = (body: unknown, headers: Record<string, string> = {}): Promise<Response> =>
      transport.handleRequest(
        new Request('http://localhost/mcp', {
          method: 'POST',
          headers: { 'content-type': 'application/json', ...headers },
          body: JSON.stringify(body),
        }),
      );
    const opened = await post(initialize());
    const headers = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' };
    expect(headers['mcp-session-id']).toBe(transport.sessionId);
    expect((await post({ jsonrpc: '2.0', method: 'notifications/initialized' }, headers)).status).toBe(202);
    expect(await (await post(list, headers)).json()).toHaveProperty('result.tools');
    const standing = await transport.handleRequest(
      new Request('http://localhost/mcp', { headers: { ...headers, accept: 'text/event-stream' } }),
    );
    const reader = standing.body?.getReader();
    server.registerTool('late', {}, async () => ({ content: [] }));
    expect(new TextDecoder().decode((await reader?.read())?.value)).toContain('list_changed');
    transport.closeStandaloneSSEStream();
    expect(
      (
        await transport.handleRequest(
          new Request('http://evil.example/mcp', { method: 'POST', headers: { origin: 'http://evil.example' } }),
        )
      ).status,
    ).toBe(403);
    await transport.close();
    await transport.close();
    expect((await post(list, headers)).status).toBe(404);
  });

  test('hands over what was verified and parsed before', async () => {
    const server = makeServer();
    server.registerTool('who', {}, async (ctx) => ({
      content: [{ type: 'text', text: ctx.authInfo?.clientId ?? 'nobody' }],
    }));
    const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
    await server.connect(transport);
    const parsedBody = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'who' } };
    const answer = await transport.handleRequest(
      new Request('http://localhost/', { method: 'POST', headers: { 'content-type': 'application/json' } }),
      { parsedBody, authInfo: { token: 't', clientId: 'ada', scopes: [] } },
    );
    expect(await answer.json()).toMatchObject({ result: { content: [{ text: 'ada' }] } });
    await transport.close();
  });
});

describe('SSEServerTransport', () => {
  proves('L-SDK-054').test('serves a client of the other library', async () => {
    const server = makeServer();
    const transports = new Map<string, SSEServerTransport>();
    const served = await at((request, response) => {
      if (request.method === 'GET') {
        const transport = new SSEServerTransport('/messages', response);
        transports.set(transport.sessionId, transport);
        transport.onclose = () => void transports.delete(transport.sessionId);
        void server.connect(transport);
      } else {
        const id = new URL(request.url ?? '', 'http://localhost').searchParams.get('sessionId') ?? '';
        void transports.get(id)?.handlePostMessage(request, response);
      }
    });
    const client = new Client({ name: 'other', version: '1' });
    await client.connect(new SSEClientTransport(new URL(`http://127.0.0.1:${served.port}/sse`)));
    const result = await client.callTool({ name: 'echo', arguments: { text: 'hello' } });
    expect(result.content).toEqual([{ type: 'text', text: 'hello' }]);
    const [id] = transports.keys();
    for (const headers of [{ host: 'evil.example' }, { origin: 'http://evil.example' }] as Record<string, string>[]) {
      expect((await send(served, { path: `/messages?sessionId=${id ?? ''}`, body: list, headers })).status).toBe(403);
    }
    await client.close();
    await until(() => transports.size === 0);
  });
});
