/** Callbacks of a client: each driver has a server cause one to go wrong, and then wants an ordinary answer on the same client. */
import { expect } from 'vitest';
import {
  Client,
  StreamableHTTPClientTransport,
  createVerdictMemory,
  provideRoots,
  type ClientOptions,
} from '../../src/client/index.ts';
import { McpServer, createMcpHandler, text, type ServerContext } from '../../src/server/index.ts';
import { tasks } from '../../src/server/tasks/index.ts';
import { InMemoryTransport } from '../../src/transports/memory/in-memory-transport.ts';
import { listen } from '../http/serving.ts';
import { until } from '../until.ts';
import type { Next } from '../../src/protocol/operation.ts';
import { settled, type Fault } from './faults.ts';
import type { Driver } from './server-callbacks.ts';
import { fromJsonSchema } from '../../src/schema/index.ts';

const HANDSHAKE = '2025-11-25';
const NEWEST = '2026-07-28';
const ASKED = { elicitation: { form: {}, url: {} }, sampling: {}, roots: { listChanged: true } };

interface Plan {
  readonly revision?: string;
  readonly options?: (fault: Fault) => ClientOptions;
  /** What the tool `act` does to its caller. */
  readonly act?: (ctx: ServerContext, server: McpServer) => unknown;
  readonly on?: (client: Client, fault: Fault) => unknown;
  readonly by?: (client: Client, fault: Fault, server: McpServer) => Promise<unknown>;
}

const act = (client: Client): Promise<unknown> => client.callTool({ name: 'act', arguments: {} });

function makeServer({ act: does }: Plan): McpServer {
  const server = new McpServer(
    { name: 'acting', version: '1' },
    { capabilities: { logging: {}, resources: { subscribe: true, listChanged: true }, tools: { listChanged: true } } },
  );
  server.registerTool('echo', {}, () => text('still here'));
  server.registerTool('act', {}, async (ctx) => {
    await does?.(ctx, server);
    return text('acted');
  });
  server.use(tasks());
  server.registerTool('slow', { task: { support: 'optional', pollIntervalMs: 1 } }, async () => text('slow'));
  server.registerResource('note', 'note://one', {}, () => ({ contents: [] }));
  return server;
}

async function ordinary(client: Client): Promise<void> {
  expect((await client.callTool({ name: 'echo', arguments: {} })).content).toEqual(text('still here').content);
}

async function drive(plan: Plan, fault: Fault, client: Client, server: McpServer): Promise<void> {
  await settled((plan.by ?? act)(client, fault, server));
  await fault.called();
  fault.isOn = false;
  await ordinary(client);
}

const make = (plan: Plan, fault: Fault): Client => {
  const client = new Client(
    { name: 'c', version: '1' },
    { revisions: [plan.revision ?? HANDSHAKE], capabilities: ASKED, ...plan.options?.(fault) },
  );
  return client;
};

/** Over memory. */
async function linked(plan: Plan, fault: Fault): Promise<void> {
  const server = makeServer(plan);
  const [near, far] = InMemoryTransport.createLinkedPair({ text: true });
  const client = make(plan, fault);
  await plan.on?.(client, fault);
  await server.connect(far);
  await client.connect(near);
  await drive(plan, fault, client, server);
  await client.close();
}

/** Over HTTP, on a real port. */
async function served(plan: Plan, fault: Fault): Promise<void> {
  const server = makeServer(plan);
  const handler = createMcpHandler(server);
  const { http, port } = await listen((request, response) => void handler.node(request, response));
  const client = make(plan, fault);
  await plan.on?.(client, fault);
  try {
    await client.connect(new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${port}/mcp`)));
    await drive(plan, fault, client, server);
  } finally {
    await client.close();
    await handler.close({ grace: 0 });
    http.closeAllConnections();
    await new Promise((resolve) => http.close(resolve));
  }
}

const both =
  (plan: Plan): Driver =>
  async (fault) => {
    await linked(plan, fault);
    fault.isOn = true;
    fault.calls = 0;
    await served(plan, fault);
  };
const memory =
  (plan: Plan): Driver =>
  (fault) =>
    linked(plan, fault);

const FORM = { message: '?', requestedSchema: { type: 'object', properties: {} } } as const;
const logs = (ctx: ServerContext): void => ctx.log('error', 'a line');

/** What a client remembers of servers. It is a hint: connecting does not depend on it, also after the connection was lost. */
const remembered =
  (member: 'get' | 'set'): Driver =>
  (fault) =>
    served(
      {
        options: (one) => ({
          // Both families: a client of one alone remembers nothing.
          revisions: [NEWEST, HANDSHAKE],
          verdicts: one.of(createVerdictMemory(), member),
          onproblem: () => {},
        }),
        by: async () => {},
      },
      fault,
    );

export const CLIENT: Readonly<Record<string, Driver>> = {
  elicit: both({
    on: (client, fault) =>
      client.setRequestHandler(
        'elicitation/create',
        fault.in(() => ({ action: 'decline' }) as const),
      ),
    act: (ctx) => ctx.elicit(FORM),
  }),
  elicitInside: both({
    revision: NEWEST,
    on: (client, fault) =>
      client.setRequestHandler(
        'elicitation/create',
        fault.in(() => ({ action: 'decline' }) as const),
      ),
    act: (ctx) => ctx.elicit(FORM),
  }),
  sample: both({
    on: (client, fault) =>
      client.setRequestHandler(
        'sampling/createMessage',
        fault.in(() => ({ model: 'm', role: 'assistant', content: { type: 'text', text: 'x' } }) as const),
      ),
    act: (ctx) => ctx.sample({ messages: [], maxTokens: 1 }),
  }),
  roots: both({
    on: (client, fault) => provideRoots(client, [{ uri: 'file:///a' }], { isAccessible: fault.in(() => true) }),
    act: (ctx) => ctx.listRoots(),
  }),
  rootsHandler: both({
    on: (client, fault) =>
      client.setRequestHandler(
        'roots/list',
        fault.in(() => ({ roots: [] })),
      ),
    act: (ctx) => ctx.listRoots(),
  }),
  fallbackRequestHandler: memory({
    on: (client, fault) => (client.fallbackRequestHandler = fault.in(() => ({}))),
    act: (ctx) => ctx.sendRequest({ method: 'own/ask' }),
  }),
  notificationHandler: both({
    on: (client, fault) =>
      client.setNotificationHandler(
        'notifications/own',
        fault.in(() => {}),
      ),
    act: (ctx) => ctx.sendNotification({ method: 'notifications/own' }),
  }),
  fallbackNotificationHandler: both({
    on: (client, fault) => (client.fallbackNotificationHandler = fault.in(() => {})),
    act: (ctx) => ctx.sendNotification({ method: 'notifications/own' }),
  }),
  middleware: both({
    on: (client, fault) => client.use(fault.in((_operation, next) => next())),
    by: async (client) => act(client),
    options: () => ({ reconnect: false }),
  }),
  onconnection: memory({
    on: (client, fault) =>
      client.use(Object.assign((_op: unknown, next: Next) => next(), { onconnection: fault.in(() => {}) })),
  }),
  onlog: both({
    options: (fault) => ({ onlog: fault.in(() => {}) }),
    by: async (client) => {
      await client.setLoggingLevel('debug');
      await act(client);
    },
    act: logs,
  }),
  onproblem: memory({
    options: (fault) => ({ onproblem: fault.in(() => {}) }),
    on: (client) =>
      client.setNotificationHandler('notifications/own', () => {
        throw new Error('told to onproblem');
      }),
    act: (ctx) => ctx.sendNotification({ method: 'notifications/own' }),
  }),
  onerror: memory({
    on: (client, fault) => {
      client.onerror = fault.in(() => {});
      client.setNotificationHandler('notifications/own', () => {
        throw new Error('told to onerror');
      });
    },
    act: (ctx) => ctx.sendNotification({ method: 'notifications/own' }),
  }),
  onprogress: both({
    act: (ctx) => ctx.progress(1, 2),
    by: (client, fault) => client.callTool({ name: 'act', arguments: {} }, { onprogress: fault.in(() => {}) }),
  }),
  serverOnprogress: both({
    on: (client) =>
      client.setRequestHandler('elicitation/create', (_request, extra) => {
        extra.reportProgress({ progress: 1 });
        return { action: 'decline' };
      }),
    by: async (client, fault, server) => {
      const act2 = server.registerTool('asks', {}, async (ctx) => {
        await ctx.sendRequest({ method: 'elicitation/create', params: { ...FORM } }, undefined, {
          onprogress: fault.in(() => {}),
        });
        return text('x');
      });
      await settled(client.callTool({ name: 'asks', arguments: {} }));
      act2.remove();
    },
  }),
  onresumptiontoken: async (fault) =>
    served(
      {
        act: async (ctx) => {
          ctx.progress(1);
          await new Promise((resolve) => setImmediate(resolve));
        },
        by: (client, one) =>
          client.callTool(
            { name: 'act', arguments: {} },
            { onprogress: () => {}, onresumptiontoken: one.in(() => {}) },
          ),
      },
      fault,
    ),
  onstatus: both({
    revision: NEWEST,
    by: (client, fault) => client.callTool({ name: 'slow', arguments: {} }, { onstatus: fault.in(() => {}) }),
  }),
  listChanged: both({
    options: (fault) => ({ listChanged: { tools: { onChanged: fault.in(() => {}), debounceMs: 1 } } }),
    by: async (client, fault, server) => {
      // A stream that tells of changes may take a moment to open.
      await until(() => {
        server.sendToolListChanged();
        return fault.calls > 0;
      });
      await act(client);
    },
  }),
  watch: both({
    by: async (client, fault, server) => {
      const watching = await client.watch({ tools: true }, { onchange: fault.in(() => {}) });
      await until(() => {
        server.sendToolListChanged();
        return fault.calls > 0;
      });
      await watching.close();
    },
  }),
  listen: both({
    revision: NEWEST,
    by: async (client, fault, server) => {
      const stream = await client.listen({ toolsListChanged: true }, { onnotification: fault.in(() => {}) });
      await until(() => {
        server.sendToolListChanged();
        return fault.calls > 0;
      });
      stream.close();
    },
  }),
  onrestored: async (fault) => {
    const server = makeServer({});
    const handler = createMcpHandler(server);
    const { http, port } = await listen((request, response) => void handler.node(request, response));
    const client = make({ revision: NEWEST, options: () => ({ onproblem: () => {} }) }, fault);
    try {
      await client.connect(new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${port}/mcp`)));
      const heard: unknown[] = [];
      const stream = await client.listen(
        { toolsListChanged: true },
        { onrestored: fault.in(() => {}), onnotification: (told) => void heard.push(told) },
      );
      http.closeAllConnections();
      await fault.called();
      fault.isOn = false;
      // The stream that was restored goes on.
      await until(() => {
        server.sendToolListChanged();
        return heard.length > 0;
      });
      stream.close();
      await ordinary(client);
    } finally {
      await client.close();
      await handler.close({ grace: 0 });
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    }
  },
  'verdicts.get': remembered('get'),
  'verdicts.set': remembered('set'),
  onelicitationcomplete: memory({
    options: (fault) => ({ onelicitationcomplete: fault.in(() => {}) }),
    on: (client) => client.setRequestHandler('elicitation/create', () => ({ action: 'accept' })),
    act: async (ctx) => {
      const tell = ctx.pageCompletion('page');
      await ctx.elicit({ mode: 'url', message: '?', url: 'https://example.com/', elicitationId: 'page' });
      tell();
    },
  }),
  onclose: async (fault) => {
    const server = makeServer({});
    const [near, far] = InMemoryTransport.createLinkedPair({ text: true });
    const client = make({}, fault);
    client.onclose = fault.in(() => {});
    await server.connect(far);
    await client.connect(near);
    await server.close();
    await fault.called();
    fault.isOn = false;
    const [again, other] = InMemoryTransport.createLinkedPair({ text: true });
    await server.connect(other);
    await client.connect(again);
    await ordinary(client);
    await client.close();
  },
  outputValidator: both({
    options: (fault) => ({
      jsonSchemaValidator: {
        getValidator: fault.in(() => () => ({ valid: true, data: {}, errorMessage: undefined })) as never,
      },
    }),
    by: async (client, fault, server) => {
      const structured = server.registerTool(
        'structured',
        { outputSchema: fromJsonSchema({ type: 'object', properties: { a: { type: 'string' } } }) },
        () => ({ structuredContent: { a: 'x' } }),
      );
      await settled(client.listTools(undefined, { cacheMode: 'refresh' }));
      await settled(client.callTool({ name: 'structured', arguments: {} }));
      structured.remove();
    },
  }),
  fetch: async (fault) => {
    const server = makeServer({});
    const handler = createMcpHandler(server);
    const { http, port } = await listen((request, response) => void handler.node(request, response));
    const faulty = fault.in((url: string | URL, init?: RequestInit) => fetch(url, init));
    fault.isOn = false;
    const client = make({ options: () => ({ reconnect: false }) }, fault);
    try {
      await client.connect(
        new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${port}/mcp`), { fetch: faulty }),
      );
      fault.isOn = true;
      await settled(act(client));
      await settled(client.notification({ method: 'notifications/own' }));
      await fault.called();
      fault.isOn = false;
      await ordinary(client);
    } finally {
      await settled(client.close());
      await handler.close({ grace: 0 });
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    }
  },
};

/** What is set on a transport beside what its client or server sets there. */
const observed =
  (member: 'onmessage' | 'onerror' | 'onclose', side: 'client' | 'server'): Driver =>
  async (fault) => {
    const server = makeServer({});
    const [near, far] = InMemoryTransport.createLinkedPair({ text: true });
    const client = make({}, fault);
    Object.assign(side === 'client' ? near : far, { [member]: fault.in(() => {}) });
    await server.connect(far);
    await client.connect(near);
    if (member === 'onerror') (side === 'client' ? near : far).onerror?.(new Error('a problem of the transport'));
    if (member === 'onclose') {
      await client.close();
      await fault.called();
      fault.isOn = false;
      const [again, other] = InMemoryTransport.createLinkedPair({ text: true });
      await server.connect(other);
      await client.connect(again);
    } else await drive({}, fault, client, server);
    await ordinary(client);
    await client.close();
  };

export const OBSERVERS: Readonly<Record<string, Driver>> = Object.fromEntries(
  (['client', 'server'] as const).flatMap((side) =>
    (['onmessage', 'onerror', 'onclose'] as const).map((member) => [`${side} ${member}`, observed(member, side)]),
  ),
);
