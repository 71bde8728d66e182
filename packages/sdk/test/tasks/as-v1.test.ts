/** Small programs with tasks, run with the official SDK and with ours: each sees the same. */
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import * as official from '@modelcontextprotocol/sdk/experimental/tasks';
import { Client as OfficialClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OfficialHttpClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { InMemoryTransport as OfficialTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { Server as OfficialServer } from '@modelcontextprotocol/sdk/server/index.js';
import { McpServer as OfficialMcpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport as OfficialHttpServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { Protocol as OfficialProtocol } from '@modelcontextprotocol/sdk/shared/protocol.js';
import * as officialTypes from '@modelcontextprotocol/sdk/types.js';
import { Client } from '../../src/client/index.ts';
import { StreamableHTTPClientTransport } from '../../src/client/streamableHttp.ts';
import * as ours from '../../src/experimental/tasks/index.ts';
import { InMemoryTransport } from '../../src/inMemory.ts';
import { Server } from '../../src/server/index.ts';
import { McpServer } from '../../src/server/mcp.ts';
import { StreamableHTTPServerTransport } from '../../src/server/streamableHttp.ts';
import { Protocol } from '../../src/shared/protocol.ts';
import { listen } from '../listening.ts';
import * as ourTypes from '../../src/types.ts';

/** One of the packages. Programs are written for the official one, so both have its types here. */
interface Package {
  tasks: any;
  Client: any;
  InMemoryTransport: any;
  Server: any;
  McpServer: any;
  Protocol: any;
  HttpServerTransport: any;
  HttpClientTransport: any;
  types: typeof officialTypes;
}
type Program = (sdk: Package, say: (...seen: unknown[]) => void) => Promise<void>;

const packages: Package[] = [
  {
    tasks: official,
    Client: OfficialClient,
    InMemoryTransport: OfficialTransport,
    Server: OfficialServer,
    McpServer: OfficialMcpServer,
    Protocol: OfficialProtocol,
    HttpServerTransport: OfficialHttpServerTransport,
    HttpClientTransport: OfficialHttpClientTransport,
    types: officialTypes,
  },
  {
    tasks: ours,
    Client,
    InMemoryTransport,
    Server,
    McpServer,
    Protocol,
    HttpServerTransport: StreamableHTTPServerTransport,
    HttpClientTransport: StreamableHTTPClientTransport,
    types: ourTypes as object as typeof officialTypes,
  },
];

/** The observations of a program, as text: ids and times differ from run to run. */
async function seenBy(sdk: Package, program: Program): Promise<string[]> {
  const ids = new Map<string, string>();
  const seen: string[] = [];
  const name = (id: string): string => {
    if (!ids.has(id)) ids.set(id, `<id ${ids.size}>`);
    return ids.get(id) ?? '';
  };
  await program(sdk, (...values) =>
    seen.push(
      JSON.stringify(values.map((value) => (value instanceof Error ? value.message : value)))
        .replace(/\b[\da-f]{32}\b/g, name)
        // Ours does not repeat the number that begins a message.
        .replace(/(MCP error -\d+: )\1/g, '$1')
        .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>'),
    ),
  );
  return seen;
}

const info = { name: 'x', version: '1' };
const caught = (promise: Promise<unknown>): Promise<unknown> =>
  promise.catch((error: { code?: unknown; message: string }) => ({ code: error.code, message: error.message }));
const pair = async (sdk: Package, server: any, client: any): Promise<void> => {
  const [near, far] = sdk.InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(near), client.connect(far)]);
};

const done = (text: string): object => ({ content: [{ type: 'text', text }] });

/** A server whose tool `work` makes its tasks itself, and asks where the arguments say so. */
function working(sdk: Package, more: object = {}): { server: any; taskStore: any } {
  const taskStore = new sdk.tasks.InMemoryTaskStore();
  const server = new sdk.McpServer(info, {
    capabilities: { tools: {}, tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } },
    taskStore,
    taskMessageQueue: new sdk.tasks.InMemoryTaskMessageQueue(),
    ...more,
  });
  server.experimental.tasks.registerToolTask(
    'work',
    { inputSchema: { ask: z.string().optional(), fail: z.boolean().optional() } },
    {
      async createTask({ ask, fail }: any, extra: any) {
        const task = await extra.taskStore.createTask({ ttl: extra.taskRequestedTtl, pollInterval: 20 });
        const params = { message: 'Who?', requestedSchema: { type: 'object', properties: {} } };
        const question = { method: 'elicitation/create', params };
        const related = ask === 'related' ? { relatedTask: { taskId: task.taskId } } : {};
        void (async () => {
          if (ask !== 'at once') await new Promise((resolve) => setTimeout(resolve, 40));
          const answer = ask && (await extra.sendRequest(question, sdk.types.ElicitResultSchema, related));
          const status = fail ? 'failed' : 'completed';
          await extra.taskStore.storeTaskResult(task.taskId, status, done(answer?.action ?? 'done'));
        })().catch(() => {});
        return { task };
      },
      getTask: async (_args: unknown, { taskId, taskStore: store }: any) => store.getTask(taskId),
      getTaskResult: async (_args: unknown, { taskId, taskStore: store }: any) => store.getTaskResult(taskId),
    },
  );
  return { server, taskStore };
}

const programs: Record<string, Program> = {
  'client.request with a task resolves with the task, which is followed by hand': async (sdk, say) => {
    const { server, taskStore } = working(sdk);
    const client = new sdk.Client(info);
    const told: string[] = [];
    client.setNotificationHandler(
      sdk.types.TaskStatusNotificationSchema,
      ({ params }: any) => void told.push(params.status),
    );
    await pair(sdk, server, client);
    const call = (args: object, options?: object): Promise<any> =>
      client.request(
        { method: 'tools/call', params: { name: 'work', arguments: args } },
        sdk.types.CreateTaskResultSchema,
        options,
      );
    say('capabilities', client.getServerCapabilities().tasks);
    say(
      'tools',
      (await client.listTools()).tools.map(({ execution }: any) => execution),
    );
    const { task } = await call({}, { task: { ttl: 5000 } });
    const { taskId } = task;
    const { tasks } = client.experimental;
    say('made', task);
    say('result', await tasks.getTaskResult(taskId, sdk.types.CallToolResultSchema));
    say('told', told);
    say('got', await tasks.getTask(taskId));
    say('listed', await tasks.listTasks());
    say('cancelled', await caught(tasks.cancelTask(taskId)));
    const { task: second } = await call({}, { task: {} });
    say('cancelled', await tasks.cancelTask(second.taskId));
    say('unknown', await caught(tasks.getTask('nothing')), await caught(tasks.getTaskResult('nothing')));
    say('bad cursor', await caught(tasks.listTasks('nothing')));
    await client.close();
    taskStore.cleanup();
  },

  'callToolStream yields the same steps': async (sdk, say) => {
    const { server, taskStore } = working(sdk);
    const client = new sdk.Client(info, { capabilities: { elicitation: {} } });
    client.setRequestHandler(sdk.types.ElicitRequestSchema, (request: any) => {
      say('asked', request.params._meta);
      return { action: 'decline' };
    });
    await pair(sdk, server, client);
    await client.listTools();
    for (const args of [{}, { fail: true }, { ask: 'related' }, { ask: 'later' }, { ask: 'at once' }]) {
      const steps = [];
      for await (const step of client.experimental.tasks.callToolStream({ name: 'work', arguments: args }))
        steps.push(step);
      say(args, [...new Set(steps.map(({ type }: any) => type))], steps.at(-1).result ?? steps.at(-1).error.code);
    }
    await client.close();
    taskStore.cleanup();
  },

  'questions of a task come with tasks/result over HTTP, to the session that made it': async (sdk, say) => {
    const taskStore = new sdk.tasks.InMemoryTaskStore();
    const taskMessageQueue = new sdk.tasks.InMemoryTaskMessageQueue();
    const sessions = new Map<string, any>();
    const http = await listen((request, response) => {
      const id = request.headers['mcp-session-id'] as string | undefined;
      void (async () => {
        let transport = id === undefined ? undefined : sessions.get(id);
        if (transport === undefined) {
          const onsessioninitialized = (made: string): unknown => sessions.set(made, transport);
          transport = new sdk.HttpServerTransport({ sessionIdGenerator: () => randomUUID(), onsessioninitialized });
          await working(sdk, { taskStore, taskMessageQueue }).server.connect(transport);
        }
        await transport.handleRequest(request, response);
      })();
    });
    const url = new URL(`${http.url}/mcp`);
    const client = new sdk.Client(info, { capabilities: { elicitation: {} } });
    client.setRequestHandler(sdk.types.ElicitRequestSchema, (request: any) => {
      say('asked', request.params._meta);
      return { action: 'decline' };
    });
    await client.connect(new sdk.HttpClientTransport(url));
    const params = { name: 'work', arguments: { ask: 'related' }, task: { ttl: 5000 } };
    const { task } = await client.request({ method: 'tools/call', params }, sdk.types.CreateTaskResultSchema);
    const { tasks } = client.experimental;
    say('result', await tasks.getTaskResult(task.taskId, sdk.types.CallToolResultSchema));
    say('status', (await tasks.getTask(task.taskId)).status, (await tasks.listTasks()).tasks.length);
    const steps = [];
    const call = { name: 'work', arguments: { ask: 'related' } };
    for await (const step of tasks.callToolStream(call, undefined, { task: {} })) steps.push(step.type);
    say('steps', [...new Set(steps)]);
    await client.close();
    await Promise.all([...sessions.values()].map((transport) => transport.close()));
    await http.close();
    taskStore.cleanup();
  },

  'a client keeps the tasks that its server asks for': async (sdk, say) => {
    const taskStore = new sdk.tasks.InMemoryTaskStore();
    const tasks = { requests: { elicitation: { create: {} }, sampling: { createMessage: {} } } };
    const client = new sdk.Client(info, { capabilities: { elicitation: {}, sampling: {}, tasks }, taskStore });
    client.setRequestHandler(sdk.types.ElicitRequestSchema, async (request: any, extra: any) => {
      say('wish', request.params.task, extra.taskRequestedTtl, extra.taskId, extra.taskStore !== undefined);
      if (!request.params.task) return { action: 'decline' };
      const task = await extra.taskStore.createTask({ ttl: extra.taskRequestedTtl, pollInterval: 20 });
      setTimeout(() => void extra.taskStore.storeTaskResult(task.taskId, 'completed', { action: 'cancel' }), 40);
      return { task };
    });
    client.setRequestHandler(sdk.types.CreateMessageRequestSchema, () => ({
      role: 'assistant',
      model: 'm',
      content: { type: 'text', text: 'no task' },
    }));
    const server = new sdk.Server(info, { capabilities: {} });
    await pair(sdk, server, client);
    const params = { mode: 'form', message: 'Who?', requestedSchema: { type: 'object', properties: {} } };
    const ask = { method: 'elicitation/create', params };
    say('plain', await server.request(ask, sdk.types.ElicitResultSchema));
    const { task } = await server.request(ask, sdk.types.CreateTaskResultSchema, { task: { ttl: 5000 } });
    const of = server.experimental.tasks;
    say('made', task, await of.getTask(task.taskId));
    say('result', await of.getTaskResult(task.taskId, sdk.types.ElicitResultSchema));
    say('listed', await of.listTasks(), await caught(of.cancelTask(task.taskId)));
    say(
      'stream',
      (await sdk.tasks.toArrayAsync(of.elicitInputStream(params, { task: {} }))).map(({ type }: any) => type),
    );
    const message = { messages: [], maxTokens: 1 };
    const [last] = (await sdk.tasks.toArrayAsync(of.createMessageStream(message, { task: {} }))).slice(-1);
    say('no task', last.type, last.error.code);
    await client.close();
    taskStore.cleanup();
  },

  'a Protocol keeps tasks, queues what belongs to them and reports the progress of others': async (sdk, say) => {
    class Own extends sdk.Protocol {
      protected assertCapabilityForMethod(): void {}
      protected assertNotificationCapability(): void {}
      protected assertRequestHandlerCapability(): void {}
      protected assertTaskCapability(): void {}
      protected assertTaskHandlerCapability(): void {}
      stream(...args: unknown[]): AsyncGenerator<any> {
        return this['requestStream'](...args);
      }
    }
    const taskStore = new sdk.tasks.InMemoryTaskStore();
    const taskMessageQueue = new sdk.tasks.InMemoryTaskMessageQueue();
    const near: any = Reflect.construct(Own, [{ taskStore, taskMessageQueue, maxTaskQueueSize: 2 }]);
    const far: any = new Own();
    const Work = z.object({ method: z.literal('work'), params: z.looseObject({}).optional() });
    const Ask = z.object({ method: z.literal('ask'), params: z.looseObject({}).optional() });
    const Told = z.object({ method: z.literal('told'), params: z.looseObject({}).optional() });
    near.setRequestHandler(Work, async (request: any, extra: any) => {
      const task = await extra.taskStore.createTask({ ttl: extra.taskRequestedTtl, pollInterval: 20 });
      const relatedTask = { taskId: task.taskId };
      void (async () => {
        await extra.sendNotification({
          method: 'notifications/progress',
          params: { progressToken: extra._meta?.progressToken ?? 0, progress: 1 },
        });
        await new Promise((resolve) => setTimeout(resolve, 30));
        await near.notification({ method: 'told', params: { n: 1 } }, { relatedTask });
        const answer = await extra.sendRequest({ method: 'ask' }, z.looseObject({}), { relatedTask });
        say('answered', answer);
        await extra.sendNotification({
          method: 'notifications/progress',
          params: { progressToken: extra._meta?.progressToken ?? 0, progress: 2 },
        });
        await extra.taskStore.storeTaskResult(task.taskId, 'completed', { value: 7 });
      })();
      return { task };
    });
    far.setRequestHandler(Ask, (request: any) => {
      say('asked', request.params);
      return { yes: true };
    });
    far.setNotificationHandler(Told, ({ params }: any) => say('told', params));
    await pair(sdk, near, far);
    const progress: unknown[] = [];
    const steps = [];
    const options = { task: { ttl: 5000 }, onprogress: (value: unknown) => progress.push(value) };
    for await (const step of far.stream({ method: 'work' }, z.looseObject({}), options)) steps.push(step);
    say('kinds', [...new Set(steps.map(({ type }: any) => type))], steps.at(-1).result, progress);
    const related = { relatedTask: { taskId: 'full' } };
    for (let count = 0; count < 2; count += 1) await near.notification({ method: 'told' }, related);
    say(
      'full',
      await caught(near.notification({ method: 'told' }, related)),
      await taskMessageQueue.dequeueAll('full').then((all: any[]) => all.map(({ message }) => message)),
    );
    say(
      'no queue',
      await caught(far.notification({ method: 'told' }, related)),
      await caught(far.request({ method: 'ask' }, z.any(), related)),
    );
    const { taskId } = await taskStore.createTask({}, 1, { method: 'work' });
    const asked = caught(near.request({ method: 'ask' }, z.any(), { relatedTask: { taskId } }));
    await new Promise((resolve) => setTimeout(resolve, 5));
    say('cancelled', await far.request({ method: 'tasks/cancel', params: { taskId } }, z.looseObject({})), await asked);
    await near.close();
    taskStore.cleanup();
  },
};

describe('tasks of v1', () => {
  test.each(Object.entries(programs))('%s', async (_name, program) => {
    const [expected, found] = [
      await seenBy(packages[0] as Package, program),
      await seenBy(packages[1] as Package, program),
    ];
    expect(expected.length).toBeGreaterThan(3);
    expect(found).toEqual(expected);
  });
});
