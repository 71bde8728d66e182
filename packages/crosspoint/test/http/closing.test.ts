import { afterEach, describe, expect, test } from 'vitest';
import { ManualClock } from '../../src/testing/manual-clock.ts';
import { closeAll, initialize, makeServer, openSession, send, serve, stateless, until } from './serving.ts';

afterEach(closeAll);

describe('close', () => {
  test('refuses what is new with 503, lets what is being worked on finish, and is done then', async () => {
    const at = await serve({ healthPath: '/health' });
    const session = await openSession(at);
    const pending = [
      send(at, stateless('tools/call', { name: 'later', arguments: { text: 'a', ms: 80 } })),
      session.call(1, 'later', { text: 'b', ms: 80 }),
    ];
    await until(() => at.handler.health.working === 2);
    const closing = at.handler.close({ grace: 60_000 });
    expect(at.handler.health.ready).toBe(false);
    for (const [method, path] of [
      ['POST', '/mcp'],
      ['GET', '/mcp'],
      ['GET', '/sse'],
      ['GET', '/health'],
    ] as const) {
      const refused = await send(at, { method, path, ...(method === 'POST' && { body: initialize() }) });
      expect([refused.status, refused.headers['retry-after']]).toEqual([503, '1']);
    }
    await closing;
    const [one, other] = await Promise.all(pending);
    expect((await one?.json())?.result).toMatchObject({ content: [{ text: 'a' }] });
    expect((await other?.finish())?.messages).toMatchObject([{ id: 1, result: { content: [{ text: 'b' }] } }]);
    expect(at.handler.health).toEqual({ ready: false, working: 0, sessions: 0, streams: 0 });
    expect(at.server.isConnected()).toBe(false);
  });

  test('a session that ends in the turn in which a request came refuses it, and leaves nothing at work', async () => {
    const clock = new ManualClock(1_000_000);
    const server = makeServer({ clock });
    server.registerTool('quit', {}, async () => {
      await Promise.resolve();
      void server.close();
      return new Promise(() => {});
    });
    const at = await serve({}, {}, server);
    const session = await openSession(at);
    const refused = await session.call(1, 'quit');
    expect([refused.status, refused.headers['content-type']]).toEqual([503, 'application/json']);
    await until(() => at.handler.health.sessions === 0);
    await new Promise((resolve) => setImmediate(resolve));
    expect(at.handler.health).toMatchObject({ working: 0, sessions: 0, streams: 0 });
    await clock.advance(60 * 60_000);
    expect(clock.pending).toBe(0);
  });

  test('aborts what is not done in time, and answers it', async () => {
    const server = makeServer();
    const aborted: unknown[] = [];
    server.registerTool(
      'forever',
      {},
      (ctx) =>
        new Promise((resolve) => {
          ctx.signal.addEventListener('abort', () => {
            aborted.push(ctx.requestId);
            resolve({ content: [] });
          });
        }),
    );
    const at = await serve({}, {}, server);
    const session = await openSession(at);
    const plain = send(at, stateless('tools/call', { name: 'forever' }, { id: 'plain' }));
    const held = session.call('held', 'forever');
    const sse = await send(at, { method: 'GET', path: '/sse' });
    await until(() => at.handler.health.working === 2 && sse.frames.length === 1);
    await at.handler.close({ grace: 30 });
    await until(() => aborted.length === 2);
    const refused = await plain;
    expect(refused.status).toBe(503);
    expect(await refused.json()).toMatchObject({ id: 'plain', error: { code: -32603 } });
    await (await held).finish();
    await sse.finish();
    expect(server.isConnected()).toBe(false);
  });

  test('waits for calls over the older transport, whose answers come on the stream', async () => {
    const at = await serve();
    const stream = await send(at, { method: 'GET', path: '/sse' });
    await until(() => stream.frames.length === 1);
    const path = stream.frames[0]?.data ?? '';
    await send(at, { path, body: initialize('2024-11-05') });
    await send(at, {
      path,
      body: {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'later', arguments: { text: 'x', ms: 60 } },
      },
    });
    await at.handler.close({ grace: 60_000 });
    await stream.finish();
    expect(stream.messages.at(-1)).toMatchObject({ id: 1, result: { content: [{ text: 'x' }] } });
  });

  test('may be called again, and a handler that is closed leaves the server usable', async () => {
    const server = makeServer();
    const at = await serve({}, {}, server);
    await Promise.all([at.handler.close(), at.handler.close({ grace: 0 })]);
    const other = await serve({}, {}, server);
    expect((await send(other, stateless('tools/list'))).status).toBe(200);
  });
});

describe('health', () => {
  test('is told on its own path, with GET and HEAD alone', async () => {
    const at = await serve({ healthPath: '/health', path: '/mcp' });
    const answer = await send(at, { method: 'GET', path: '/health' });
    expect([answer.status, answer.headers['cache-control']]).toEqual([200, 'no-store']);
    expect(await answer.json()).toEqual({ status: 'ok' });
    expect((await send(at, { method: 'HEAD', path: '/health' })).status).toBe(200);
    expect((await send(at, { path: '/health', body: initialize() })).status).toBe(405);
    const without = await serve({ path: '/mcp' });
    expect((await send(without, { method: 'GET', path: '/health' })).status).toBe(404);
  });
});
