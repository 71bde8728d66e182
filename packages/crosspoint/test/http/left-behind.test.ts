import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { META_IDEMPOTENCY_KEY } from '../../src/protocol/meta.ts';
import { coreOf } from '../../src/server/core.ts';
import { ResourceTemplate, type McpServerOptions } from '../../src/server/index.ts';
import { tasks } from '../../src/server/tasks/index.ts';
import { memoryStore } from '../../src/stores/memory.ts';
import { ManualClock } from '../../src/testing/manual-clock.ts';
import { declared } from '../tasks/bench.ts';
import { META, closeAll, initialize, makeServer, openSession, send, serve, stateless, type Served } from './serving.ts';

const MIB = 1024 * 1024;
const GREEDY = '127.0.0.2';
const HONEST = '127.0.0.3';
const LIMITS = { maxBytes: 8 * MIB, maxBytesPerCaller: 2 * MIB };

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

afterEach(closeAll);

/** A server with a tool whose results are much larger than what it takes to ask for them. */
function generous(options: McpServerOptions = {}): ReturnType<typeof makeServer> {
  const server = makeServer(options);
  const inputSchema = z.object({ size: z.number() });
  server.registerTool('give', { inputSchema }, async ({ size }) => ({
    content: [{ type: 'text', text: 'x'.repeat(size) }],
  }));
  server.use(tasks());
  server.registerTool('report', { inputSchema, task: 'optional' }, async ({ size }) => ({
    content: [{ type: 'text', text: 'x'.repeat(size) }],
  }));
  const template = new ResourceTemplate('big://{+rest}', { list: undefined });
  server.registerResource('big', template, {}, async (uri) => ({ contents: [{ uri: uri.href, text: '' }] }));
  return server;
}

const leftBehind = (at: Served): number => coreOf(at.server).leftBehind.bytes;

async function used(): Promise<number> {
  for (let round = 0; round < 3; round += 1) {
    await new Promise((resolve) => setImmediate(resolve));
    collect();
  }
  return process.memoryUsage().heapUsed;
}

/** Begins a task and gives its id once it has ended. */
async function finishTask(at: Served, from: string, size: number): Promise<string> {
  const params = { name: 'report', arguments: { size } };
  const begun = await (await send(at, { ...stateless('tools/call', params, { meta: META(declared) }), from })).json();
  const { taskId } = begun.result as unknown as { taskId: string };
  await expect.poll(() => statusOf(at, from, taskId), { interval: 2 }).not.toBe('working');
  return taskId;
}

async function statusOf(at: Served, from: string, taskId: string): Promise<string | undefined> {
  const asked = stateless('tasks/get', { taskId }, { meta: META(declared), headers: { 'mcp-name': taskId } });
  const answer = await (await send(at, { ...asked, from })).json();
  return (answer as unknown as { result?: { status?: string } }).result?.status;
}

/** Opens a session and has a large answer kept in it, for a client that may come back. */
async function keepEvent(at: Served, from: string, size: number): Promise<void> {
  const opened = await (await send(at, { from, body: initialize() })).finish();
  const headers = {
    'mcp-session-id': String(opened.headers['mcp-session-id']),
    'mcp-protocol-version': '2025-11-25',
  };
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'give', arguments: { size } } };
  const answer = await (await send(at, { from, headers, body: call })).finish();
  expect(answer.messages).toHaveLength(1);
}

const keyed = (size: number): ReturnType<typeof stateless> =>
  stateless(
    'tools/call',
    { name: 'give', arguments: { size } },
    { meta: { ...META(), [META_IDEMPOTENCY_KEY]: crypto.randomUUID() } },
  );

describe('what strangers leave behind in this process', () => {
  test('finished tasks are bounded in sum, whoever leaves how many', { timeout: 60_000 }, async () => {
    const at = await serve({}, {}, generous({ leftBehind: LIMITS }));
    const honest = await finishTask(at, HONEST, 1000);
    const tasks: string[] = [];
    for (let n = 0; n < 60; n += 1) tasks.push(await finishTask(at, GREEDY, 200_000));
    expect(leftBehind(at)).toBeLessThanOrEqual(LIMITS.maxBytesPerCaller + 10_000);
    expect(leftBehind(at)).toBeGreaterThan(MIB);
    expect(await statusOf(at, GREEDY, tasks.at(-1) ?? '')).toBe('completed');
    expect(await statusOf(at, GREEDY, tasks[0] ?? '')).toBeUndefined();
    for (let address = 10; address < 30; address += 1)
      for (let n = 0; n < 6; n += 1) await finishTask(at, `127.0.0.${address}`, 200_000);
    expect(leftBehind(at)).toBeLessThanOrEqual(LIMITS.maxBytes);
    expect(await statusOf(at, HONEST, honest)).toBe('completed');
  });

  test('events that streams could be resumed from are bounded in sum', { timeout: 60_000 }, async () => {
    const at = await serve({}, {}, generous({ leftBehind: LIMITS }));
    for (let n = 0; n < 60; n += 1) await keepEvent(at, GREEDY, 200_000);
    expect(leftBehind(at)).toBeLessThanOrEqual(LIMITS.maxBytesPerCaller);
    expect(leftBehind(at)).toBeGreaterThan(MIB);
    for (let n = 0; n < 60; n += 1) await keepEvent(at, `127.0.0.${10 + n}`, 200_000);
    expect(leftBehind(at)).toBeLessThanOrEqual(LIMITS.maxBytes);
    await at.handler.close({ grace: 0 });
    expect(leftBehind(at)).toBe(0);
  });

  test('sessions that have been idle for their time leave nothing', async () => {
    const clock = new ManualClock(1_000_000);
    const at = await serve({ sessions: { idleMs: 60_000 } }, {}, generous({ clock }));
    await keepEvent(at, GREEDY, 1000);
    expect(leftBehind(at)).toBeGreaterThan(1000);
    await clock.advance(70_000);
    expect([at.handler.health.sessions, leftBehind(at)]).toEqual([0, 0]);
  });

  test('outcomes of calls with a key are bounded in sum, and no other thing that a caller leaves pushes them out', async () => {
    const at = await serve({}, {}, generous({ leftBehind: LIMITS }));
    await (await send(at, { ...keyed(1000), from: HONEST })).finish();
    const before = leftBehind(at);
    expect(before).toBeGreaterThan(1000);
    for (let n = 0; n < 40; n += 1) await keepEvent(at, HONEST, 100_000);
    for (let n = 0; n < 10; n += 1)
      for (let address = 10; address < 20; address += 1)
        await (await send(at, { ...keyed(200_000), from: `127.0.0.${address}` })).finish();
    expect(leftBehind(at)).toBeLessThanOrEqual(LIMITS.maxBytes);
    expect(coreOf(at.server).leftBehind.bytesOf(`once:address:${HONEST}`)).toBe(before);
  });

  test('a call that leaves nothing behind is not counted', async () => {
    const at = await serve({}, {}, generous({ leftBehind: LIMITS }));
    await (await send(at, stateless('tools/call', { name: 'echo', arguments: { text: 'x' } }))).finish();
    expect(leftBehind(at)).toBe(0);
  });

  test('hundreds of small requests for large answers cost no more than the limit', { timeout: 120_000 }, async () => {
    const at = await serve({}, {}, generous());
    for (let n = 0; n < 20; n += 1) await keepEvent(at, GREEDY, 235_000);
    const before = await used();
    for (let n = 0; n < 300; n += 1) await keepEvent(at, GREEDY, 235_000);
    expect(leftBehind(at)).toBeLessThanOrEqual(16 * MIB);
    expect((await used()) - before).toBeLessThan(64 * MIB);
  });
});

describe('what strangers keep open with much in it', () => {
  const LONG = 'x'.repeat(100_000);
  const subscribe = (id: number, uri: string): object => ({
    jsonrpc: '2.0',
    id,
    method: 'resources/subscribe',
    params: { uri },
  });

  test('is no session that says more of its client than any has to say', async () => {
    const at = await serve({}, {}, generous({ leftBehind: LIMITS }));
    const opened = await (await send(at, { body: initialize('2025-11-25', { experimental: { LONG } }) })).json();
    expect(opened.error).toMatchObject({ code: -32602 });
    expect(at.handler.health.sessions).toBe(0);
  });

  test('is no number of sessions with long subscriptions: the oldest of their caller end', async () => {
    const at = await serve({}, {}, generous({ leftBehind: LIMITS }));
    const honest = await openSession(at);
    const sessions: Record<string, string>[] = [];
    for (let n = 0; n < 30; n += 1) {
      const opened = await (await send(at, { from: GREEDY, body: initialize() })).finish();
      const id = String(opened.headers['mcp-session-id']);
      const headers = { 'mcp-session-id': id, 'mcp-protocol-version': '2025-11-25' };
      const answer = await send(at, { from: GREEDY, headers, body: subscribe(1, `big://${LONG}`) });
      expect((await answer.finish()).status).toBe(200);
      sessions.push(headers);
    }
    expect(leftBehind(at)).toBeLessThanOrEqual(LIMITS.maxBytesPerCaller);
    expect(at.handler.health.sessions).toBeLessThanOrEqual(21);
    expect(at.handler.health.sessions).toBeGreaterThan(10);
    const body = { jsonrpc: '2.0', id: 2, method: 'tools/list' };
    const statuses = [honest.headers, sessions[0] ?? {}, sessions[29] ?? {}].map(
      async (headers) => (await send(at, { headers, body })).status,
    );
    expect(await Promise.all(statuses)).toEqual([200, 404, 200]);
  });

  test('is no subscription beyond a mebibyte in one session', async () => {
    const at = await serve({}, {}, generous({ leftBehind: LIMITS }));
    const session = await openSession(at);
    const refused: boolean[] = [];
    for (let n = 0; n < 12; n += 1) {
      const answer = await (await session.post(subscribe(n, `big://${n}${LONG}`))).finish();
      refused.push(answer.text.includes('"error"'));
    }
    expect(refused).toEqual([...Array.from({ length: 10 }, () => false), true, true]);
  });

  test('is no number of listen streams with long filters', async () => {
    const at = await serve({}, {}, generous({ leftBehind: LIMITS }));
    const listen = stateless('subscriptions/listen', { notifications: { resourceSubscriptions: [`big://${LONG}`] } });
    const statuses: number[] = [];
    for (let n = 0; n < 30; n += 1) statuses.push((await send(at, { ...listen, from: GREEDY })).status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(at.handler.health.streams);
    expect(statuses.at(-1)).toBe(429);
    expect(leftBehind(at)).toBeLessThanOrEqual(LIMITS.maxBytesPerCaller);
    expect((await send(at, { ...listen, from: HONEST })).status).toBe(200);
  });

  test('is no number of tasks that run with long arguments', async () => {
    const server = generous({ leftBehind: LIMITS });
    const config = { inputSchema: z.object({ text: z.string() }), task: 'required' } as const;
    server.registerTool('hang', config, async (_args, ctx) => {
      await new Promise((resolve) => ctx.signal.addEventListener('abort', resolve));
      return { content: [] };
    });
    const at = await serve({}, {}, server);
    const begin = async (from: string): Promise<string | undefined> => {
      const call = stateless('tools/call', { name: 'hang', arguments: { text: LONG } }, { meta: META(declared) });
      const answer = await (await send(at, { ...call, from })).json();
      return (answer as unknown as { result?: { taskId: string } }).result?.taskId;
    };
    const begun: (string | undefined)[] = [];
    for (let n = 0; n < 30; n += 1) begun.push(await begin(GREEDY));
    const running = begun.filter((taskId) => taskId !== undefined);
    expect(running.length).toBeLessThanOrEqual(20);
    expect(begun.at(-1)).toBeUndefined();
    expect(leftBehind(at)).toBeLessThanOrEqual(LIMITS.maxBytesPerCaller);
    expect(await begin(HONEST)).toBeDefined();
    // Where all callers together hold too much, the oldest task of one who holds the most is cancelled.
    for (let address = 10; address < 14; address += 1)
      for (let n = 0; n < 19; n += 1) await begin(`127.0.0.${address}`);
    expect(leftBehind(at)).toBeLessThanOrEqual(LIMITS.maxBytes);
    const statuses = await Promise.all(running.slice(0, 3).map((taskId) => statusOf(at, GREEDY, taskId)));
    expect(statuses).toContain('cancelled');
    for (const taskId of running) {
      const cancel = stateless('tasks/cancel', { taskId }, { meta: META(declared), headers: { 'mcp-name': taskId } });
      await (await send(at, { ...cancel, from: GREEDY })).finish();
    }
    await expect.poll(() => coreOf(at.server).leftBehind.bytesOf(`open:address:${GREEDY}`)).toBe(0);
  });
});

test(
  'what strangers leave behind in a store of the process is bounded in the same way',
  { timeout: 60_000 },
  async () => {
    const store = memoryStore(LIMITS);
    const at = await serve({ store }, {}, generous());
    const honest = await finishTask(at, HONEST, 1000);
    for (let n = 0; n < 30; n += 1) await finishTask(at, GREEDY, 200_000);
    for (let n = 0; n < 30; n += 1) await keepEvent(at, GREEDY, 200_000);
    const sum = async (prefix: string): Promise<number> => {
      const records = await Promise.all((await store.keys(prefix)).map((key) => store.get(key)));
      return JSON.stringify(records).length;
    };
    expect(await sum('task:r:')).toBeLessThan(LIMITS.maxBytesPerCaller);
    expect(await statusOf(at, HONEST, honest)).toBe('completed');
  },
);
