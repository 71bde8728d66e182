/** Callbacks of a server: each driver has one go wrong for a client that comes over the wire, and then wants an ordinary answer. */
import { completable } from '../../src/server/index.ts';
import { mount } from '../../src/server/mounting.ts';
import { byCaller, tapMessages } from '../../src/server/relaying.ts';
import { Client, StreamableHTTPClientTransport, type ClientOptions } from '../../src/client/index.ts';
import {
  McpServer,
  ResourceTemplate,
  createMcpHandler,
  text,
  type McpHandlerOptions,
  type McpServerOptions,
  type ServerExtension,
  type ServerSource,
} from '../../src/server/index.ts';
import { atOnce } from '../../src/runtime/guard.ts';
import { registerAppResource, registerAppTool } from '../../../apps/src/server/index.ts';
import { defineExtension } from '../../src/index.ts';
import { logCalls } from '../../src/middleware/index.ts';
import { connectLinked } from '../../src/testing/index.ts';
import { expect } from 'vitest';
import { z } from 'zod';
import { closeAll, listen, openSession, serve } from '../http/serving.ts';
import type { Next } from '../../src/protocol/operation.ts';
import { settled, type Fault } from './faults.ts';

export type Driver = (fault: Fault) => Promise<void>;

const HANDSHAKE = '2025-11-25';
const NEWEST = '2026-07-28';

interface Plan {
  readonly options?: (fault: Fault) => McpServerOptions;
  readonly handler?: (fault: Fault) => McpHandlerOptions;
  readonly client?: ClientOptions;
  /** Puts the callback on the server. */
  readonly on?: (server: McpServer, fault: Fault) => unknown;
  /** Has the callback called. */
  readonly by: (client: Client, server: McpServer) => Promise<unknown>;
}

const ask =
  (method: string, params: object = {}) =>
  (client: Client): Promise<unknown> =>
    client.request({ method, params });
export const call = (name: string, args: object = {}) => ask('tools/call', { name, arguments: args });

async function make(plan: Plan, fault: Fault): Promise<McpServer> {
  const server = new McpServer(
    { name: 'guarded', version: '1.0.0' },
    { onwarning: () => {}, ...plan.options?.(fault) },
  );
  server.registerTool('echo', { inputSchema: { text: z.string() } }, ({ text: said }) => text(said));
  await plan.on?.(server, fault);
  return server;
}

async function ordinary(client: Client): Promise<void> {
  const { content } = await client.callTool({ name: 'echo', arguments: { text: 'still here' } });
  expect(content).toEqual([{ type: 'text', text: 'still here' }]);
}

/** Over memory, which stdio shares its parts with, with a handshake. */
export async function linked(plan: Plan, fault: Fault, revision = HANDSHAKE): Promise<void> {
  const server = await make(plan, fault);
  const connect = () => connectLinked(server, { revision, onproblem: () => {}, ...plan.client });
  const first = await connect().catch(() => undefined);
  if (first) await settled(plan.by(first.client, server));
  await fault.called();
  fault.isOn = false;
  // The connection that it happened on goes on, where it could be made.
  const { client, close } = first?.client.transport ? first : await connect();
  await ordinary(client);
  await close();
}

/** Over HTTP, on a real port. */
export async function served(plan: Plan, fault: Fault, revision = NEWEST): Promise<void> {
  const server = await make(plan, fault);
  const handler = createMcpHandler(server, plan.handler?.(fault));
  const { http, port } = await listen((request, response) => void handler.node(request, response));
  const connect = async (): Promise<Client> => {
    const client = new Client(
      { name: 'c', version: '1' },
      { revisions: [revision], onproblem: () => {}, ...plan.client },
    );
    await client.connect(new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${port}/mcp`)));
    return client;
  };
  let client: Client | undefined;
  try {
    const first = await connect().catch(() => undefined);
    if (first) await settled(plan.by(first, server));
    await fault.called();
    fault.isOn = false;
    await first?.close().catch(() => {});
    client = await connect();
    await ordinary(client);
  } finally {
    await client?.close();
    // A store that breaks its word fails whoever closes it.
    await settled(handler.close({ grace: 0 }));
    http.closeAllConnections();
    await new Promise((resolve) => http.close(resolve));
  }
}

/** A callback of the registry: with a handshake over memory, and without one over HTTP. */
const feature =
  (plan: Plan): Driver =>
  async (fault) => {
    await linked(plan, fault);
    fault.isOn = true;
    fault.calls = 0;
    await served(plan, fault);
  };

/** A callback that has to do with connections, which the newest family has none of over HTTP. */
const connected =
  (plan: Plan): Driver =>
  async (fault) => {
    await linked(plan, fault);
    fault.isOn = true;
    fault.calls = 0;
    await served(plan, fault, HANDSHAKE);
  };

/** A callback of the HTTP handler. */
const overHttp =
  (plan: Plan): Driver =>
  (fault) =>
    served(plan, fault, HANDSHAKE);

const sourced = (member: keyof ServerSource, by: Plan['by']): Driver => {
  const source: Required<Omit<ServerSource, 'offersTo'>> = {
    list: () => ({
      tools: [{ name: 'far', inputSchema: { type: 'object' } }],
      resources: [{ uri: 'far://one', name: 'one' }],
      prompts: [{ name: 'far', arguments: [{ name: 'a' }] }],
    }),
    callTool: () => ({ content: [] }),
    readResource: () => ({ contents: [] }),
    getPrompt: () => ({ messages: [] }),
    complete: () => ({ completion: { values: [] } }),
    watch: () => () => {},
    close: () => {},
  };
  if (member !== 'offersTo')
    return feature({ on: (server, fault) => mount(server, 'm', fault.of(source, member)), by });
  const { list, ...rest } = source;
  const varying = { ...rest, offersTo: list };
  return feature({ on: (server, fault) => mount(server, 'm', fault.of(varying, member)), by });
};

const OWN = defineExtension({
  id: 'com.example/own',
  methods: {
    'own/do': { kind: 'request', sender: 'client' } as never,
    'notifications/own': { kind: 'notification', sender: 'server' } as never,
  },
  filters: { things: { notification: 'notifications/own', about: 'thing' } },
});

/** An extension of the program's own. */
const extended =
  (half: (fault: Fault) => Partial<ServerExtension>, by: Plan['by']): Driver =>
  async (fault) => {
    const plan: Plan = {
      client: { extensions: [{ extension: OWN }] },
      on: (server, one) => server.use({ extension: OWN, ...half(one) }),
      by,
    };
    await linked(plan, fault, NEWEST);
    fault.isOn = true;
    fault.calls = 0;
    await served(plan, fault);
  };

const hearOfThings = async (client: Client): Promise<void> => {
  const stream = await client.listen({}, { filters: { things: ['a'] } });
  stream.close();
};

export const SERVER: Readonly<Record<string, Driver>> = {
  tool: feature({
    on: (server, fault) =>
      server.registerTool(
        'bad',
        {},
        fault.in(() => text('x')),
      ),
    by: call('bad'),
  }),
  resource: feature({
    on: (server, fault) =>
      server.registerResource(
        'bad',
        'bad://one',
        {},
        fault.in(() => ({ contents: [] })),
      ),
    by: ask('resources/read', { uri: 'bad://one' }),
  }),
  template: feature({
    on: (server, fault) =>
      server.registerResource(
        'bad',
        new ResourceTemplate('bad://{id}', { list: undefined }),
        {},
        fault.in(() => ({ contents: [] })),
      ),
    by: ask('resources/read', { uri: 'bad://one' }),
  }),
  templateList: feature({
    on: (server, fault) =>
      server.registerResource(
        'bad',
        new ResourceTemplate('bad://{id}', { list: fault.in(() => ({ resources: [] })) }),
        {},
        () => ({ contents: [] }),
      ),
    by: ask('resources/list'),
  }),
  templateComplete: feature({
    on: (server, fault) =>
      server.registerResource(
        'bad',
        new ResourceTemplate('bad://{id}', { list: undefined, complete: { id: fault.in(() => ['a']) } }),
        {},
        () => ({ contents: [] }),
      ),
    by: ask('completion/complete', {
      ref: { type: 'ref/resource', uri: 'bad://{id}' },
      argument: { name: 'id', value: '' },
    }),
  }),
  prompt: feature({
    on: (server, fault) =>
      server.registerPrompt(
        'bad',
        {},
        fault.in(() => ({ messages: [] })),
      ),
    by: ask('prompts/get', { name: 'bad' }),
  }),
  completable: feature({
    on: (server, fault) =>
      server.registerPrompt(
        'bad',
        {
          argsSchema: {
            a: completable(
              z.string(),
              fault.in(() => ['x']),
            ),
          },
        },
        () => ({ messages: [] }),
      ),
    by: ask('completion/complete', { ref: { type: 'ref/prompt', name: 'bad' }, argument: { name: 'a', value: '' } }),
  }),
  visible: feature({
    on: (server, fault) => server.registerTool('bad', { visible: fault.in(() => true) }, () => text('x')),
    by: async (client) => {
      await settled(client.listTools());
      await settled(client.callTool({ name: 'bad', arguments: {} }));
    },
  }),
  visibleResource: feature({
    options: () => ({ capabilities: { resources: { subscribe: true } } }),
    on: (server, fault) =>
      server.registerResource('bad', 'bad://one', { visible: fault.in(() => true) }, () => ({ contents: [] })),
    by: async (client) => {
      await settled(client.listResources());
      await settled(client.subscribeResource({ uri: 'bad://one' }));
    },
  }),
  scopes: feature({
    on: (server, fault) => server.registerTool('bad', { scopes: fault.in(() => ['read']) }, () => text('x')),
    by: call('bad'),
  }),
  inputSchema: feature({
    on: (server, fault) => {
      const schema = z.string();
      // A promise inside a schema is what the schema library makes of it.
      const faulty = z.object({
        a: schema.transform((value) => atOnce(fault.in((given: string) => given)(value), 'transform')),
      });
      return server.registerTool('bad', { inputSchema: faulty }, () => text('x'));
    },
    by: call('bad', { a: 'x' }),
  }),
  middleware: feature({
    on: (server, fault) => server.use(fault.in((_op, next) => next())),
    by: call('echo', { text: 'x' }),
  }),
  onconnection: connected({
    on: (server, fault) =>
      server.use(Object.assign((_op: unknown, next: Next) => next(), { onconnection: fault.in(() => {}) })),
    by: call('echo', { text: 'x' }),
  }),
  groupOf: connected({
    on: (server, fault) => server.use(byCaller({ groupOf: fault.in(() => 'all') })),
    by: ask('ping'),
  }),
  describe: feature({
    on: (server, fault) => server.use(byCaller({ describe: fault.in(() => ({ instructions: 'Hello.' })) })),
    by: (client) => client.listTools(),
  }),
  tap: overHttp({
    handler: (fault) => ({ tap: fault.in(() => {}) }),
    by: (client) => client.listTools(),
  }),
  tapMessages: overHttp({
    handler: (fault) => ({ tap: tapMessages(fault.in(() => {})).handler }),
    by: (client) => client.listTools(),
  }),
  limits: feature({
    options: (fault) => ({ limits: { 'tools/call': fault.in(() => ({ perSecond: 100, burst: 100 })) as never } }),
    by: call('echo', { text: 'x' }),
  }),
  log: connected({
    options: (fault) => ({ log: fault.in(() => {}) }),
    by: call('echo', { text: 'x' }),
  }),
  logCalls: feature({
    on: (server, fault) => server.use(logCalls({ log: fault.in(() => {}) })),
    by: call('echo', { text: 'x' }),
  }),
  logCallsOnly: feature({
    on: (server, fault) => server.use(logCalls({ log: () => {}, only: fault.in(() => true) })),
    by: call('echo', { text: 'x' }),
  }),
  logCallsNow: feature({
    on: (server, fault) => server.use(logCalls({ log: () => {}, now: fault.in(() => 1) })),
    by: call('echo', { text: 'x' }),
  }),
  requestHandler: feature({
    on: (server, fault) =>
      server.server.setRequestHandler(
        'own/do',
        fault.in(() => ({})),
      ),
    by: ask('own/do'),
  }),
  fallbackRequestHandler: feature({
    on: (server, fault) => (server.server.fallbackRequestHandler = fault.in(() => ({}))),
    by: ask('own/other'),
  }),
  notificationHandler: async (fault) =>
    linked(
      {
        on: (server, one) =>
          server.server.setNotificationHandler(
            'notifications/own',
            one.in(() => {}),
          ),
        by: (client) => client.notification({ method: 'notifications/own' }),
      },
      fault,
    ),
  fallbackNotificationHandler: async (fault) =>
    linked(
      {
        on: (server, one) => (server.server.fallbackNotificationHandler = one.in(() => {})),
        by: (client) => client.notification({ method: 'notifications/own' }),
      },
      fault,
    ),
  oninitialized: async (fault) =>
    linked(
      { on: (server, one) => (server.server.oninitialized = one.in(() => {})), by: call('echo', { text: 'x' }) },
      fault,
    ),
  onerror: feature({
    on: (server, fault) => {
      server.server.onerror = fault.in(() => {});
      server.registerPrompt('bad', {}, () => {
        throw new Error('told to onerror');
      });
    },
    by: ask('prompts/get', { name: 'bad' }),
  }),
  onclose: connected({
    on: (server, fault) => (server.server.onclose = fault.in(() => {})),
    by: async (client) => {
      await (client.transport as { terminateSession?: () => Promise<void> }).terminateSession?.();
      await client.close();
    },
  }),
  appTool: feature({
    on: (server, fault) =>
      registerAppTool(
        server,
        'bad',
        { _meta: { ui: { resourceUri: 'ui://bad' } } },
        fault.in(() => text('x')),
      ),
    by: call('bad'),
  }),
  appResource: feature({
    on: (server, fault) =>
      registerAppResource(
        server,
        'bad',
        'ui://bad',
        {},
        fault.in(() => ({ contents: [] })),
      ),
    by: ask('resources/read', { uri: 'ui://bad' }),
  }),
  extensionGranted: extended((fault) => ({ granted: fault.in((_member, items) => items) }), hearOfThings),
  extensionOpened: extended((fault) => ({ opened: fault.in(() => {}) }), hearOfThings),
  extensionHandler: extended((fault) => ({ handlers: { 'own/do': fault.in(() => ({})) } }), ask('own/do')),
  sourceCallTool: sourced('callTool', call('m_far')),
  sourceOffersTo: sourced('offersTo', (client) => client.listTools({}, { cacheMode: 'bypass' })),
  sourceReadResource: sourced('readResource', async (client) => {
    for (const { uri } of (await client.listResources()).resources) await settled(client.readResource({ uri }));
  }),
  sourceGetPrompt: sourced('getPrompt', async (client) => {
    for (const { name } of (await client.listPrompts()).prompts) await settled(client.getPrompt({ name }));
  }),
  sourceComplete: sourced('complete', async (client) => {
    const [prompt] = (await client.listPrompts()).prompts;
    await settled(
      client.complete({ ref: { type: 'ref/prompt', name: prompt?.name ?? '' }, argument: { name: 'a', value: '' } }),
    );
  }),
  authenticate: overHttp({
    handler: (fault) => ({ authenticate: fault.in(() => ({ token: 't', clientId: 'c', scopes: [] })) }),
    by: call('echo', { text: 'x' }),
  }),
  principal: overHttp({ handler: (fault) => ({ principal: fault.in(() => 'me') }), by: call('echo', { text: 'x' }) }),
  clientAddress: overHttp({
    handler: (fault) => ({ clientAddress: fault.in(() => '192.0.2.1') }),
    by: call('echo', { text: 'x' }),
  }),
  generateId: overHttp({
    handler: (fault) => ({ sessions: { generateId: fault.in(() => crypto.randomUUID()) } }),
    by: call('echo', { text: 'x' }),
  }),
  handlerOnerror: overHttp({
    handler: (fault) => ({
      onerror: fault.in(() => {}),
      authenticate: () => {
        if (fault.isOn) throw new Error('told to onerror');
        return { token: 't', clientId: 'c', scopes: [] };
      },
    }),
    by: call('echo', { text: 'x' }),
  }),
  gateAnswer: gate('answer'),
  gateCheck: gate('check'),
  gateRefuseScopes: gate('refuseScopes'),
  eventStoreStore: events('storeEvent'),
  eventStoreReplay: events('replayEventsAfter'),
  eventStoreStream: events('getStreamIdForEventId'),
};

function gate(member: string): Driver {
  const auth = {
    answer: () => false,
    check: async () => ({ authInfo: { token: 't', clientId: 'c', scopes: ['read'] } }),
    refuseScopes: () => undefined,
  };
  return overHttp({
    handler: (fault) => ({ auth: fault.of(auth, member) as never }),
    on: (server) => server.registerTool('scoped', { scopes: ['read'] }, () => text('x')),
    by: call('scoped'),
  });
}

function events(member: string): Driver {
  const kept = new Map<string, { streamId: string; message: never }>();
  const eventStore = {
    async storeEvent(streamId: string, message: never): Promise<string> {
      const id = `${streamId}_${kept.size}`;
      kept.set(id, { streamId, message });
      return id;
    },
    async getStreamIdForEventId(id: string): Promise<string | undefined> {
      return kept.get(id)?.streamId;
    },
    async replayEventsAfter(last: string): Promise<string> {
      return kept.get(last)?.streamId ?? '';
    },
  };
  return async (fault) => {
    const at = await serve({ eventStore: fault.of(eventStore, member) });
    try {
      const session = await openSession(at);
      const told = await session.call(1, 'count', { to: 2 }, { progressToken: 'p' });
      await told.finish();
      const seen = told.frames.find(({ id }) => id !== undefined)?.id ?? [...kept.keys()][0] ?? 'none_0';
      const again = await session.get({ 'last-event-id': seen });
      again.abort();
      await fault.called();
      fault.isOn = false;
      const answer = await session.call(2, 'echo', { text: 'still here' });
      await answer.finish();
      expect(answer.text).toContain('still here');
    } finally {
      await closeAll();
    }
  };
}
