import { randomUUID } from 'node:crypto';
import { Client as OfficialClientV2 } from '@modelcontextprotocol/client';
import { Client as OfficialClient } from '@modelcontextprotocol/sdk/client/index.js';
import { McpServer as OfficialServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import {
  createMcpHandler as createOfficialHandler,
  inputRequired,
  McpServer as OfficialServerV2,
} from '@modelcontextprotocol/server';
import { afterEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import {
  Client,
  createVerdictMemory,
  StreamableHTTPClientTransport,
  type ClientOptions,
} from '../../../src/client/index.ts';
import { LEGACY, MODERN } from '../../client/fake-server.ts';
import { closeAll, listen, listenWeb, until, type Handler } from './http-server.ts';

const clients: Client[] = [];
const problems: Error[] = [];

afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
  await closeAll();
  problems.length = 0;
});

function make(options: ClientOptions = {}): Client {
  const client = new Client(
    { name: 'outside', version: '1' },
    { verdicts: createVerdictMemory(), onproblem: (problem) => problems.push(problem), ...options },
  );
  clients.push(client);
  return client;
}

function officialV1(): OfficialServer {
  const server = new OfficialServer({ name: 'v1', version: '1' }, { capabilities: { logging: {} } });
  server.registerTool(
    'add',
    { inputSchema: { a: z.number(), b: z.number() }, outputSchema: { sum: z.number() } },
    ({ a, b }) => ({ content: [{ type: 'text', text: String(a + b) }], structuredContent: { sum: a + b } }),
  );
  server.registerTool('ask', { inputSchema: {} }, async () => {
    const answered = await server.server.elicitInput({
      message: 'Sure?',
      requestedSchema: { type: 'object', properties: { yes: { type: 'boolean' } } },
    });
    return { content: [{ type: 'text', text: answered.action }] };
  });
  server.registerTool('grow', { inputSchema: {} }, () => {
    server.registerTool(`grown-${randomUUID()}`, { inputSchema: {} }, () => ({ content: [] }));
    return { content: [] };
  });
  return server;
}

interface Sessions {
  handler: Handler;
  forget(): void;
}

/** As the examples of the SDK do it: a transport for each session, in a map. */
function withSessions(events = false): Sessions {
  const transports = new Map<string, StreamableHTTPServerTransport>();
  const stored = new Map<string, { stream: string; message: unknown }>();
  const eventStore = {
    storeEvent: async (stream: string, message: unknown) => {
      const id = `${stored.size + 1}`;
      stored.set(id, { stream, message });
      return id;
    },
    replayEventsAfter: async (last: string, { send }: { send: (id: string, message: never) => Promise<void> }) => {
      const stream = stored.get(last)?.stream ?? '';
      for (const [id, event] of stored)
        if (event.stream === stream && Number(id) > Number(last)) await send(id, event.message as never);
      return stream;
    },
  };
  return {
    forget: () => transports.clear(),
    async handler(seen, response, request) {
      const id = seen.headers['mcp-session-id'];
      let transport = typeof id === 'string' ? transports.get(id) : undefined;
      if (transport === undefined && typeof id === 'string') {
        response
          .writeHead(404, { 'content-type': 'application/json' })
          .end(JSON.stringify({ jsonrpc: '2.0', error: { code: -32001, message: 'Session not found' }, id: null }));
        return;
      }
      if (transport === undefined) {
        const created = new StreamableHTTPServerTransport({
          sessionIdGenerator: () => randomUUID(),
          onsessioninitialized: (session) => void transports.set(session, created),
          ...(events && { eventStore }),
        });
        transport = created;
        await officialV1().connect(created as never);
      }
      await transport.handleRequest(request, response, seen.json);
    },
  };
}

describe('the official SDK v1', () => {
  test.each([false, true])(
    'with sessions (resumable: %s): tools, questions, unasked notifications, and the end of the session',
    async (events) => {
      const { handler } = withSessions(events);
      const listening = await listen(handler);
      let changed = 0;
      const client = make({
        capabilities: { elicitation: {} },
        listChanged: { tools: { onChanged: () => (changed += 1), debounceMs: 10 } },
      });
      client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: { yes: true } }));
      await client.connect(listening.url);
      expect(client.revision).toBe(LEGACY);
      expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['add', 'ask', 'grow']);
      expect(await client.callTool({ name: 'add', arguments: { a: 2, b: 3 } })).toMatchObject({
        structuredContent: { sum: 5 },
      });
      await until(() => listening.methods().includes('GET'));
      expect(await client.callTool({ name: 'ask' })).toMatchObject({ content: [{ text: 'accept' }] });
      await client.callTool({ name: 'grow' });
      await until(() => changed > 0);
      await client.close();
      expect(listening.methods().at(-1)).toBe('DELETE');
      expect(problems).toEqual([]);
    },
  );

  test('a session that it forgets', async () => {
    const sessions = withSessions();
    const listening = await listen(sessions.handler);
    const client = make();
    await client.connect(listening.url);
    sessions.forget();
    expect((await client.listTools()).tools.length).toBe(3);
    expect(listening.methods().filter((method) => method === 'initialize').length).toBe(2);
  });

  test('stateless: a server for every request, and never a session', async () => {
    const listening = await listen(async (seen, response, request) => {
      if (seen.method !== 'POST') return void response.writeHead(405).end();
      const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true });
      await officialV1().connect(transport as never);
      await transport.handleRequest(request, response, seen.json);
    });
    const client = make();
    await client.connect(listening.url);
    expect(client.family).toBe('handshake');
    expect(await client.callTool({ name: 'add', arguments: { a: 2, b: 3 } })).toMatchObject({
      structuredContent: { sum: 5 },
    });
    expect(listening.seen.every(({ headers }) => headers['mcp-session-id'] === undefined)).toBe(true);
  });

  test('HTTP+SSE', async () => {
    const transports = new Map<string, SSEServerTransport>();
    const listening = await listen(
      async (seen, response, request) => {
        if (seen.method === 'GET') {
          const transport = new SSEServerTransport('/messages', response);
          transports.set(transport.sessionId, transport);
          return officialV1().connect(transport);
        }
        const transport = transports.get(new URL(seen.url, 'http://h').searchParams.get('sessionId') ?? '');
        if (transport === undefined) return void response.writeHead(404).end('no transport');
        return transport.handlePostMessage(request, response, seen.json);
      },
      { path: '/sse' },
    );
    const client = make({ capabilities: { elicitation: {} } });
    client.setRequestHandler('elicitation/create', () => ({ action: 'decline' }));
    await client.connect(listening.url);
    expect(client.revision).toBe(LEGACY);
    expect(await client.callTool({ name: 'add', arguments: { a: 2, b: 3 } })).toMatchObject({
      structuredContent: { sum: 5 },
    });
    expect(await client.callTool({ name: 'ask' })).toMatchObject({ content: [{ text: 'decline' }] });
    // The stream breaks, and with it the session: another one is opened.
    listening.cut();
    expect((await client.listTools()).tools.length).toBe(3);
  });
});

test.each([
  ['v1', () => new OfficialClient({ name: 'official', version: '1' })],
  ['v2', () => new OfficialClientV2({ name: 'official', version: '1' }) as unknown as OfficialClient],
])('the client of the official SDK %s over our transport', async (_which, makeOfficial) => {
  const { handler } = withSessions(true);
  const listening = await listen(handler);
  const transport = new StreamableHTTPClientTransport(listening.url);
  const official = makeOfficial();
  await official.connect(transport as never);
  expect(await official.callTool({ name: 'add', arguments: { a: 2, b: 3 } })).toMatchObject({
    structuredContent: { sum: 5 },
  });
  await expect(official.callTool({ name: 'add', arguments: { a: 'x' } })).resolves.toMatchObject({ isError: true });
  expect(transport.sessionId).toBeDefined();
  expect(listening.seen.at(-1)?.headers).toMatchObject({
    'mcp-session-id': transport.sessionId,
    'mcp-protocol-version': LEGACY.id,
  });
  await transport.terminateSession();
  await official.close();
});

function officialV2(): OfficialServerV2 {
  const server = new OfficialServerV2({ name: 'v2', version: '1' }, { capabilities: { tools: { listChanged: true } } });
  server.registerTool('add', { inputSchema: z.object({ a: z.number(), b: z.number() }) }, async ({ a, b }) => ({
    content: [{ type: 'text', text: String(a + b) }],
  }));
  server.registerTool(
    'route',
    { inputSchema: z.object({ region: z.string().meta({ 'x-mcp-header': 'Region' }) }) },
    async ({ region }) => ({ content: [{ type: 'text', text: region }] }),
  );
  server.registerTool('confirm', { inputSchema: z.object({}) }, async (_args, ctx) => {
    const answered = ctx.mcpReq.inputResponses?.['ok'];
    if (answered !== undefined) return { content: [{ type: 'text', text: JSON.stringify(answered) }] };
    return inputRequired({
      inputRequests: {
        ok: inputRequired.elicit({
          message: 'Sure?',
          requestedSchema: { type: 'object', properties: { yes: { type: 'boolean' } } },
        }),
      },
    });
  });
  return server;
}

describe('the official SDK v2', () => {
  test.each(['auto', 'sse', 'json'] as const)(
    'without a handshake (%s): tools, mirrored arguments, questions, streams',
    async (responseMode) => {
      const handler = createOfficialHandler(officialV2, { responseMode });
      const listening = await listenWeb((request) => handler.fetch(request));
      let changed = 0;
      const client = make({
        capabilities: { elicitation: {} },
        listChanged: { tools: { onChanged: () => (changed += 1), debounceMs: 10 } },
      });
      client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: { yes: true } }));
      await client.connect(listening.url);
      expect(client.revision).toBe(MODERN);
      expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['add', 'route', 'confirm']);
      expect(await client.callTool({ name: 'add', arguments: { a: 2, b: 3 } })).toMatchObject({
        content: [{ text: '5' }],
      });
      expect(await client.callTool({ name: 'route', arguments: { region: 'größer' } })).toMatchObject({
        content: [{ text: 'größer' }],
      });
      expect(JSON.stringify(await client.callTool({ name: 'confirm' }))).toContain('accept');
      await until(() => listening.methods().includes('subscriptions/listen'));
      // Told again until it is heard: nothing says when the other side has its stream.
      const telling = setInterval(() => handler.notify.toolsChanged(), 50);
      await until(() => changed > 0).finally(() => clearInterval(telling));
      expect(problems).toEqual([]);
      await client.close();
      await handler.close();
    },
  );

  test('the same server in the other family', async () => {
    const handler = createOfficialHandler(officialV2);
    const listening = await listenWeb((request) => handler.fetch(request));
    const client = make();
    await client.connect({ url: listening.url, family: 'handshake' });
    expect(client.revision).toBe(LEGACY);
    expect(await client.callTool({ name: 'add', arguments: { a: 2, b: 3 } })).toMatchObject({
      content: [{ text: '5' }],
    });
  });

  test('one that refuses the other family', async () => {
    const handler = createOfficialHandler(officialV2, { legacy: 'reject' });
    const listening = await listenWeb((request) => handler.fetch(request));
    await make().connect(listening.url);
    await expect(make().connect({ url: listening.url, family: 'handshake' })).rejects.toMatchObject({
      code: 'negotiation-failed',
    });
    expect(listening.methods()).not.toContain('GET');
  });
});
