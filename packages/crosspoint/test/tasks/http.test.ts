import { afterEach, describe, expect, test } from 'vitest';
import { closeAll, HANDSHAKE, META, openSession, send, serve, stateless, until, type Answer } from '../http/serving.ts';
import { text } from '../../src/server/index.ts';
import { proves } from '../requirements/proves.ts';
import { Bench, declared } from './bench.ts';

afterEach(closeAll);

const meta = META(declared);
const post = (method: string, params: Record<string, unknown>, name?: string): ReturnType<typeof stateless> =>
  stateless(method, params, { meta, ...(name !== undefined && { headers: { 'mcp-name': name } }) });

const message = async (answer: Answer): Promise<any> => {
  if (answer.headers['content-type'] === 'application/json') return answer.json();
  await answer.finish();
  return answer.messages.at(-1);
};

describe('tasks of the extension over HTTP', () => {
  proves('M-TASK-043').test('Mcp-Name must say which task is meant', async () => {
    const bench = new Bench();
    const at = await serve({}, {}, bench.server);
    const begun = await (await send(at, post('tools/call', { name: 'slow', arguments: { key: 'a' } }))).json();
    const { taskId } = begun.result as any;
    for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
      for (const name of ['another', undefined]) {
        const refused = await send(at, post(method, { taskId, inputResponses: {} }, name));
        expect(refused.status).toBe(400);
        expect(await refused.json()).toMatchObject({ error: { code: -32020 } });
      }
    }
    const task: any = await (await send(at, post('tasks/get', { taskId }, taskId))).json();
    expect(task.result).toMatchObject({ taskId, status: 'working' });
  });

  proves('M-TASK-046').test('a client that did not declare the extension is refused with 400', async () => {
    const at = await serve({}, {}, new Bench().server);
    const answer = await send(at, stateless('tasks/get', { taskId: 'x' }, { headers: { 'mcp-name': 'x' } }));
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ error: { code: -32021 } });
  });

  test('the task goes on when the connection that began it is gone, and is heard of on a stream', async () => {
    const bench = new Bench();
    const at = await serve({}, {}, bench.server);
    const begun = await (await send(at, post('tools/call', { name: 'slow', arguments: { key: 'a' } }))).json();
    const { taskId } = begun.result as any;
    const stream = await send(at, post('subscriptions/listen', { notifications: { taskIds: [taskId] } }));
    await until(() => stream.messages.some(({ method }) => method === 'notifications/tasks'));
    bench.gate('a').open('streamed');
    const last = (): any => stream.messages.at(-1)?.params;
    await until(() => last()?.status === 'completed');
    expect(last().result.content).toEqual(text('slow a streamed').content);
    stream.abort();
  });
});

describe('core tasks over HTTP', () => {
  proves('L-TASKS-027').test('tasks/get is answered with JSON, not with a stream', async () => {
    const at = await serve({}, {}, new Bench().server);
    const session = await openSession(at, HANDSHAKE, { elicitation: {} });
    const params = { name: 'slow', arguments: { key: 'a' }, task: {} };
    const begun = await message(await session.post({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }));
    const { taskId } = begun.result.task;
    const answer = await session.post({ jsonrpc: '2.0', id: 2, method: 'tasks/get', params: { taskId } });
    expect(answer.headers['content-type']).toBe('application/json');
    expect((await answer.json()).result).toMatchObject({ taskId, status: 'working' });
  });

  proves('L-TASKS-024, L-TASKS-025').test(
    'a client may drop the stream of tasks/result and ask again; its questions come on the new one',
    async () => {
      const at = await serve({}, {}, new Bench().server);
      const session = await openSession(at, HANDSHAKE, { elicitation: {} });
      const begin = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'asks', task: {} } };
      const { taskId } = (await message(await session.post(begin))).result.task;
      const first = await session.post({ jsonrpc: '2.0', id: 2, method: 'tasks/result', params: { taskId } });
      await until(() => first.messages.some(({ method }) => method === 'elicitation/create'));
      first.abort();
      await session.post({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 2 } });
      const second = await session.post({ jsonrpc: '2.0', id: 3, method: 'tasks/result', params: { taskId } });
      await until(() => second.messages.some(({ method }) => method === 'elicitation/create'));
      const ask = second.messages.find(({ method }) => method === 'elicitation/create');
      const answer = { action: 'accept', content: { name: 'Ada' } };
      const told = await session.post({ jsonrpc: '2.0', id: ask?.id, result: answer });
      expect(told.status).toBe(202);
      await second.finish();
      expect(second.messages.at(-1)).toMatchObject({ id: 3, result: text('Hello, Ada!') });
    },
  );

  proves('L-TASKS-025').test('progress and status of a task come on the stream of the session', async () => {
    const bench = new Bench();
    const at = await serve({}, {}, bench.server);
    const session = await openSession(at, HANDSHAKE);
    const stream = await session.get();
    const params = { name: 'slow', arguments: { key: 'a' }, task: {}, _meta: { progressToken: 9 } };
    await session.post({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
    await until(() => bench.contexts.length === 1);
    bench.contexts[0]?.progress(1, 2);
    await until(() => stream.messages.some(({ params: got }) => got?.progressToken === 9));
    bench.gate('a').open(undefined);
    await until(() => stream.messages.some(({ method }) => method === 'notifications/tasks/status'));
    stream.abort();
  });
});
