import { describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { McpServer, completable, text, type McpServerOptions } from '../../src/server/index.ts';
import { memoryStore } from '../../src/stores/memory.ts';
import { ManualClock } from '../../src/testing/index.ts';
import { proves } from '../requirements/proves.ts';
import { Bench, declared } from '../tasks/bench.ts';
import { Wire, auth, everyRevision, gate, newestHandshake, quiet, stateless } from './wire.ts';

const info = { name: 'limited', version: '1.0' };

describe.each(everyRevision)('the limits of a server, %s', (_id, revision) => {
  proves('L-TOOLS-039, M-TOOL-031').test(
    'stop a caller with a name that calls tools without end, unless the program lifts them',
    async () => {
      const served = async (server: McpServer): Promise<number> => {
        server.registerTool('quick', {}, () => text('done'));
        const wire = await Wire.open(server);
        const options = { authInfo: auth('ann') };
        let count = 0;
        while (
          count < 2100 &&
          (await wire.request('tools/call', { name: 'quick' }, revision, options)).error === undefined
        )
          count += 1;
        return count;
      };
      const clock = new ManualClock();
      expect(await served(new McpServer(info, { clock }))).toBe(2000);
      expect(await served(new McpServer(info, { clock, limits: { 'tools/call': false } }))).toBe(2100);
    },
  );

  proves('L-COMPLETION-015').test('count completions by prompt where the program says so', async () => {
    const server = new McpServer(info, {
      limits: { 'completion/complete': { perSecond: 100, names: { dear: { perSecond: 0.001, burst: 1 } } } },
    });
    for (const name of ['dear', 'cheap'])
      server.registerPrompt(name, { argsSchema: { x: completable(z.string(), () => ['a']) } }, () => ({
        messages: [],
      }));
    const wire = await Wire.open(server);
    const complete = async (name: string): Promise<number | undefined> => {
      const params = { ref: { type: 'ref/prompt', name }, argument: { name: 'x', value: '' } };
      return (await wire.request('completion/complete', params, revision)).error?.code;
    };
    expect([await complete('dear'), await complete('dear'), await complete('cheap')]).toEqual([
      undefined,
      429,
      undefined,
    ]);
  });

  test('say how long to wait, and time gives back what was used', async () => {
    const clock = new ManualClock();
    const server = new McpServer(info, { clock, limits: { 'tools/call': { perSecond: 2, burst: 1 } } });
    server.registerTool('act', {}, () => text('done'));
    const wire = await Wire.open(server);
    await wire.call('act', {}, revision);
    const refused = await wire.error('tools/call', { name: 'act' }, revision);
    expect(refused).toMatchObject({ code: 429, data: { retryAfterMs: 500 } });
    expect(refused.message).toContain('tools/call is limited to 2 calls per second');
    await clock.advance(500);
    await wire.call('act', {}, revision);
  });

  proves('L-PROGRESS-010, M-PROG-008').test('thin progress as the program says', async () => {
    const reports = async (options: McpServerOptions): Promise<number> => {
      const server = new McpServer(info, { clock: new ManualClock(), ...options });
      server.registerTool('busy', {}, (ctx) => {
        for (let step = 1; step <= 200; step += 1) ctx.progress(step);
        return text('done');
      });
      const wire = await Wire.open(server);
      await wire.call('busy', {}, revision, { progressToken: 'p' });
      return wire.notified('notifications/progress').length;
    };
    expect(await reports({})).toBe(51);
    expect(await reports({ limits: { 'notifications/progress': { perSecond: 1, burst: 10 } } })).toBe(11);
    expect(await reports({ limits: { 'notifications/progress': false } })).toBe(200);
  });

  proves('L-LOGGING-008').test('thin log messages as the program says', async () => {
    const server = new McpServer(info, {
      clock: new ManualClock(),
      capabilities: { logging: {} },
      limits: { 'notifications/message': { perSecond: 1, burst: 10 } },
    });
    server.registerTool('chatty', {}, (ctx) => {
      for (let line = 0; line < 100; line += 1) ctx.log('info', line);
      return text('done');
    });
    const wire = await Wire.open(server);
    await wire.call('chatty', {}, revision, { logLevel: 'debug' });
    expect(wire.notified('notifications/message')).toHaveLength(10);
  });
});

proves('L-TASKS-069').test('task operations are limited for a caller with a name, all of them together', async () => {
  const bench = new Bench({ clock: new ManualClock(), limits: { 'tasks/*': { perSecond: 1, burst: 3 } } });
  const wire = await Wire.open(bench.server, declared);
  const options = { authInfo: auth('ann') };
  const { taskId } = await wire.result('tools/call', { name: 'slow', arguments: { key: 'a' } }, stateless, options);
  const code = async (method: string): Promise<number | undefined> =>
    (await wire.request(method, { taskId }, stateless, options)).error?.code;
  expect([await code('tasks/get'), await code('tasks/get'), await code('tasks/cancel')]).not.toContain(429);
  expect([await code('tasks/get'), await code('tasks/cancel')]).toEqual([429, 429]);
});

test('a flood of notifications reaches the program no faster than the limit', async () => {
  const server = new McpServer(info, {
    clock: new ManualClock(),
    limits: { 'notifications/*': { perSecond: 1, burst: 5 } },
  });
  const heard = vi.fn();
  server.server.setNotificationHandler('notifications/roots/list_changed', heard);
  const wire = await Wire.open(server);
  await wire.handshake(newestHandshake);
  for (let count = 0; count < 50; count += 1) wire.notify('notifications/roots/list_changed');
  await quiet();
  expect(heard).toHaveBeenCalledTimes(5);
});

describe('with a store that processes share', () => {
  test('callers are counted across servers: by name, and nobody else', async () => {
    const clock = new ManualClock();
    const store = memoryStore({ now: () => clock.now(), shared: true });
    const nodes = await Promise.all(
      [1, 2].map(async () => {
        const server = new McpServer(info, { clock, store, limits: { 'tools/call': { perSecond: 1, burst: 3 } } });
        server.registerTool('act', {}, () => text('done'));
        return Wire.open(server);
      }),
    );
    const codes = async (name: string): Promise<(number | undefined)[]> => {
      const found = [];
      for (let index = 0; index < 4; index += 1)
        found.push(
          (await nodes[index % 2]!.request('tools/call', { name: 'act' }, stateless, { authInfo: auth(name) })).error
            ?.code,
        );
      return found;
    };
    expect(await codes('ann')).toEqual([undefined, undefined, undefined, 429]);
    expect(await codes('bob')).toEqual([undefined, undefined, undefined, 429]);
  });

  test('a call that is cancelled while it is counted is not begun', async () => {
    const counted = gate();
    const inner = memoryStore({ shared: true });
    const store = Object.assign(Object.create(inner) as typeof inner, {
      get: async (key: string) => {
        await counted.promise;
        return inner.get(key);
      },
      put: (...args: Parameters<typeof inner.put>) => inner.put(...args),
    });
    const server = new McpServer(info, { store });
    const run = vi.fn(() => text('done'));
    server.registerTool('act', {}, run);
    const wire = await Wire.open(server);
    const options = { authInfo: auth('ann') };
    await wire.handshake(newestHandshake);
    const id = wire.start('tools/call', { name: 'act' }, newestHandshake, options);
    await quiet();
    wire.notify('notifications/cancelled', { requestId: id });
    await quiet();
    counted.open();
    await wire.result('tools/list', {}, newestHandshake, options);
    await quiet();
    expect(run).not.toHaveBeenCalled();
    expect(wire.answers(id)).toEqual([]);
  });
});
