import { describe, expect, test } from 'vitest';
import { text } from '../../src/server/index.ts';
import type { TaskEvent } from '../../src/server/tasks/index.ts';
import { memoryStore } from '../../src/stores/memory.ts';
import { ManualClock } from '../../src/testing/manual-clock.ts';
import { proves } from '../requirements/proves.ts';
import { auth, quiet, stateless, Wire } from '../server/wire.ts';
import { Bench, beginCore, beginExtension, core, declared, ended, get, until } from './bench.ts';

const HOUR = 3_600_000;

describe('how long a task is kept', () => {
  proves('L-TASKS-034, L-TASKS-071').test('is what the client asks for, up to the longest there is', async () => {
    const wire = await Wire.open(new Bench({ tasks: { ttlMs: 500, maxTtlMs: 60_000 } }).server);
    expect((await beginCore(wire, 'slow', { key: 'a' })).ttl).toBe(500);
    expect((await beginCore(wire, 'slow', { key: 'b' }, { ttl: 7000 })).ttl).toBe(7000);
    expect((await beginCore(wire, 'slow', { key: 'c' }, { ttl: 10 * HOUR })).ttl).toBe(60_000);
    const standard = await Wire.open(new Bench().server);
    expect((await beginCore(standard, 'slow', { key: 'a' }, { ttl: 1e15 })).ttl).toBe(24 * HOUR);
  });

  test('a tool may say it for itself, and how often to look', async () => {
    const bench = new Bench({ tasks: { maxTtlMs: 9000 } });
    const task = { support: 'optional', ttlMs: 50_000, pollIntervalMs: 77 } as const;
    bench.server.registerTool('own', { task }, () => text('x'));
    const wire = await Wire.open(bench.server, declared);
    expect(await beginExtension(wire, 'own')).toMatchObject({ ttlMs: 9000, pollIntervalMs: 77 });
  });

  proves('L-TASKS-036, L-TASKS-072').test(
    'then it is gone, its handler is stopped and nothing of it is left',
    async () => {
      const clock = new ManualClock(1000);
      const store = memoryStore({ now: () => clock.now(), sweepMs: 1 });
      const bench = new Bench({ clock, tasks: { store, list: true } });
      const wire = await Wire.open(bench.server, declared);
      const { taskId } = await beginCore(wire, 'slow', { key: 'a' }, { ttl: 20_000 });
      const done = await beginCore(wire, 'must', {}, { ttl: 20_000 });
      await until(wire, done.taskId, ended, core);
      await clock.advance(19_999);
      expect((await get(wire, taskId, core)).status).toBe('working');
      await clock.advance(2);
      await quiet();
      expect(bench.did).toEqual(['began:a', 'aborted:a']);
      for (const id of [taskId, done.taskId]) {
        for (const method of ['tasks/get', 'tasks/result', 'tasks/cancel'])
          expect((await wire.error(method, { taskId: id }, core)).code).toBe(-32602);
        expect((await wire.error('tasks/get', { taskId: id }, stateless)).code).toBe(-32602);
      }
      expect((await wire.result('tasks/list', {}, core)).tasks).toEqual([]);
      bench.gate('a').open('late');
      await quiet();
      await clock.advance(60_000);
      expect(await store.keys('task:')).toEqual([]);
    },
  );

  proves('L-TASKS-072').test('what served only to bring about a result goes with its end', async () => {
    const store = memoryStore();
    const bench = new Bench({ tasks: { store } });
    bench.server.registerTool('steps', { task: 'optional' }, async (ctx) => {
      await ctx.step('one', () => 1);
      return text('done');
    });
    const wire = await Wire.open(bench.server, declared);
    const { taskId } = await beginExtension(wire, 'steps');
    await until(wire, taskId, ended);
    await quiet();
    expect((await store.keys('task:')).map((key) => key.slice(0, 7))).toEqual(['task:r:']);
    expect((await store.get(`task:r:${taskId}`))?.value).toMatchObject({ call: { params: {}, facts: {} } });
  });

  test.each([{ ttlMs: 0 }, { maxTtlMs: Number.NaN }, { maxPerCaller: 0 }, { pollIntervalMs: -1 }])(
    'options that cannot be kept are refused: %j',
    (tasks) => {
      expect(() => new Bench({ tasks })).toThrow('must be at least 1');
    },
  );
});

describe('how many', () => {
  proves('L-TASKS-070').test(
    'one caller may have at a time is limited, and counts only what has not ended',
    async () => {
      const bench = new Bench({ tasks: { maxPerCaller: 2 } });
      const wire = await Wire.open(bench.server, declared);
      const ada = { authInfo: auth('ada') };
      const { taskId } = await beginExtension(wire, 'slow', { key: 'a' }, ada);
      await beginExtension(wire, 'slow', { key: 'b' }, ada);
      const refused = await wire.error('tools/call', { name: 'slow', arguments: { key: 'c' } }, stateless, ada);
      expect(refused).toMatchObject({ code: 429, message: expect.stringContaining('2 tasks') });
      await beginExtension(wire, 'slow', { key: 'd' }, { authInfo: auth('eve') });
      await wire.result('tasks/cancel', { taskId }, stateless, ada);
      await beginExtension(wire, 'slow', { key: 'e' }, ada);
      bench.gate('b').open(undefined);
      await quiet();
      await beginExtension(wire, 'slow', { key: 'f' }, ada);
      expect(bench.did).not.toContain('began:c');
    },
  );

  proves('L-TASKS-069, M-TASK-017').test('operations on tasks can be limited like any other', async () => {
    const wire = await Wire.open(new Bench({ limits: { 'tasks/get': { perSecond: 1, burst: 2 } } }).server, declared);
    const { taskId } = await beginExtension(wire, 'slow', { key: 'a' });
    await get(wire, taskId);
    await get(wire, taskId);
    expect((await wire.error('tasks/get', { taskId }, stateless)).code).toBe(429);
  });
});

describe('whose a task is', () => {
  const ada = { authInfo: auth('ada') };
  const eve = { authInfo: auth('eve') };

  proves('L-TASKS-063, L-TASKS-064, M-TASK-051').test(
    'nobody else can look at it, wait for it, answer it, listen for it or cancel it',
    async () => {
      const bench = new Bench({ tasks: { list: true } });
      const wire = await Wire.open(bench.server, declared);
      const { taskId } = await beginCore(wire, 'slow', { key: 'a' }, ada);
      for (const other of [eve, {}]) {
        for (const method of ['tasks/get', 'tasks/result', 'tasks/cancel'])
          expect((await wire.error(method, { taskId }, core, other)).code).toBe(-32602);
        for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel'])
          expect((await wire.error(method, { taskId, inputResponses: {} }, stateless, other)).code).toBe(-32602);
        const id = wire.start('subscriptions/listen', { notifications: { taskIds: [taskId] } }, stateless, other);
        await wire.answer(id);
      }
      expect((await get(wire, taskId, core, ada)).status).toBe('working');
      expect(wire.notified('notifications/tasks')).toEqual([]);
    },
  );

  proves('L-TASKS-063').test('one program used by two people is two callers', async () => {
    const wire = await Wire.open(new Bench().server, declared);
    const as = (sub: string): object => ({ authInfo: { ...auth('app'), extra: { sub } } });
    const { taskId } = await beginExtension(wire, 'slow', { key: 'a' }, as('ada'));
    expect((await wire.error('tasks/get', { taskId }, stateless, as('eve'))).code).toBe(-32602);
    expect((await get(wire, taskId, stateless, as('ada'))).status).toBe('working');
  });

  proves('L-TASKS-063').test('a task that began without a name is not for callers with one', async () => {
    const wire = await Wire.open(new Bench().server, declared);
    const { taskId } = await beginExtension(wire, 'slow', { key: 'a' });
    expect((await wire.error('tasks/get', { taskId }, stateless, eve)).code).toBe(-32602);
  });

  proves('L-TASKS-065, L-TASKS-049').test('lists show exactly what a caller can look at', async () => {
    const wire = await Wire.open(new Bench({ tasks: { list: true } }).server, declared);
    const ids: Record<string, string[]> = { ada: [], eve: [] };
    for (const [name, who] of [
      ['ada', ada],
      ['eve', eve],
      ['ada', ada],
    ] as const)
      ids[name]?.push((await beginCore(wire, 'slow', { key: name }, who)).taskId);
    const done = await beginCore(wire, 'must', {}, ada);
    ids['ada']?.push(done.taskId);
    for (const [name, who] of [
      ['ada', ada],
      ['eve', eve],
    ] as const) {
      const { tasks } = await wire.result('tasks/list', {}, core, who);
      expect(tasks.map((task: any) => task.taskId).sort()).toEqual(ids[name]?.sort());
      for (const task of tasks) expect(await get(wire, task.taskId, core, who)).toEqual(task);
    }
    expect((await wire.result('tasks/list', {}, core)).tasks).toEqual([]);
  });

  test('no token of the caller is kept', async () => {
    const store = memoryStore();
    const wire = await Wire.open(new Bench({ tasks: { store } }).server, declared);
    const { taskId } = await beginExtension(wire, 'slow', { key: 'a' }, ada);
    const kept = JSON.stringify(await store.get(`task:r:${taskId}`));
    expect(kept).toContain('ada');
    expect(kept).not.toContain(ada.authInfo.token);
  });

  test('what happens to tasks is told to the program, and who tried what', async () => {
    const events: TaskEvent[] = [];
    const wire = await Wire.open(new Bench({ tasks: { onevent: (event) => events.push(event) } }).server, declared);
    const { taskId } = await beginExtension(wire, 'slow', { key: 'a' }, ada);
    await wire.error('tasks/get', { taskId }, stateless, eve);
    await wire.result('tasks/cancel', { taskId }, stateless, ada);
    expect(events.map(({ event, principal }) => [event, principal && JSON.parse(principal)[0]])).toEqual([
      ['created', 'ada'],
      ['refused', 'eve'],
      ['read', 'ada'],
      ['ended', undefined],
    ]);
  });
});

describe('a list of tasks', () => {
  proves('L-TASKS-047, L-TASKS-048, L-TASKS-042').test('comes in pages, oldest first, each once', async () => {
    const clock = new ManualClock(1000);
    const wire = await Wire.open(new Bench({ clock, tasks: { list: true, maxPerCaller: 500 } }).server);
    const made: string[] = [];
    for (let count = 0; count < 120; count += 1) {
      await clock.advance(1);
      made.push((await beginCore(wire, 'slow', { key: `${count}` })).taskId);
    }
    const listed: string[] = [];
    const sizes: number[] = [];
    let cursor: string | undefined;
    do {
      const page: any = await wire.result('tasks/list', cursor === undefined ? {} : { cursor }, core);
      expect(page).not.toHaveProperty('_meta');
      sizes.push(page.tasks.length);
      listed.push(...page.tasks.map((task: any) => task.taskId));
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    expect(sizes).toEqual([50, 50, 20]);
    expect(listed).toEqual(made);
  });

  proves('L-TASKS-057').test('a cursor that was not made by it is -32602', async () => {
    const wire = await Wire.open(new Bench({ tasks: { list: true } }).server);
    for (const cursor of ['nonsense', '', 5, btoa('../../x'), btoa('1:2'), '\u0000'])
      expect((await wire.error('tasks/list', { cursor }, core)).code).toBe(-32602);
  });
});
