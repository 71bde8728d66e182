/** Callbacks of transports, stores, tasks, skills and OpenAPI: each driver has one go wrong, and then wants an ordinary answer. */
import { PassThrough } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { z } from 'zod';
import { Client } from '../../src/client/index.ts';
import { StdioClientTransport } from '../../src/client/stdio.ts';
import { telemetry } from '../../src/middleware/telemetry/index.ts';
import { fromOpenApi } from '../../../openapi/src/index.ts';
import {
  McpServer,
  SSEServerTransport,
  StreamableHTTPServerTransport,
  memoryStore,
  text,
} from '../../src/server/index.ts';
import { tasks, type RequestTaskStore } from '../../src/server/tasks/index.ts';
import { StdioServerTransport } from '../../src/server/stdio.ts';
import { SkillsExtension, type SkillSource } from '../../../skills/src/server/index.ts';
import { connectLinked } from '../../src/testing/index.ts';
import { InMemoryTaskMessageQueue, InMemoryTaskStore } from '../../../sdk/src/experimental/tasks/index.ts';
import { McpServer as OldServer } from '../../../sdk/src/server/mcp.ts';
import { Protocol } from '../../../sdk/src/shared/protocol.ts';
import { InMemoryTransport } from '../../src/transports/memory/in-memory-transport.ts';
import { acquireLease } from '../../src/stores/lease.ts';
import { initialize, listen, openSession, send } from '../http/serving.ts';
import { startApi } from '../../../openapi/test/api.ts';
import { until } from '../until.ts';
import { settled, type Fault } from './faults.ts';
import type { Driver } from './server-callbacks.ts';

const HANDSHAKE = '2025-11-25';

function echoing(): McpServer {
  const server = new McpServer({ name: 'echoing', version: '1' });
  server.registerTool('echo', {}, () => text('still here'));
  return server;
}

/** The transport class for one session, with a fault in its options or on it. */
const streamable =
  (put: (fault: Fault) => object, on?: (transport: StreamableHTTPServerTransport, fault: Fault) => unknown): Driver =>
  async (fault) => {
    const open = async (): Promise<StreamableHTTPServerTransport> => {
      const transport = new StreamableHTTPServerTransport({
        sessionIdGenerator: () => crypto.randomUUID(),
        ...put(fault),
      });
      on?.(transport, fault);
      await echoing().connect(transport);
      return transport;
    };
    let transport = await open();
    const { http, port } = await listen((request, response) => void transport.handleRequest(request, response));
    try {
      const opened = await send({ port }, { body: initialize() });
      await opened.finish();
      const id = opened.headers['mcp-session-id'];
      const headers = { 'mcp-session-id': String(id), 'mcp-protocol-version': HANDSHAKE };
      await (await send({ port }, { body: '{', headers })).finish();
      await (await send({ port }, { body: { jsonrpc: '2.0', id: 7, method: 'tools/list' }, headers })).finish();
      await (await send({ port }, { method: 'DELETE', headers })).finish();
      await fault.called();
      fault.isOn = false;
      transport = await open();
      const session = await openSession({ port });
      const answer = await (await session.call(1, 'echo')).finish();
      expect(answer.text).toContain('still here');
    } finally {
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    }
  };

/** The transport class of the older kind. */
const pair =
  (member: 'onmessage' | 'onerror' | 'onclose'): Driver =>
  async (fault) => {
    const transports = new Map<string, SSEServerTransport>();
    const { http, port } = await listen((request, response) => {
      const url = new URL(request.url ?? '/', 'http://localhost');
      if (request.method === 'POST')
        return void transports.get(url.searchParams.get('sessionId') ?? '')?.handlePostMessage(request, response);
      const transport = new SSEServerTransport('/messages', response);
      transport[member] = fault.in(() => {});
      transports.set(transport.sessionId, transport);
      void echoing().connect(transport);
    });
    const talk = async (): Promise<string> => {
      const stream = await send({ port }, { method: 'GET', path: '/sse' });
      await until(() => stream.frames.length > 0);
      const path = stream.frames[0]?.data ?? '';
      await (await send({ port }, { path, body: initialize('2024-11-05') })).finish();
      await (await send({ port }, { path, body: { jsonrpc: '2.0', method: 'notifications/initialized' } })).finish();
      const call = { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'echo', arguments: {} } };
      await (await send({ port }, { path, body: call })).finish();
      await until(() => stream.text.includes('"id":2'));
      stream.abort();
      return stream.text;
    };
    try {
      await talk();
      for (const transport of transports.values()) transport.onerror?.(new Error('a problem of the transport'));
      await fault.called();
      fault.isOn = false;
      expect(await talk()).toContain('still here');
    } finally {
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    }
  };

/** A server over the streams of a process. */
const stdioServer =
  (member: 'onmessage' | 'onerror' | 'onclose' | 'onbadframe'): Driver =>
  async (fault) => {
    const [stdin, stdout] = [new PassThrough(), new PassThrough()];
    let said = '';
    stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
    const transport = new StdioServerTransport(stdin, stdout);
    // Set after the server has set its own, so that it stands in its place.
    const server = echoing();
    if (member === 'onmessage') transport.onmessage = fault.in(() => {});
    await server.connect(transport);
    if (member !== 'onmessage') {
      const own = transport[member] as ((...args: never[]) => void) | undefined;
      Object.assign(transport, { [member]: fault.in((...args: never[]) => own?.(...args)) });
    }
    // What is told to `onerror` is what `onmessage` throws.
    if (member === 'onerror') transport.onmessage = failing(transport.onmessage, fault);
    const write = (message: object): boolean => stdin.write(`${JSON.stringify(message)}\n`);
    write(initialize());
    stdin.write('no message\n');
    if (member === 'onclose') {
      stdin.end();
      return fault.called();
    }
    await fault.called();
    fault.isOn = false;
    if (member === 'onerror') write(initialize());
    write({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'echo', arguments: {} } });
    await until(() => said.includes('still here'));
    await server.close();
  };

function failing<Run extends ((...args: never[]) => void) | undefined>(run: Run, fault: Fault): Run {
  return ((...args: never[]) => {
    if (fault.isOn) throw new Error('told to onerror');
    run?.(...args);
  }) as Run;
}

const ECHO = fileURLToPath(new URL('../fixtures/guard/stdio-server.mjs', import.meta.url));

/** A client of a process. */
const stdioClient =
  (member: 'onmessage' | 'onerror' | 'onclose' | 'onbadframe'): Driver =>
  async (fault) => {
    const transport = new StdioClientTransport({ command: process.execPath, args: [ECHO], stderr: 'ignore' });
    if (member === 'onmessage' || member === 'onclose') transport[member] = fault.in(() => {});
    const client = new Client({ name: 'c', version: '1' }, { onproblem: () => {} });
    await client.connect(transport);
    if (member === 'onbadframe' || member === 'onerror') {
      const own = transport[member] as ((...args: never[]) => void) | undefined;
      Object.assign(transport, { [member]: fault.in((...args: never[]) => own?.(...args)) });
    }
    if (member === 'onerror') transport.onmessage = failing(transport.onmessage, fault);
    await settled(client.callTool({ name: 'babble', arguments: {} }, { timeout: 300 }));
    if (member === 'onclose') {
      await client.close();
      return fault.called();
    }
    await fault.called();
    fault.isOn = false;
    expect((await client.callTool({ name: 'echo', arguments: {} })).content).toEqual(text('still here').content);
    await client.close();
  };

interface TaskContext {
  readonly taskStore: RequestTaskStore;
  sendRequest(request: object, schema: undefined, options: object): Promise<unknown>;
}

/** A task that is done when it begins. */
async function createDone({ taskStore }: TaskContext): Promise<object> {
  const task = await taskStore.createTask({ pollInterval: 20 });
  await taskStore.storeTaskResult(task.taskId, 'completed', text('done') as never);
  return { task };
}

/** A task that asks its client something and never ends. */
async function createAsking(ctx: TaskContext): Promise<object> {
  const task = await ctx.taskStore.createTask({ pollInterval: 20 });
  const params = { message: '?', requestedSchema: { type: 'object', properties: {} } };
  const relatedTask = { taskId: task.taskId };
  void settled(ctx.sendRequest({ method: 'elicitation/create', params }, undefined, { relatedTask }));
  return { task };
}

/** Tasks that the program keeps itself. */
const stored =
  (
    put: (fault: Fault) => object,
    createTask: (fault: Fault) => (ctx: TaskContext) => Promise<object> = () => createDone,
  ): Driver =>
  async (fault) => {
    const taskStore = new InMemoryTaskStore();
    const server = new OldServer(
      { name: 'classic', version: '1' },
      {
        capabilities: { tools: {}, tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } },
        taskStore,
        taskMessageQueue: new InMemoryTaskMessageQueue(),
        ...put(fault),
      },
    );
    server.registerTool('echo', {}, () => text('still here'));
    server.experimental.tasks.registerToolTask(
      'classic',
      { execution: { taskSupport: 'optional' } } as never,
      { createTask: createTask(fault) } as never,
    );
    server.experimental.tasks.registerToolTask(
      'asking',
      { execution: { taskSupport: 'optional' } } as never,
      { createTask: createAsking } as never,
    );
    const capabilities = { elicitation: {} };
    const linked = { revision: HANDSHAKE, capabilities, onproblem: () => {} };
    const { client, close } = await connectLinked(server as object as McpServer, linked);
    client.setRequestHandler('elicitation/create', () => ({ action: 'decline' }));
    const ask = (method: string, params: object = {}): Promise<void> =>
      settled(client.request({ method, params }, { timeout: 300 }));
    const signal = AbortSignal.timeout(300);
    await settled(client.callTool({ name: 'classic', arguments: {} }, { task: {}, signal }));
    for (const method of ['tasks/get', 'tasks/result', 'tasks/cancel']) await ask(method, { taskId: 'none' });
    await ask('tasks/list');
    // A call that is given up cancels its task.
    const given = { task: {}, signal: AbortSignal.timeout(300) };
    await settled(client.callTool({ name: 'asking', arguments: {} }, given));
    await fault.called();
    fault.isOn = false;
    expect((await client.callTool({ name: 'echo', arguments: {} })).content).toEqual(text('still here').content);
    await close();
  };

const skills =
  (member: keyof SkillSource): Driver =>
  async (fault) => {
    const source: Required<SkillSource> = {
      list: () => ({ skills: [] }),
      get: () => undefined,
      read: () => undefined,
      readDirectory: () => undefined,
      listResources: () => [],
    };
    const server = echoing();
    new SkillsExtension({ source: fault.of(source, member) }).attach(server);
    const { client, close } = await connectLinked(server, { revision: '2026-07-28', onproblem: () => {} });
    const uri = 'skill://one/SKILL.md';
    for (const [method, params] of [
      ['skills/list', {}],
      ['skills/get', { uri }],
      ['resources/read', { uri }],
      ['resources/list', {}],
      ['resources/directory/read', { uri: 'skill://one/' }],
    ] as const)
      await settled(client.request({ method, params }));
    await fault.called();
    fault.isOn = false;
    expect((await client.callTool({ name: 'echo', arguments: {} })).content).toEqual(text('still here').content);
    await close();
  };

const api =
  (put: (fault: Fault) => object): Driver =>
  async (fault) => {
    const running = await startApi();
    try {
      const document = {
        openapi: '3.1.0',
        info: { title: 'A', version: '1' },
        paths: { '/one': { get: { operationId: 'one', responses: { 200: { description: 'ok' } } } } },
      };
      const server = await fromOpenApi(document, { baseUrl: running.url, ...put(fault) });
      running.answer = (_seen, response) => response.destroy();
      const { client, close } = await connectLinked(server, { onproblem: () => {} });
      await settled(client.callTool({ name: 'one', arguments: {} }));
      await fault.called();
      fault.isOn = false;
      running.answer = undefined;
      expect((await client.callTool({ name: 'one', arguments: {} })).isError).not.toBe(true);
      await close();
    } finally {
      await running.close();
    }
  };

class Own extends Protocol<never, never, never> {
  protected assertCapabilityForMethod(): void {}
  protected assertNotificationCapability(): void {}
  protected assertRequestHandlerCapability(): void {}
  protected assertTaskCapability(): void {}
  protected assertTaskHandlerCapability(): void {}
}

/** The protocol class of the older SDK, which programs derive their own from. */
const protocol =
  (put: (own: Own, fault: Fault) => unknown): Driver =>
  async (fault) => {
    const own = new Own();
    const [near, far] = InMemoryTransport.createLinkedPair({ text: true });
    const answers: { id?: number }[] = [];
    far.onmessage = (message) => void answers.push(message as { id?: number });
    put(own, fault);
    await own.connect(near as never);
    await far.start();
    far.send({ jsonrpc: '2.0', id: 1, method: 'own/do' });
    far.send({ jsonrpc: '2.0', method: 'notifications/own' });
    far.send({ neither: true } as never);
    await until(() => answers.some(({ id }) => id === 1));
    if (fault.calls === 0) await far.close();
    await fault.called();
    fault.isOn = false;
    if (own.transport === undefined) return;
    far.send({ jsonrpc: '2.0', id: 2, method: 'own/do' });
    await until(() => answers.some(({ id }) => id === 2));
    await own.close();
  };

export const FURTHER: Readonly<Record<string, Driver>> = {
  'protocol fallbackRequestHandler': protocol(
    (own, fault) => (own.fallbackRequestHandler = fault.in(async () => ({})) as never),
  ),
  'protocol fallbackNotificationHandler': protocol(
    (own, fault) => (own.fallbackNotificationHandler = fault.in(async () => {})),
  ),
  'protocol requestHandler': protocol((own, fault) =>
    own.setRequestHandler(z.object({ method: z.literal('own/do') }), fault.in(async () => ({})) as never),
  ),
  'protocol notificationHandler': protocol((own, fault) => {
    own.fallbackRequestHandler = async () => ({}) as never;
    own.setNotificationHandler(z.object({ method: z.literal('notifications/own') }), fault.in(() => {}) as never);
  }),
  'protocol onerror': protocol((own, fault) => (own.onerror = fault.in(() => {}))),
  'protocol onclose': protocol((own, fault) => (own.onclose = fault.in(() => {}))),
  sessionIdGenerator: streamable((fault) => ({ sessionIdGenerator: fault.in(() => crypto.randomUUID()) })),
  onsessioninitialized: streamable((fault) => ({ onsessioninitialized: fault.in(() => {}) })),
  onsessionclosed: streamable((fault) => ({ onsessionclosed: fault.in(() => {}) })),
  'streamable onmessage': streamable(
    () => ({}),
    (transport, fault) => (transport.onmessage = fault.in(() => {})),
  ),
  'streamable onclose': streamable(
    () => ({}),
    (transport, fault) => (transport.onclose = fault.in(() => {})),
  ),
  'pair onmessage': pair('onmessage'),
  'pair onerror': pair('onerror'),
  'pair onclose': pair('onclose'),
  ...Object.fromEntries(
    (['onmessage', 'onerror', 'onclose', 'onbadframe'] as const).flatMap((member) => [
      [`stdio server ${member}`, stdioServer(member)],
      [`stdio client ${member}`, stdioClient(member)],
    ]),
  ),
  ...Object.fromEntries(
    ['createTask', 'getTask', 'getTaskResult', 'listTasks', 'storeTaskResult', 'updateTaskStatus'].map((member) => [
      `taskStore.${member}`,
      stored((fault) => ({ taskStore: fault.of(new InMemoryTaskStore(), member) })),
    ]),
  ),
  ...Object.fromEntries(
    ['dequeueAll', 'enqueue'].map((member) => [
      `taskQueue.${member}`,
      stored((fault) => ({ taskMessageQueue: fault.of(new InMemoryTaskMessageQueue(), member) })),
    ]),
  ),
  'toolTask createTask': stored(
    () => ({}),
    (fault) => fault.in(createDone),
  ),
  ...Object.fromEntries(
    (['list', 'get', 'read', 'readDirectory', 'listResources'] as const).map((member) => [
      `skills.${member}`,
      skills(member),
    ]),
  ),
  'openapi fetch': api((fault) => ({ fetch: fault.in((url: string | URL, init?: RequestInit) => fetch(url, init)) })),
  'openapi headers': api((fault) => ({ headers: fault.in(() => ({})) })),
  'openapi onproblem': api((fault) => ({ onproblem: fault.in(() => {}) })),
  telemetry: async (fault) => {
    const server = echoing();
    server.use(telemetry({ only: fault.in(() => true) }));
    const connect = () => connectLinked(server, { revision: HANDSHAKE, onproblem: () => {} });
    await settled(connect());
    await fault.called();
    fault.isOn = false;
    const { client, close } = await connect();
    expect((await client.callTool({ name: 'echo', arguments: {} })).content).toEqual(text('still here').content);
    await close();
  },
  onevent: async (fault) => {
    const server = new McpServer({ name: 't', version: '1' });
    server.use(tasks({ onevent: fault.in(() => {}) }));
    server.registerTool('task', { task: { support: 'optional', pollIntervalMs: 1 } }, async () => text('still here'));
    const { client, close } = await connectLinked(server, { revision: '2026-07-28' });
    const { content } = await client.callTool({ name: 'task', arguments: {} });
    expect(content).toEqual(text('still here').content);
    await fault.called();
    await close();
  },
  immediateResponse: async (fault) => {
    const server = echoing();
    server.use(tasks());
    server.registerTool(
      'task',
      { task: { support: 'optional', pollIntervalMs: 1, immediateResponse: fault.in(() => 'soon') } },
      async () => text('x'),
    );
    const { client, close } = await connectLinked(server, { revision: HANDSHAKE, onproblem: () => {} });
    await settled(client.callTool({ name: 'task', arguments: {} }, { task: {} }));
    await fault.called();
    fault.isOn = false;
    expect((await client.callTool({ name: 'echo', arguments: {} })).content).toEqual(text('still here').content);
    await close();
  },
  'store listener': async (fault) => {
    const store = memoryStore();
    const heard: unknown[] = [];
    await store.subscribe(
      'c',
      fault.in(() => {}),
    );
    await store.subscribe('c', (message) => void heard.push(message));
    await store.publish('c', 'm');
    await fault.called();
    await until(() => heard.length === 1);
    await store.close();
  },
  onlost: async (fault) => {
    const store = memoryStore();
    const lease = await acquireLease(store, 'k', { ttlMs: 60_000, holder: 'me', onlost: fault.in(() => {}) } as never);
    await store.delete('k');
    await settled(Promise.resolve(lease?.renew()));
    await fault.called();
    await store.close();
  },
};
