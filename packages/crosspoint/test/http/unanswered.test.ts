import { afterEach, describe, expect, test } from 'vitest';
import type { McpServer } from '../../src/server/index.ts';
import { tasks } from '../../src/server/tasks/index.ts';
import { ManualClock } from '../../src/testing/manual-clock.ts';
import { HANDSHAKE, closeAll, makeServer, openSession, serve, until, type Answer, type Served } from './serving.ts';

afterEach(closeAll);

const MINUTE = 60_000;
const requestedSchema = { type: 'object', properties: { ok: { type: 'boolean' } } } as const;

/** A server whose tool `wait` asks, at once or in a microtask, and waits for the answer as long as it is told to. */
function asking(clock: ManualClock, timeout?: number): McpServer {
  const server = makeServer({ clock });
  for (const tool of ['wait', 'wait a microtask before'])
    server.registerTool(tool, {}, async (ctx) => {
      const options = timeout === undefined ? {} : { timeout };
      if (tool !== 'wait') await Promise.resolve();
      const answer = await ctx.elicit({ message: 'Go on?', requestedSchema }, options);
      return { content: [{ type: 'text', text: answer.action }] };
    });
  server.use(tasks());
  server.registerTool('task', { task: 'required' }, async (ctx) => {
    const answer = await ctx.elicit({ message: 'Go on?', requestedSchema });
    return { content: [{ type: 'text', text: answer.action }] };
  });
  return server;
}

const asked = (answer: Answer): Promise<void> =>
  until(() => answer.messages.some(({ method }) => method === 'elicitation/create'));

/** Opens a session whose client is asked something, goes away, and never answers. */
async function abandon(at: Served, tool: string): Promise<void> {
  const session = await openSession(at, HANDSHAKE, { elicitation: {} });
  const answer = await session.call(1, tool);
  await asked(answer);
  answer.abort();
  const connections = (): Promise<number> =>
    new Promise((resolve) => at.http.getConnections((_error, count) => resolve(count)));
  await expect.poll(connections, { interval: 2 }).toBe(0);
}

describe('a question that is never answered', () => {
  test('ends after ten minutes, and the client that still listens is told', async () => {
    const clock = new ManualClock(1_000_000);
    const at = await serve({}, {}, asking(clock));
    const session = await openSession(at, HANDSHAKE, { elicitation: {} });
    const answer = await session.call(1, 'wait');
    await asked(answer);
    await clock.advance(10 * MINUTE - 1000);
    expect(answer.ended).toBe(false);
    // Progress on a question prolongs nothing.
    const { id } = answer.messages.find(({ method }) => method === 'elicitation/create') ?? {};
    const params = { progressToken: id, progress: 1 };
    await session.post({ jsonrpc: '2.0', method: 'notifications/progress', params });
    await clock.advance(2000);
    await answer.finish();
    const said = answer.messages.map(({ method }) => method);
    expect(said).toEqual(['elicitation/create', 'notifications/cancelled', undefined]);
    expect(answer.messages.at(-1)).toMatchObject({ id: 1, result: { isError: true } });
  });

  test('does not keep the session of a client that has gone', async () => {
    const clock = new ManualClock(1_000_000);
    const at = await serve({ sessions: { idleMs: 30 * MINUTE } }, {}, asking(clock));
    for (let n = 0; n < 10; n += 1) await abandon(at, 'wait');
    expect(at.handler.health.sessions).toBe(10);
    await until(() => at.handler.health.working === 10);
    await clock.advance(45 * MINUTE);
    expect([at.handler.health.sessions, at.handler.health.working]).toEqual([0, 0]);
    expect(clock.pending).toBe(0);
  });

  test('does not keep it either where the tool wants to wait for ever', async () => {
    const clock = new ManualClock(1_000_000);
    const at = await serve({ sessions: { idleMs: 30 * MINUTE } }, {}, asking(clock, 0));
    await abandon(at, 'wait');
    await abandon(at, 'wait a microtask before');
    await clock.advance(25 * MINUTE);
    expect(at.handler.health.sessions).toBe(2);
    await clock.advance(20 * MINUTE);
    expect([at.handler.health.sessions, at.handler.health.working]).toEqual([0, 0]);
  });

  test('may last as long as the tool says, and for ever while its client is there', async () => {
    const clock = new ManualClock(1_000_000);
    const at = await serve({ sessions: { idleMs: 30 * MINUTE } }, {}, asking(clock, 0));
    const session = await openSession(at, HANDSHAKE, { elicitation: {} });
    const answer = await session.call(1, 'wait');
    await asked(answer);
    await clock.advance(300 * MINUTE);
    const { id } = answer.messages.find(({ method }) => method === 'elicitation/create') ?? {};
    await session.post({ jsonrpc: '2.0', id, result: { action: 'decline' } });
    await answer.finish();
    expect(answer.messages.at(-1)?.result?.content?.[0]?.text).toBe('decline');
  });

  test('of a task may be answered while the task lives', async () => {
    const clock = new ManualClock(1_000_000);
    const at = await serve({}, {}, asking(clock));
    const session = await openSession(at, HANDSHAKE, { elicitation: {} });
    const begin = { name: 'task', task: { ttl: 60 * MINUTE } };
    const begun = await session.post({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: begin });
    await begun.finish();
    const [told] = begun.messages as unknown as { result: { task: { taskId: string } } }[];
    const taskId = told?.result.task.taskId;
    const result = await session.post({ jsonrpc: '2.0', id: 2, method: 'tasks/result', params: { taskId } });
    await asked(result);
    await clock.advance(50 * MINUTE);
    expect(result.messages.map(({ method }) => method)).toEqual(['elicitation/create']);
    await clock.advance(11 * MINUTE);
    await result.finish();
    expect(result.messages.at(-1)).toMatchObject({ id: 2, error: {} });
  });
});
