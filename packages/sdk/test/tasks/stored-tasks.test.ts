import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { ProtocolError } from 'crosspoint';
import { text, type ServerContext } from 'crosspoint/server';
import { InMemoryTaskMessageQueue, InMemoryTaskStore, type TaskStore } from '../../src/experimental/tasks/index.ts';
import { toArrayAsync } from '../../src/shared/responseMessage.ts';
import { ElicitRequestSchema, EmptyResultSchema, McpError } from '../../src/types.ts';
import { Client } from '../../src/client/index.ts';
import { InMemoryTransport } from '../../src/inMemory.ts';
import { Server } from '../../src/server/index.ts';
import { proves } from '../../../crosspoint/test/requirements/proves.ts';
import { McpServer } from '../../src/server/mcp.ts';
import { auth, gate, quiet, stateless, Wire, type Gate } from '../../../crosspoint/test/server/wire.ts';
import {
  beginCore,
  beginExtension,
  core,
  declared,
  ended,
  get,
  RELATED,
  until,
} from '../../../crosspoint/test/tasks/bench.ts';

/** The servers here are of the package as it is built, the wire is of the sources: the same shape, and two types. */
const open = (server: object, capabilities = {}): Promise<Wire> => Wire.open(server as never, capabilities);

const info = { name: 'classic', version: '1.0' };
const capabilities = { tools: {}, tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } };

/** A tool in the official SDK's way: it makes the task, goes on by itself and stores the result. */
function classic(server: McpServer, work: Gate<object | Error>): void {
  server.experimental.tasks.registerToolTask(
    'classic',
    { inputSchema: { n: z.number() }, execution: { taskSupport: 'optional' } },
    {
      async createTask({ n }, ctx) {
        const task = await ctx.taskStore.createTask({ ttl: ctx.taskRequestedTtl ?? null, pollInterval: 20 });
        void work.promise.then((value) =>
          value instanceof Error
            ? ctx.taskStore.updateTaskStatus(task.taskId, 'failed', value.message)
            : ctx.taskStore.storeTaskResult(task.taskId, 'completed', { ...text(`${n} done`), ...value }),
        );
        return { task };
      },
    },
  );
}

describe('registerToolTask', () => {
  test('makes a core task, which is found, waited for and told of', async () => {
    const server = new McpServer(info);
    const work = gate<object>();
    classic(server, work);
    const wire = await open(server);
    const task = await beginCore(wire, 'classic', { n: 3 }, { ttl: 9000 });
    expect(task).toMatchObject({ status: 'working', ttl: 9000, pollInterval: 20 });
    const result = wire.result('tasks/result', { taskId: task.taskId }, core);
    await quiet();
    work.open({});
    expect(await result).toEqual({ ...text('3 done'), _meta: { [RELATED]: { taskId: task.taskId } } });
    expect((await wire.notification('notifications/tasks/status')).params).toMatchObject({ status: 'completed' });
    expect(await get(wire, task.taskId, core)).toMatchObject({ status: 'completed' });
    expect((await wire.error('tasks/cancel', { taskId: task.taskId }, core)).code).toBe(-32602);
  });

  test('makes a task of the extension, and waits in a plain call', async () => {
    const server = new McpServer(info);
    const work = gate<object>();
    classic(server, work);
    const wire = await open(server, declared);
    const { taskId, resultType } = await beginExtension(wire, 'classic', { n: 4 });
    expect(resultType).toBe('task');
    const plain = wire.call('classic', { n: 5 }, core);
    await quiet();
    work.open({ isError: true });
    expect((await plain).content).toEqual(text('5 done').content);
    const task = await until(wire, taskId, ended);
    expect(task).toMatchObject({ status: 'completed', result: { ...text('4 done'), isError: true } });
  });

  test('a task that failed without a result is an error in its own words', async () => {
    const server = new McpServer(info);
    const work = gate<object | Error>();
    classic(server, work);
    const wire = await open(server, declared);
    const { taskId } = await beginCore(wire, 'classic', { n: 1 });
    work.open(new Error('No paper'));
    expect(await wire.error('tasks/result', { taskId }, core)).toMatchObject({ code: -32603, message: 'No paper' });
    expect(await get(wire, taskId)).toMatchObject({ status: 'failed', error: { message: 'No paper' } });
  });

  test('can be cancelled, stays so, and belongs to its caller', async () => {
    const server = new McpServer(info);
    const work = gate<object>();
    classic(server, work);
    const wire = await open(server);
    const ada = { authInfo: auth('ada') };
    const { taskId } = await beginCore(wire, 'classic', { n: 1 }, ada);
    expect((await wire.error('tasks/get', { taskId }, core, { authInfo: auth('eve') })).code).toBe(-32602);
    expect((await wire.error('tasks/get', { taskId }, core)).code).toBe(-32602);
    expect(await wire.result('tasks/cancel', { taskId }, core, ada)).toMatchObject({ status: 'cancelled' });
    await expect(new InMemoryTaskStore().updateTaskStatus(taskId, 'working')).rejects.toThrow('not found');
    expect((await get(wire, taskId, core, ada)).status).toBe('cancelled');
  });

  test('belongs to its caller where callers share one connection', async () => {
    const server = new McpServer(info, { taskStore: new InMemoryTaskStore(), capabilities });
    classic(server, gate<object>());
    const wire = await open(server, declared);
    const ada = { authInfo: auth('ada') };
    const { taskId } = await wire.call('classic', { n: 1 }, stateless, ada);
    expect((await wire.error('tasks/get', { taskId }, stateless, { authInfo: auth('bob') })).code).toBe(-32602);
    expect(await wire.result('tasks/get', { taskId }, stateless, ada)).toMatchObject({ taskId });
  });

  test('stands beside tools that simply run as tasks; a list shows both', async () => {
    const server = new McpServer(info, { tasks: { list: true } });
    classic(server, gate<object>());
    server.registerTool('simple', { task: 'optional' }, () => text('simple'));
    const wire = await open(server);
    const ids = [(await beginCore(wire, 'simple')).taskId, (await beginCore(wire, 'classic', { n: 1 })).taskId];
    const { tasks } = await wire.result('tasks/list', {}, core);
    expect(tasks.map((task: any) => task.taskId)).toEqual(ids);
    expect((await wire.error('tasks/list', { cursor: 'x' }, core)).code).toBe(-32602);
    expect((await wire.result('tasks/result', { taskId: ids[0] }, core)).content).toEqual(text('simple').content);
  });

  test('arguments that do not fit make no task', async () => {
    const server = new McpServer(info);
    classic(server, gate<object>());
    const wire = await open(server);
    const result = await wire.result('tools/call', { name: 'classic', arguments: {}, task: {} }, core);
    expect(result).toMatchObject({ isError: true });
    expect(result).not.toHaveProperty('task');
  });
});

describe('a server that speaks the protocol by hand', () => {
  function byHand(taskStore: TaskStore = new InMemoryTaskStore()): Server {
    const server = new Server(info, { capabilities, taskStore, taskMessageQueue: new InMemoryTaskMessageQueue() });
    server.setRequestHandler('tools/call', async (request: any, ctx: ServerContext) => {
      if (request.params.task === undefined || ctx.taskStore === undefined) return text('plain');
      const task = await ctx.taskStore.createTask({ ttl: ctx.taskRequestedTtl ?? null });
      void (async () => {
        const ask = {
          method: 'elicitation/create',
          params: { message: 'Who?', requestedSchema: { type: 'object', properties: {} } },
        };
        const answer = await ctx.sendRequest(ask, undefined, { relatedTask: { taskId: task.taskId } });
        await ctx.taskStore?.storeTaskResult(task.taskId, 'completed', text(JSON.stringify(answer['action'])));
      })();
      return { task };
    });
    return server;
  }

  test('answers with a task of its own, whose questions come with tasks/result', async () => {
    const wire = await open(byHand(), { elicitation: {} });
    wire.onrequest = () => ({ action: 'accept', content: {} });
    const task = await beginCore(wire, 'any', {}, { ttl: 7000 });
    expect(task).toMatchObject({ status: 'working', ttl: 7000 });
    const result = await wire.result('tasks/result', { taskId: task.taskId }, core);
    expect(result).toEqual({ ...text('"accept"'), _meta: { [RELATED]: { taskId: task.taskId } } });
    expect(wire.asked[0]?.params?._meta).toEqual({ [RELATED]: { taskId: task.taskId } });
  });

  test('may answer for its tasks all by itself', async () => {
    const server = new Server(info, { capabilities });
    const at = '2026-01-01T00:00:00.000Z';
    const task = { taskId: 'own', status: 'working', createdAt: at, lastUpdatedAt: at, ttl: null };
    server.setRequestHandler('tools/call', () => ({ task }));
    server.setRequestHandler('tasks/get', ({ params }: any) => ({ ...task, taskId: params.taskId, status: 'failed' }));
    server.setRequestHandler('tasks/result', () => {
      throw new ProtocolError('internal', 'Broken');
    });
    const wire = await open(server);
    expect(await wire.result('tools/call', { name: 'x', task: {} }, core)).toEqual({ task });
    expect(await wire.result('tasks/get', { taskId: 'own' }, core)).toEqual({ ...task, status: 'failed' });
    expect((await wire.error('tasks/result', { taskId: 'own' }, core)).message).toBe('Broken');
  });

  test('may answer a stateless client with a task, too', async () => {
    const server = new Server(info, { capabilities: { tools: {} } });
    const at = '2026-01-01T00:00:00.000Z';
    const task = { taskId: 'own', status: 'working', createdAt: at, lastUpdatedAt: at, ttlMs: null };
    server.setRequestHandler('tools/call', () => ({ resultType: 'task', ...task }));
    const { _meta, ...result } = await (await open(server, declared)).call('x', {}, stateless);
    expect(result).toEqual({ resultType: 'task', ...task });
  });
});

describe('requests that become tasks of the client', () => {
  test('are followed to their result', async () => {
    const server = new Server(info, { capabilities });
    const wire = await open(server, { sampling: {}, tasks: { requests: { sampling: { createMessage: {} } } } });
    await wire.handshake(core);
    const at = '2026-01-01T00:00:00.000Z';
    const task = { taskId: 'theirs', status: 'working', createdAt: at, lastUpdatedAt: at, ttl: 1000, pollInterval: 1 };
    const answers: Record<string, object> = {
      'sampling/createMessage': { task },
      'tasks/get': { ...task, status: 'completed' },
      'tasks/result': { role: 'assistant', content: { type: 'text', text: 'Hi' }, model: 'm' },
      'tasks/list': { tasks: [task] },
      'tasks/cancel': { ...task, status: 'cancelled' },
    };
    wire.onrequest = ({ method }) => answers[String(method)] as any;
    const { tasks } = server.experimental;
    const seen: string[] = [];
    const params = { messages: [], maxTokens: 5 };
    for await (const message of tasks.createMessageStream(params, { task: { ttl: 1000 } })) {
      seen.push(message.type);
      if (message.type === 'result') expect(message.result).toMatchObject({ model: 'm' });
    }
    expect(seen).toEqual(['taskCreated', 'taskStatus', 'result']);
    expect(wire.asked[0]?.params).toMatchObject({ task: { ttl: 1000 } });
    expect((await tasks.listTasks()).tasks).toEqual([task]);
    expect((await tasks.cancelTask('theirs')).status).toBe('cancelled');
    answers['sampling/createMessage'] = answers['tasks/result'] as object;
    const plain: string[] = [];
    for await (const { type } of tasks.createMessageStream(params)) plain.push(type);
    expect(plain).toEqual(['result']);
  });

  test('that fail end with the error', async () => {
    const { tasks } = new Server(info, { capabilities }).experimental;
    const messages = await toArrayAsync(tasks.requestStream({ method: 'ping' }, EmptyResultSchema));
    expect(messages).toEqual([{ type: 'error', error: expect.any(McpError) }]);
  });

  proves('L-TASKS-012').test('are answered plainly by a client that has not declared them', async () => {
    const client = new Client(info, { capabilities: { elicitation: {} }, taskStore: new InMemoryTaskStore() });
    const wishes: unknown[] = [];
    client.setRequestHandler(ElicitRequestSchema, (request, extra) => {
      wishes.push(request.params.task, extra.taskRequestedTtl);
      return { action: 'decline' };
    });
    const server = new Server(info, { capabilities });
    const [near, far] = InMemoryTransport.createLinkedPair();
    await Promise.all([server.connect(near), client.connect(far)]);
    const params = { mode: 'form', message: 'Who?', requestedSchema: { type: 'object', properties: {} } };
    const answer = await server.request({ method: 'elicitation/create', params }, undefined, { task: { ttl: 1000 } });
    expect([answer, ...wishes]).toEqual([{ action: 'decline' }, undefined, undefined]);
    await client.close();
  });

  test('that the client has not declared are refused at once', async () => {
    const server = new Server(info, { capabilities });
    const wire = await open(server, { sampling: {} });
    await wire.handshake(core);
    const { tasks } = server.experimental;
    const question = { message: 'Who?', requestedSchema: { type: 'object' as const, properties: {} } };
    expect(() => tasks.elicitInputStream(question)).toThrow('Client does not support form elicitation.');
    const tools = [{ name: 'x', inputSchema: { type: 'object' as const } }];
    expect(() => tasks.createMessageStream({ messages: [], maxTokens: 1, tools })).toThrow('sampling tools');
  });
});
