import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/jsonrpc/message.ts';
import { META_RELATED_TASK } from '../../src/protocol/meta.ts';
import type { Task } from '../../src/client/index.ts';
import { proves } from '../requirements/proves.ts';
import { connected, failure, type Connected } from './connected.ts';
import { legacy, MODERN, modern, Refusal, type Answers } from './fake-server.ts';

const ID = 'io.modelcontextprotocol/tasks';
const TIMES = { createdAt: '2026-01-01T00:00:00.000Z', lastUpdatedAt: '2026-01-01T00:00:00.000Z' };
const SUM: JsonObject = { content: [{ type: 'text', text: '42' }] };
const SUMMED = { ...SUM, resultType: 'complete' };

const made = (more: JsonObject = {}): JsonObject => ({
  resultType: 'task',
  taskId: 't-1',
  status: 'working',
  ttlMs: 60_000,
  pollIntervalMs: 200,
  ...TIMES,
  ...more,
});
const seen = (status: string, more: JsonObject = {}): JsonObject => ({
  ...made({ status }),
  resultType: 'complete',
  ...more,
});

/** A server of the newer generation whose task passes through these states, the last of them for good. */
function extended(states: JsonObject[], answers: Answers = {}, extensions: JsonObject = { [ID]: {} }) {
  let at = 0;
  return modern(
    {
      'tools/list': () => ({ resultType: 'complete', tools: [], ttlMs: 0, cacheScope: 'private' }),
      'tools/call': () => made(),
      'tasks/get': () => states[Math.min(at++, states.length - 1)],
      'tasks/update': () => ({ resultType: 'complete' }),
      'tasks/cancel': () => ({ resultType: 'complete' }),
      ...answers,
    },
    { capabilities: { tools: {}, extensions } },
  );
}

const TASKS = { list: {}, cancel: {}, requests: { tools: { call: {} } } };
const core = (more: JsonObject = {}): JsonObject => {
  const { ttlMs, pollIntervalMs, resultType: _, ...rest } = made(more);
  return { ...rest, ttl: ttlMs, pollInterval: pollIntervalMs };
};

/** A server of the older generation. */
function classic(states: string[], answers: Answers = {}, capabilities: JsonObject = { tools: {}, tasks: TASKS }) {
  let at = 0;
  const tool = (name: string, taskSupport?: string): JsonObject => ({
    name,
    inputSchema: { type: 'object' },
    ...(taskSupport && { execution: { taskSupport } }),
  });
  return legacy(
    {
      'tools/list': () => ({ tools: [tool('may', 'optional'), tool('must', 'required'), tool('never')] }),
      'tools/call': (params) =>
        params['task'] === undefined
          ? params['name'] === 'must'
            ? new Refusal(-32601, 'as a task only')
            : SUM
          : { task: core(), _meta: { 'io.modelcontextprotocol/model-immediate-response': 'on its way' } },
      'tasks/get': () => core({ status: states[Math.min(at++, states.length - 1)] as string }),
      'tasks/result': () => SUM,
      'tasks/cancel': () => core({ status: 'cancelled' }),
      'tasks/list': () => ({ tasks: [core()] }),
      ...answers,
    },
    { capabilities },
  );
}

/** Lets polls happen until the promise has settled. */
async function passing<T>({ clock }: Connected, promise: Promise<T>): Promise<T> {
  const progress = { done: false };
  const settled = promise.finally(() => (progress.done = true));
  settled.catch(() => {});
  for (let step = 0; step < 100 && !progress.done; step += 1) await clock.advance(100);
  return settled;
}

describe('a call that becomes a task of the newer generation', () => {
  proves('M-TASK-001, M-TASK-003, M-TASK-015, M-TASK-054').test(
    'is declared in every request and simply waited for',
    async () => {
      const all = await connected(extended([seen('working'), seen('completed', { result: SUM })]));
      const statuses: string[] = [];
      const result = await passing(
        all,
        all.client.callTool({ name: 'add' }, { onstatus: ({ status }) => statuses.push(status) }),
      );
      expect(result).toEqual(SUM);
      expect(statuses).toEqual(['working', 'working', 'completed']);
      for (const { params } of all.transport.sent) {
        const capabilities = params?._meta?.['io.modelcontextprotocol/clientCapabilities'] as JsonObject;
        expect(capabilities['extensions']).toEqual({ [ID]: {} });
      }
    },
  );

  test('is also answered at once, as the server likes', async () => {
    const all = await connected(extended([], { 'tools/call': () => SUMMED }));
    expect(await all.client.callTool({ name: 'add' })).toEqual(SUMMED);
    const handle = await all.client.startTask({ name: 'add' });
    expect([handle.taskId, await handle.status(), await handle.wait()]).toEqual([undefined, undefined, SUMMED]);
  });

  proves('M-TASK-014').test('is asked for as often as the server says, which may change', async () => {
    const states = [seen('working', { pollIntervalMs: 1000 }), seen('completed', { result: SUM })];
    const all = await connected(extended(states));
    const polls = (): number => all.transport.sentTo('tasks/get').length;
    const called = all.client.callTool({ name: 'add' });
    await all.clock.advance(199);
    expect(polls()).toBe(0);
    await all.clock.advance(1);
    expect(polls()).toBe(1);
    await all.clock.advance(999);
    expect(polls()).toBe(1);
    await all.clock.advance(1);
    expect(await called).toEqual(SUM);
  });

  proves('M-TASK-024, M-TASK-025, M-TASK-026, M-TASK-029').test(
    'has its questions answered by the usual handlers, each once',
    async () => {
      const ask = (message: string): JsonObject => ({
        method: 'elicitation/create',
        params: { mode: 'form', message, requestedSchema: { type: 'object', properties: { ok: { type: 'boolean' } } } },
      });
      const states = [
        seen('input_required', { inputRequests: { a: ask('a?') } }),
        seen('input_required', { inputRequests: { a: ask('a?'), b: ask('b?') } }),
        seen('completed', { result: SUM }),
      ];
      const all = await connected(extended(states), { capabilities: { elicitation: {} } });
      const asked: string[] = [];
      all.client.setRequestHandler('elicitation/create', ({ params }) => {
        asked.push(params.message);
        return { action: 'accept', content: { ok: true } };
      });
      expect(await passing(all, all.client.callTool({ name: 'add' }))).toEqual(SUM);
      expect(asked).toEqual(['a?', 'b?']);
      const updates = all.transport.sentTo('tasks/update').map(({ params }) => params);
      expect(updates).toMatchObject([
        { taskId: 't-1', inputResponses: { a: { action: 'accept' } } },
        { taskId: 't-1', inputResponses: { b: { action: 'accept' } } },
      ]);
      expect(updates.map((params) => Object.keys(params?.['inputResponses'] as object))).toEqual([['a'], ['b']]);
    },
  );

  test('that failed throws the error of the call, and one that was cancelled says so', async () => {
    const error = { code: -32602, message: 'no such thing', data: { at: 1 } };
    const failed = await connected(extended([seen('failed', { error })]));
    expect(await failure(passing(failed, failed.client.callTool({ name: 'add' })))).toMatchObject({
      code: -32602,
      message: 'no such thing',
      data: { at: 1 },
    });
    const cancelled = await connected(extended([seen('cancelled', { statusMessage: 'enough' })]));
    const reason = await failure(passing(cancelled, cancelled.client.callTool({ name: 'add' })));
    expect(reason.message).toBe('The task t-1 was cancelled: enough.');
  });

  proves('M-TASK-033, M-TASK-036').test(
    'is cancelled by tasks/cancel when the call is given up, and by no notification',
    async () => {
      const all = await connected(extended([seen('working')]));
      const abort = new AbortController();
      const called = failure(all.client.callTool({ name: 'add' }, { signal: abort.signal }));
      await all.clock.advance(500);
      abort.abort();
      expect(await called).toMatchObject({ code: 'aborted' });
      await all.clock.flush();
      expect(all.transport.sentTo('tasks/cancel').map(({ params }) => params?.['taskId'])).toEqual(['t-1']);
      expect(all.transport.methods).not.toContain('notifications/cancelled');
    },
  );

  test('is cancelled, too, when it takes longer than the call may', async () => {
    const all = await connected(extended([seen('working')]));
    const error = await failure(passing(all, all.client.callTool({ name: 'add' }, { maxTotalTimeout: 1000 })));
    expect(error).toMatchObject({ code: 'total-timeout' });
    await all.clock.flush();
    expect(all.transport.sentTo('tasks/cancel').length).toBe(1);
  });

  proves('M-TASK-004').test.each([
    ['no status', { status: undefined }],
    ['an unknown status', { status: 'gone' }],
    ['no id', { taskId: 3 }],
  ])('with %s is an invalid result', async (_what, wrong) => {
    const all = await connected(extended([], { 'tools/call': () => made(wrong as JsonObject) }));
    expect(await failure(all.client.callTool({ name: 'add' }))).toMatchObject({ code: 'invalid-result' });
  });

  proves('M-TASK-004').test('is one for no other request, and none where the extension was not declared', async () => {
    const prompts = await connected(extended([], { 'prompts/get': () => made() }));
    expect(await failure(prompts.client.getPrompt({ name: 'x' }))).toMatchObject({ code: 'invalid-result' });
    const without = await connected(extended([]), { tasks: false });
    expect(await failure(without.client.callTool({ name: 'add' }))).toMatchObject({ code: 'invalid-result' });
    expect(JSON.stringify(without.transport.sent)).not.toContain(ID);
  });

  proves('M-TASK-023').test('that is gone ends the wait with what the server says', async () => {
    const all = await connected(extended([], { 'tasks/get': () => new Refusal(-32602, 'Unknown task') }));
    expect(await failure(passing(all, all.client.callTool({ name: 'add' })))).toMatchObject({
      message: 'Unknown task',
    });
  });

  proves('M-TASK-037, M-TASK-041').test('can be listened for', async () => {
    const all = await connected(
      extended([], {
        'subscriptions/listen': (params, line, { id }) => {
          const _meta = { 'io.modelcontextprotocol/subscriptionId': id };
          const { notifications } = params;
          line.notify('notifications/subscriptions/acknowledged', {
            notifications: notifications as JsonObject,
            _meta,
          });
          line.notify('notifications/tasks', { ...seen('completed', { result: SUM }), _meta });
        },
      }),
    );
    const told: JsonObject[] = [];
    const handle = await all.client.listen(
      { taskIds: ['t-1'] },
      { onnotification: ({ params }) => void told.push(params ?? {}) },
    );
    await all.clock.flush();
    expect(handle.honored).toEqual({ taskIds: ['t-1'] });
    expect(told).toMatchObject([{ taskId: 't-1', status: 'completed', result: SUM }]);
    expect(all.problems).toEqual([]);
  });
});

describe('a handle', () => {
  proves('M-TASK-016, M-TASK-035').test(
    'tells, waits and cancels, and is found again by its id in another process',
    async () => {
      const states = [seen('working'), seen('working'), seen('completed', { result: SUM })];
      const first = await connected(extended(states));
      const handle = await first.client.startTask({ name: 'add' });
      expect([handle.taskId, handle.task?.status]).toEqual(['t-1', 'working']);
      expect(await handle.status()).toMatchObject({ status: 'working' });
      await handle.cancel();
      expect(handle.task?.status).toBe('working');
      const second = await connected(extended([seen('working'), seen('completed', { result: SUM })]));
      const resumed = second.client.resumeTask(handle.taskId ?? '');
      expect(second.transport.methods).toEqual(['server/discover']);
      expect(await passing(second, resumed.wait())).toEqual(SUM);
      expect(await resumed.wait()).toEqual(SUM);
    },
  );

  test('of a wait that is given up leaves the task alone', async () => {
    const all = await connected(extended([seen('working')]));
    const handle = await all.client.startTask({ name: 'add' });
    const abort = new AbortController();
    const waiting = failure(handle.wait({ signal: abort.signal }));
    await all.clock.advance(300);
    abort.abort();
    expect(await waiting).toMatchObject({ code: 'aborted' });
    expect(all.transport.methods).not.toContain('tasks/cancel');
  });

  test('is of the call itself where the server has no tasks, and cancels that', async () => {
    const all = await connected(legacy({ 'tools/call': (params) => (params['name'] === 'slow' ? undefined : SUM) }));
    const quick = await all.client.startTask({ name: 'quick' });
    expect([quick.taskId, await quick.wait()]).toEqual([undefined, SUM]);
    const slow = await all.client.startTask({ name: 'slow' });
    const waiting = failure(slow.wait());
    await slow.cancel();
    expect(await waiting).toMatchObject({ code: 'aborted' });
    expect(all.transport.sent.at(-1)?.method).toBe('notifications/cancelled');
    expect(JSON.stringify(all.transport.sent)).not.toContain('"task"');
  });
});

describe('a call of the older generation', () => {
  proves('L-TASKS-009').test('of a tool that must be a task is one, also when the tool was never listed', async () => {
    for (const listed of [true, false]) {
      const all = await connected(classic(['working', 'completed']));
      if (listed) await all.client.listTools();
      expect(await passing(all, all.client.callTool({ name: 'must' }))).toEqual(SUM);
      expect(all.transport.sentTo('tools/call').at(-1)?.params?.['task']).toEqual({});
      expect(all.transport.methods.slice(-3)).toEqual(['tasks/get', 'tasks/get', 'tasks/result']);
    }
  });

  proves('L-TASKS-002, L-TASKS-008, L-TASKS-034').test(
    'of one that may be is a plain call unless the program wants otherwise',
    async () => {
      const all = await connected(classic(['completed']));
      expect(await all.client.callTool({ name: 'may' })).toEqual(SUM);
      expect(all.transport.sentTo('tools/call')[0]?.params).not.toHaveProperty('task');
      expect(await passing(all, all.client.callTool({ name: 'may' }, { task: { ttl: 5000 } }))).toEqual(SUM);
      expect(await passing(all, all.client.callTool({ name: 'may', task: { ttl: 7000 } }))).toEqual(SUM);
      const wishes = all.transport.sentTo('tools/call').map(({ params }) => params?.['task']);
      expect(wishes).toEqual([undefined, { ttl: 5000 }, { ttl: 7000 }]);
      const handle = await all.client.startTask({ name: 'may' });
      expect([handle.task?.ttlMs, handle.immediateResponse]).toEqual([60_000, 'on its way']);
    },
  );

  proves('L-TASKS-006').test(
    'of one that cannot be is refused here when a task was wanted, and made plainly by startTask',
    async () => {
      const all = await connected(classic([]));
      const error = await failure(all.client.callTool({ name: 'never' }, { task: {} }));
      expect(error.message).toBe('The tool "never" cannot be run as a task.');
      expect(all.transport.methods).not.toContain('tools/call');
      expect(await (await all.client.startTask({ name: 'never' })).wait()).toEqual(SUM);
      expect(all.transport.sentTo('tools/call')[0]?.params).not.toHaveProperty('task');
    },
  );

  proves('L-TASKS-003, L-TASKS-005').test(
    'asks a server without the capability for no task, whatever the tool says',
    async () => {
      for (const tasks of [undefined, { list: {} }]) {
        const all = await connected(classic([], {}, { tools: {}, ...(tasks && { tasks }) }));
        await all.client.listTools();
        expect(await all.client.callTool({ name: 'may' }, { task: {} })).toEqual(SUM);
        expect(await (await all.client.startTask({ name: 'may' })).wait()).toEqual(SUM);
        expect(JSON.stringify(all.transport.sentTo('tools/call'))).not.toContain('task');
      }
    },
  );

  proves('L-TASKS-022, L-TASKS-023, L-TASKS-030, L-TASKS-045').test(
    'polls as told, and fetches the result as soon as input is wanted',
    async () => {
      const all = await connected(classic(['working', 'input_required']));
      await all.client.listTools();
      const called = all.client.callTool({ name: 'must' });
      await all.clock.advance(399);
      expect(all.transport.sentTo('tasks/get').length).toBe(1);
      await all.clock.advance(1);
      expect(await called).toEqual(SUM);
      expect(all.transport.methods.slice(-2)).toEqual(['tasks/get', 'tasks/result']);
    },
  );

  proves('L-TASKS-041').test('names the task in its params and in nothing else', async () => {
    const all = await connected(classic(['completed']));
    const handle = await all.client.startTask({ name: 'may' });
    await passing(all, handle.wait());
    await handle.cancel();
    const sent = ['tasks/get', 'tasks/result', 'tasks/cancel'].flatMap((method) => all.transport.sentTo(method));
    expect(sent.length).toBe(3);
    for (const { params } of sent) {
      expect(params?.['taskId']).toBe('t-1');
      expect(params?._meta ?? {}).not.toHaveProperty(META_RELATED_TASK);
    }
  });

  proves('L-PROGRESS-011').test('has progress until the task has ended, under the token of the call', async () => {
    const all = await connected(
      classic(['working', 'completed'], {
        'tools/call': (params, line, message) => {
          const { progressToken } = (params['_meta'] ?? {}) as JsonObject;
          line.reply(message, { task: core() });
          line.notify('notifications/progress', { progressToken: progressToken as number, progress: 1 });
        },
        'tasks/get': (_params, line) => {
          const { params } = all.transport.sentTo('tools/call')[0] ?? {};
          line.notify('notifications/progress', {
            progressToken: params?._meta?.['progressToken'] as number,
            progress: 2,
          });
          return core({ status: 'completed' });
        },
      }),
    );
    await all.client.listTools();
    const progress: number[] = [];
    const called = all.client.callTool({ name: 'must' }, { onprogress: (value) => progress.push(value.progress) });
    expect(await passing(all, called)).toEqual(SUM);
    expect(progress).toEqual([1, 2]);
    const token = all.transport.sentTo('tools/call')[0]?.params?._meta?.['progressToken'] as number;
    all.transport.line.notify('notifications/progress', { progressToken: token, progress: 3 });
    await all.clock.flush();
    expect(progress).toEqual([1, 2]);
  });
});

test('methods of tasks that the server lacks are refused here', async () => {
  const all = await connected(modern());
  expect((await failure(all.client.resumeTask('x').status())).message).toMatch(/no tasks/);
  expect((await failure(all.client.request({ method: 'tasks/get', params: { taskId: 'x' } }))).message).toContain(ID);
  expect(all.transport.methods).toEqual(['server/discover']);
  expect(all.client.revision).toBe(MODERN);
});

describe('questions that the server wants as tasks', () => {
  const declared = {
    sampling: {},
    elicitation: {},
    tasks: { list: {}, cancel: {}, requests: { sampling: { createMessage: {} }, elicitation: { create: {} } } },
  };
  const question = {
    method: 'sampling/createMessage',
    params: { messages: [], maxTokens: 1, task: { ttl: 10_000 } },
  };

  async function asked(capabilities: object = declared): Promise<
    Connected & {
      ask(
        method: string,
        params?: JsonObject,
      ): Promise<{ result?: JsonObject; error?: { code: number; message: string } }>;
      finish(result: JsonObject | Error): void;
      signal(): AbortSignal | undefined;
    }
  > {
    let finish: (result: JsonObject | Error) => void = () => {};
    let signal: AbortSignal | undefined;
    const all = await connected(legacy({}), { capabilities });
    all.client.setRequestHandler('sampling/createMessage', async (_request, extra) => {
      signal = extra.signal;
      const result = await new Promise<JsonObject | Error>((resolve) => (finish = resolve));
      if (result instanceof Error) throw result;
      return result as never;
    });
    let next = 100;
    const ask = async (method: string, params: JsonObject = {}): Promise<{ result?: JsonObject; error?: never }> => {
      const id = (next += 1);
      all.transport.line.send({ jsonrpc: '2.0', id, method, params });
      for (let turn = 0; turn < 20; turn += 1) {
        await all.clock.flush();
        const answer = all.transport.sent.find((message) => message.id === id);
        if (answer !== undefined) return answer as never;
      }
      return {};
    };
    return { ...all, ask: ask as never, finish: (result) => finish(result), signal: () => signal };
  }
  const ANSWER = { role: 'assistant', model: 'm', content: { type: 'text', text: 'hi' } };

  proves(
    'L-TASKS-001, L-TASKS-014, L-TASKS-016, L-TASKS-017, L-TASKS-019, L-TASKS-032, L-TASKS-033, L-TASKS-035, L-TASKS-076',
  ).test('are answered with a task that goes on', async () => {
    const all = await asked();
    const { result } = await all.ask(question.method, { ...question.params, taskId: 'mine' } as JsonObject);
    const task = result?.['task'] as JsonObject & Task;
    expect(task).toMatchObject({ status: 'working', ttl: 10_000, pollInterval: 500 });
    expect(task.taskId).not.toBe('mine');
    for (const time of [task.createdAt, task.lastUpdatedAt]) expect(new Date(time).toISOString()).toBe(time);
    expect((await all.ask('tasks/get', { taskId: task.taskId })).result).toEqual(task);
    expect((await all.ask('tasks/list')).result).toEqual({ tasks: [task] });
    const waiting = all.ask('tasks/result', { taskId: task.taskId });
    await all.clock.advance(1000);
    all.finish(ANSWER);
    expect((await waiting).result).toEqual({ ...ANSWER, _meta: { [META_RELATED_TASK]: { taskId: task.taskId } } });
    const ended = (await all.ask('tasks/get', { taskId: task.taskId })).result;
    expect(ended).toMatchObject({ status: 'completed', createdAt: task.createdAt });
    expect(ended?.['lastUpdatedAt']).not.toBe(task.lastUpdatedAt);
    expect(ended).not.toHaveProperty('_meta');
    const [told] = all.transport.sentTo('notifications/tasks/status');
    expect(told?.params).toEqual(ended);
  });

  proves('L-TASKS-050, L-TASKS-052, L-TASKS-053, L-TASKS-021').test(
    'cancelling reaches the handler, and a late answer changes nothing',
    async () => {
      const all = await asked();
      const { taskId } = ((await all.ask(question.method, question.params)).result?.['task'] ?? {}) as {
        taskId: string;
      };
      expect((await all.ask('tasks/cancel', { taskId })).result).toMatchObject({ taskId, status: 'cancelled' });
      expect(all.signal()?.aborted).toBe(true);
      all.finish(ANSWER);
      await all.clock.flush();
      expect((await all.ask('tasks/get', { taskId })).result).toMatchObject({ status: 'cancelled' });
      expect((await all.ask('tasks/cancel', { taskId })).error).toMatchObject({ code: -32602 });
      expect((await all.ask('tasks/result', { taskId })).error?.message).toMatch(/cancelled/);
    },
  );

  proves('L-TASKS-037, L-TASKS-060').test(
    'a handler that fails ends its task as failed, with the error that the question would have had',
    async () => {
      const all = await asked();
      const plain = all.ask(question.method, { messages: [], maxTokens: 1 });
      await all.clock.flush();
      all.finish(new Error('secret detail'));
      const { error } = await plain;
      const { taskId } = ((await all.ask(question.method, question.params)).result?.['task'] ?? {}) as {
        taskId: string;
      };
      all.finish(new Error('secret detail'));
      await all.clock.flush();
      expect((await all.ask('tasks/get', { taskId })).result).toMatchObject({ status: 'failed' });
      expect((await all.ask('tasks/result', { taskId })).error).toEqual(error);
      expect(JSON.stringify(all.transport.sent)).not.toContain('secret detail');
    },
  );

  proves('L-TASKS-056, L-TASKS-057').test('unknown tasks and cursors are refused, expired ones are gone', async () => {
    const all = await asked();
    for (const method of ['tasks/get', 'tasks/result', 'tasks/cancel'])
      expect((await all.ask(method, { taskId: 'other' })).error).toMatchObject({ code: -32602 });
    expect((await all.ask('tasks/list', { cursor: 'other' })).error).toMatchObject({ code: -32602 });
    const { taskId } = ((await all.ask(question.method, question.params)).result?.['task'] ?? {}) as { taskId: string };
    const waiting = all.ask('tasks/result', { taskId });
    await all.clock.advance(10_000);
    expect((await waiting).error).toMatchObject({ code: -32602 });
    expect(all.signal()?.aborted).toBe(true);
    expect((await all.ask('tasks/get', { taskId })).error).toMatchObject({ code: -32602 });
  });

  proves('L-TASKS-012').test('are answered plainly where the client has not declared it', async () => {
    const all = await asked({ sampling: {}, tasks: { requests: { elicitation: { create: {} } } } });
    const answer = all.ask(question.method, question.params);
    await all.clock.flush();
    all.finish(ANSWER);
    expect((await answer).result).toEqual(ANSWER);
  });

  proves('L-TASKS-004').test('listing and cancelling are methods only where they were declared', async () => {
    const all = await asked({ sampling: {}, tasks: { requests: { sampling: { createMessage: {} } } } });
    const { taskId } = ((await all.ask(question.method, question.params)).result?.['task'] ?? {}) as { taskId: string };
    expect((await all.ask('tasks/list')).error).toMatchObject({ code: -32601 });
    expect((await all.ask('tasks/cancel', { taskId })).error).toMatchObject({ code: -32601 });
    expect((await all.ask('tasks/get', { taskId })).result).toMatchObject({ taskId });
  });

  proves('L-TASKS-039').test('and those that belong to a task of the server are answered with its id', async () => {
    const all = await asked();
    const _meta = { [META_RELATED_TASK]: { taskId: 'of-the-server' } };
    const answer = all.ask(question.method, { messages: [], maxTokens: 1, _meta });
    await all.clock.flush();
    all.finish(ANSWER);
    expect((await answer).result).toEqual({ ...ANSWER, _meta });
  });

  test('are no more than the limit', async () => {
    const all = await asked();
    for (let made = 0; made < 100; made += 1)
      expect((await all.ask(question.method, question.params)).result).toBeDefined();
    expect((await all.ask(question.method, question.params)).error?.message).toMatch(/at most 100 tasks/);
    const first = (await all.ask('tasks/list')).result as { tasks: Task[]; nextCursor: string };
    const second = (await all.ask('tasks/list', { cursor: first.nextCursor })).result as { tasks: Task[] };
    expect(new Set([...first.tasks, ...second.tasks].map(({ taskId }) => taskId)).size).toBe(100);
    expect(second).not.toHaveProperty('nextCursor');
  });
});
