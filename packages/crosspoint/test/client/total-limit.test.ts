import { describe, expect, test, vi } from 'vitest';
import type { JsonObject } from '../../src/jsonrpc/message.ts';
import type { ClientOptions } from '../../src/client/index.ts';
import { connected, failure, type Connected } from './connected.ts';
import { legacy, modern, type Answers, type Behaviour } from './fake-server.ts';

const TIMES = { createdAt: '2026-01-01T00:00:00.000Z', lastUpdatedAt: '2026-01-01T00:00:00.000Z' };
const TASK: JsonObject = { taskId: 't-1', status: 'working', ttlMs: 60_000, pollIntervalMs: 200, ...TIMES };
const CORE_TASK: JsonObject = { taskId: 't-1', status: 'working', ttl: 60_000, pollInterval: 200, ...TIMES };
const FORM = {
  method: 'elicitation/create',
  params: { message: 'Name?', requestedSchema: { type: 'object', properties: { name: { type: 'string' } } } },
};
const LIMITED: ClientOptions = { timeouts: { totalMs: 1000 } };
const NO_TOOLS = { resultType: 'complete', tools: [], ttlMs: 0, cacheScope: 'private' };

/** A server of the newer generation of tasks. */
function extended(answers: Answers = {}): Behaviour {
  return modern(
    {
      'tools/list': () => NO_TOOLS,
      'tools/call': () => ({ ...TASK, resultType: 'task' }),
      'tasks/get': () => ({ ...TASK, resultType: 'complete' }),
      'tasks/cancel': () => ({ resultType: 'complete' }),
      ...answers,
    },
    { capabilities: { tools: {}, extensions: { 'io.modelcontextprotocol/tasks': {} } } },
  );
}

/** A server of the older one. */
function classic(answers: Answers = {}): Behaviour {
  return legacy(
    {
      'tools/list': () => ({
        tools: [{ name: 'slow', inputSchema: { type: 'object' }, execution: { taskSupport: 'required' } }],
      }),
      'tools/call': () => ({ task: CORE_TASK }),
      'tasks/get': () => CORE_TASK,
      'tasks/cancel': () => ({ ...CORE_TASK, status: 'cancelled' }),
      ...answers,
    },
    { capabilities: { tools: {}, tasks: { cancel: {}, requests: { tools: { call: {} } } } } },
  );
}

/** What a call comes to, and how much time has passed for it: the clock goes on in steps of 50 ms, for 10 s at most. */
async function ended({ clock }: Connected, call: Promise<unknown>): Promise<{ error: Error; afterMs: number }> {
  const startedAt = clock.now();
  const state = { over: false };
  const settled = failure(call).finally(() => (state.over = true));
  settled.catch(() => {});
  while (!state.over && clock.now() - startedAt < 10_000) await clock.advance(50);
  if (!state.over) throw new Error('The call had not ended after 10 s.');
  return { error: await settled, afterMs: clock.now() - startedAt };
}

const AT_THE_LIMIT = { error: { code: 'total-timeout', details: { timer: 'total', timeoutMs: 1000 } }, afterMs: 1000 };

describe('the longest life of a call', () => {
  test.each([
    ['newer', extended],
    ['older', classic],
  ])('counts while its task is waited for, which is then cancelled, %s generation', async (_generation, serve) => {
    const all = await connected(serve(), LIMITED);
    expect(await ended(all, all.client.callTool({ name: 'slow' }))).toMatchObject(AT_THE_LIMIT);
    await all.clock.flush();
    expect(all.transport.sentTo('tasks/cancel').map(({ params }) => params?.['taskId'])).toEqual(['t-1']);
    const polls = all.transport.sentTo('tasks/get').length;
    await all.clock.advance(5000);
    expect(all.transport.sentTo('tasks/get')).toHaveLength(polls);
  });

  test('counts from the call, not from its task', async () => {
    const all = await connected(
      extended({
        'tools/call': (_params, line, message) => {
          setTimeoutOf(all, 700, () => line.reply(message, { ...TASK, resultType: 'task' }));
        },
      }),
      LIMITED,
    );
    expect(await ended(all, all.client.callTool({ name: 'slow' }))).toMatchObject(AT_THE_LIMIT);
    await all.clock.flush();
    expect(all.transport.sentTo('tasks/cancel')).toHaveLength(1);
  });

  test('counts while the result of a task is owed, which is then cancelled as a request and as a task', async () => {
    const all = await connected(
      classic({ 'tasks/get': () => ({ ...CORE_TASK, status: 'completed' }), 'tasks/result': () => undefined }),
      LIMITED,
    );
    expect(await ended(all, all.client.callTool({ name: 'slow' }))).toMatchObject(AT_THE_LIMIT);
    await all.clock.flush();
    expect(all.transport.methods.slice(-2)).toEqual(['notifications/cancelled', 'tasks/cancel']);
  });

  test('counts while a question of a task is answered, by the call and by the handle', async () => {
    const asking = { ...TASK, resultType: 'complete', status: 'input_required', inputRequests: { name: FORM } };
    const all = await connected(extended({ 'tasks/get': () => asking }), {
      ...LIMITED,
      capabilities: { elicitation: {} },
    });
    all.client.setRequestHandler('elicitation/create', () => new Promise(() => {}));
    expect(await ended(all, all.client.callTool({ name: 'slow' }))).toMatchObject(AT_THE_LIMIT);
    const handle = await all.client.startTask({ name: 'slow' });
    expect(await ended(all, handle.wait({ maxTotalTimeout: 500 }))).toMatchObject({
      error: { code: 'total-timeout' },
      afterMs: 500,
    });
  });

  test('counts while questions are answered, whose handler is told that it is over', async () => {
    const all = await connected(
      modern({ 'tools/call': () => ({ resultType: 'input_required', inputRequests: { name: FORM } }) }),
      { ...LIMITED, capabilities: { elicitation: {} } },
    );
    let signal: AbortSignal | undefined;
    all.client.setRequestHandler('elicitation/create', (_request, extra) => {
      signal = extra.signal;
      return new Promise(() => {});
    });
    expect(await ended(all, all.client.callTool({ name: 'ask' }))).toMatchObject(AT_THE_LIMIT);
    expect(signal?.aborted).toBe(true);
  });

  test('counts over all rounds of questions', async () => {
    const all = await connected(
      modern({ 'tools/call': () => ({ resultType: 'input_required', inputRequests: {}, requestState: 's' }) }),
      { ...LIMITED, maxRounds: 1000 },
    );
    expect(await ended(all, all.client.callTool({ name: 'ask' }))).toMatchObject(AT_THE_LIMIT);
  });

  test('counts while a user is waited for who was sent to a page', async () => {
    const page = { mode: 'url', message: 'Log in', url: 'https://example.com/', elicitationId: 'e-1' };
    const all = await connected(
      legacy({
        'tools/call': (_params, line, message) => {
          line.fail(message, { code: -32042, message: 'first', data: { elicitations: [page] } });
        },
      }),
      { ...LIMITED, capabilities: { elicitation: { url: {} } } },
    );
    all.client.setRequestHandler('elicitation/create', () => ({ action: 'accept' as const }));
    expect(await ended(all, all.client.callTool({ name: 'page' }))).toMatchObject(AT_THE_LIMIT);
  });

  test('counts over all pages of a list, the last of which is cancelled', async () => {
    let page = 0;
    const all = await connected(
      legacy({
        'prompts/list': (_params, line, message) => {
          setTimeoutOf(all, 400, () => line.reply(message, { prompts: [], nextCursor: String((page += 1)) }));
        },
      }),
      LIMITED,
    );
    expect(await ended(all, all.client.listPrompts())).toMatchObject(AT_THE_LIMIT);
    expect(all.transport.methods.slice(-2)).toEqual(['prompts/list', 'notifications/cancelled']);
    expect(all.transport.sentTo('prompts/list')).toHaveLength(3);
  });

  test('counts while tools are listed to know how to call one', async () => {
    const all = await connected(
      classic({
        'tools/list': (_params, line, message) => {
          setTimeoutOf(all, 600, () =>
            line.reply(message, {
              tools: [{ name: 'slow', inputSchema: { type: 'object' }, execution: { taskSupport: 'required' } }],
            }),
          );
        },
      }),
      LIMITED,
    );
    expect(await ended(all, all.client.callTool({ name: 'slow' }))).toMatchObject(AT_THE_LIMIT);
  });

  test('counts while a connection is made anew', async () => {
    const all = await connected(
      (run: number) => (run === 0 ? legacy() : () => {}),
      { ...LIMITED, reconnect: true },
      { restartable: true },
    );
    all.transport.line.exit();
    await all.clock.flush();
    expect(await ended(all, all.client.listTools())).toMatchObject(AT_THE_LIMIT);
    await all.client.close();
  });

  test('counts while a middleware takes its time', async () => {
    const all = await connected(legacy({ 'tools/call': () => ({ content: [] }) }), LIMITED);
    all.client.use(() => new Promise(() => {}));
    expect(await ended(all, all.client.callTool({ name: 'x' }))).toMatchObject(AT_THE_LIMIT);
  });

  test('is no limit for the wait of a handle, which has its own', async () => {
    const all = await connected(
      classic({
        'tasks/get': () => ({ ...CORE_TASK, status: 'completed' }),
        'tasks/result': (_params, line, message) => {
          setTimeoutOf(all, 3000, () => line.reply(message, { content: [] }));
        },
      }),
      LIMITED,
    );
    const handle = await all.client.startTask({ name: 'slow' });
    const settled = vi.fn();
    const waited = handle.wait().then(settled);
    await all.clock.advance(3500);
    await waited;
    expect(settled).toHaveBeenCalledWith({ content: [] });
  });
});

describe('a task that is waited for', () => {
  test('is asked for ever more slowly, however short the interval its server names', async () => {
    const all = await connected(
      extended({
        'tools/call': () => ({ ...TASK, resultType: 'task', pollIntervalMs: 0 }),
        'tasks/get': () => ({ ...TASK, resultType: 'complete', pollIntervalMs: 0 }),
      }),
    );
    const abort = new AbortController();
    const called = failure(all.client.callTool({ name: 'slow' }, { signal: abort.signal }));
    for (let second = 0; second < 60; second += 0.5) await all.clock.advance(500);
    const inTheFirstMinute = all.transport.sentTo('tasks/get').length;
    expect(inTheFirstMinute).toBeLessThan(200);
    for (let second = 0; second < 60; second += 0.5) await all.clock.advance(500);
    expect(all.transport.sentTo('tasks/get').length - inTheFirstMinute).toBeLessThanOrEqual(60);
    abort.abort();
    expect(await called).toMatchObject({ code: 'aborted' });
  });

  test('may not ask for ever', async () => {
    let asked = 0;
    const all = await connected(
      extended({
        'tasks/get': () => {
          const questions = Array.from({ length: 400 }, () => [`q${(asked += 1)}`, FORM] as const);
          return {
            ...TASK,
            resultType: 'complete',
            status: 'input_required',
            inputRequests: Object.fromEntries(questions),
          };
        },
        'tasks/update': () => ({ resultType: 'complete' }),
      }),
      { capabilities: { elicitation: {} }, limits: { 'elicitation/create': false } },
    );
    all.client.setRequestHandler('elicitation/create', () => ({ action: 'decline' as const }));
    const { error } = await ended(all, all.client.callTool({ name: 'slow' }));
    expect(error).toMatchObject({ code: 'invalid-result' });
    expect(all.transport.sentTo('tasks/update')).toHaveLength(2);
  });
});

function setTimeoutOf({ clock }: Connected, ms: number, run: () => void): void {
  clock.setTimeout(run, ms);
}
