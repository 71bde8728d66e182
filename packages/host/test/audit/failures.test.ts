import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createClient } from '@redis/client';
import { memoryStore, type Store } from 'crosspoint/stores';
import { redisStore } from 'crosspoint/stores/redis';
import { sqliteStore } from 'crosspoint/stores/sqlite';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { DatabaseSync } from '../../../crosspoint/test/stores/recommended-driver.ts';
import { AuditLog } from '../../src/audit/audit-log.ts';
import { headKey } from '../../src/audit/chain.ts';
import type { AuditEntry } from '../../src/audit/event.ts';
import { STORES, openTwice, redisUrl } from '../stores.ts';
import { failingStore, type Failure } from './failing-store.ts';

async function numbersIn(log: AuditLog): Promise<unknown[]> {
  const found: unknown[] = [];
  for await (const { event } of log.read({ type: 'call' })) found.push(event.details['i']);
  return found;
}

const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);

/** Writes events in three batches of several. Returns the number of those that were told to be written. */
async function writeThree(log: AuditLog): Promise<number> {
  let written = 0;
  for (let batch = 0; batch < 3; batch++) {
    for (let i = 1; i <= 4; i++) log.write({ type: 'call', details: { i: batch * 4 + i } });
    if (await log.flush(200)) written = batch * 4 + 4;
  }
  return written;
}

const POINTS = upTo(20).flatMap((at) => (['never', 'at once'] as const).map((made) => ({ at, made })));

describe('a process that ends while it writes', () => {
  it.each(POINTS)(
    'at write $at, which is made $made, loses nothing that was told, and the log is whole',
    async (point) => {
      const store = memoryStore({ shared: true });
      const failing = failingStore(store, { ...point, forever: true });
      const first = new AuditLog({ store: failing, retryMs: 100_000 });
      const told = await writeThree(first);
      const problems: string[] = [];
      const next = new AuditLog({ store, onproblem: (error) => void problems.push(error.message) });
      // A reader takes the last entries from the head before anybody has written anything.
      expect(await next.verify()).toMatchObject({ ok: true, problems: [] });
      next.write({ type: 'call', details: { i: 'next' } });
      expect(await next.verify()).toMatchObject({ ok: true, problems: [] });
      expect(problems).toEqual([]);
      const numbers = await numbersIn(next);
      expect(numbers.at(-1)).toBe('next');
      const kept = numbers.slice(0, -1);
      expect(kept).toEqual(upTo(kept.length));
      expect(kept.length).toBeGreaterThanOrEqual(told);
      // The next run has taken the entries out of the head: a missing one is missed again.
      const { value } = (await store.get(headKey({ store, name: 'audit' }))) ?? {};
      expect(value).toMatchObject({ pending: [] });
    },
  );

  it('has more points than there are writes', async () => {
    const failing = failingStore(memoryStore(), { at: 0, made: 'never', forever: false });
    await writeThree(new AuditLog({ store: failing }));
    expect(failing.writes).toBeLessThanOrEqual(20);
  });
});

describe.each(STORES)('a store (%s) that fails for a moment', (name) => {
  const cases: Failure[] = (name === 'memory' ? upTo(20) : [1, 3]).flatMap((at) =>
    (['never', 'at once', 'late'] as const).map((made) => ({ at, made, forever: false })),
  );

  it('gets every event once, in order, whatever became of the write that failed', { timeout: 120_000 }, async () => {
    for (const failure of cases) {
      const [store, other] = openTwice(name);
      const problems: string[] = [];
      const log = new AuditLog({
        store: failingStore(store, failure),
        retryMs: 1,
        onproblem: (error) => void problems.push(error.message),
      });
      await writeThree(log);
      // Another process goes on in between.
      const second = new AuditLog({ store: other });
      second.write({ type: 'other', details: {} });
      await second.flush();
      if (failure.made === 'late') await new Promise((resolve) => setTimeout(resolve, 30));
      log.write({ type: 'call', details: { i: 13 } });
      while (!(await log.flush())) await new Promise((resolve) => setTimeout(resolve, 5));
      expect([failure, await numbersIn(second)]).toEqual([failure, upTo(13)]);
      expect(await second.verify()).toMatchObject({ ok: true, problems: [] });
      expect(problems.filter((text) => /set back|removed|stood in/.test(text))).toEqual([]);
    }
  });
});

it('a write that failed and is made just before the next try does not double the events', async () => {
  const store = memoryStore();
  let held: (() => Promise<unknown>) | undefined;
  let tries = 0;
  const put: Store['put'] = async (key, ...rest) => {
    if (key !== headKey({ store, name: 'audit' })) return store.put(key, ...rest);
    if ((tries += 1) === 1) {
      held = () => store.put(key, ...rest);
      throw new Error('no answer');
    }
    await held?.();
    held = undefined;
    return store.put(key, ...rest);
  };
  const slow = new Proxy(store, { get: (of, name) => (name === 'put' ? put : bound(of, name)) });
  const log = new AuditLog({ store: slow, retryMs: 1 });
  for (const i of upTo(4)) log.write({ type: 'call', details: { i } });
  expect(await log.flush()).toBe(false);
  expect(await log.flush()).toBe(true);
  expect(await numbersIn(log)).toEqual(upTo(4));
  expect(await log.verify()).toEqual({ ok: true, entries: 4, problems: [] });
});

function bound(of: Store, name: string | symbol): unknown {
  const value: unknown = Reflect.get(of, name);
  return typeof value === 'function' ? value.bind(of) : value;
}

describe('a store that is gone for long', () => {
  it('is told, never thrown; too many events are lost, and their number is written when it is back', async () => {
    const store = memoryStore();
    let isGone = true;
    const flaky = new Proxy(store, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name);
        if (typeof value !== 'function') return value;
        return (...given: unknown[]) =>
          isGone ? Promise.reject(new Error('gone')) : (value as (...g: unknown[]) => unknown).apply(target, given);
      },
    });
    const problems: string[] = [];
    const log = new AuditLog({
      store: flaky,
      maxQueued: 2000,
      retryMs: 1,
      onproblem: (error) => {
        problems.push(error.message);
        throw new Error('a careless callback');
      },
    });
    for (let i = 1; i <= 100; i++) log.write({ type: 'call', details: { i } });
    expect(await log.flush(50)).toBe(false);
    expect(problems).toContain('gone');
    expect(problems.filter((text) => text.includes('further ones are lost'))).toHaveLength(1);
    isGone = false;
    expect(await log.flush()).toBe(true);
    const kept = await numbersIn(log);
    expect(kept).toEqual(upTo(kept.length));
    const marks: AuditEntry[] = [];
    for await (const entry of log.read({ type: 'audit' })) marks.push(entry);
    expect(marks.map(({ event }) => event.details)).toEqual([{ lost: 100 - kept.length }]);
    expect((await log.verify()).ok).toBe(true);
  });

  it('is tried again by itself', async () => {
    const log = new AuditLog({
      store: failingStore(memoryStore(), { at: 1, made: 'never', forever: false }),
      retryMs: 1,
    });
    log.write({ type: 'call', details: { i: 1 } });
    await expect.poll(() => numbersIn(log)).toEqual([1]);
  });

  it('does not answer: nothing waits for ever', async () => {
    const silent = { ...memoryStore(), get: () => new Promise<never>(() => {}) } as unknown as Store;
    const log = new AuditLog({ store: silent });
    log.write({ type: 'call', details: {} });
    expect(await log.flush(20)).toBe(false);
    expect(await log.close(20)).toBe(false);
  });

  it('takes nothing after it was closed', async () => {
    const problems: string[] = [];
    const log = new AuditLog({ store: memoryStore(), onproblem: (error) => void problems.push(error.message) });
    log.write({ type: 'call', details: { i: 1 } });
    expect(await log.close()).toBe(true);
    log.write({ type: 'call', details: { i: 2 } });
    expect(await numbersIn(log)).toEqual([1]);
    expect(problems).toEqual(['The audit log is closed: an event was not written.']);
  });
});

describe.each(STORES.filter((name) => name !== 'memory'))('processes that share a log in %s', (name) => {
  const program = fileURLToPath(new URL('audit-writer.mjs', import.meta.url));

  it('are killed while they write, and leave one whole chain', { timeout: 60_000 }, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'crosspoint-audit-'));
    const place = name === 'Redis' ? redisUrl() : join(folder, 'state.db');
    const lines: string[] = [];
    const children = [1, 2, 3, 4].map((writer) => {
      const child = spawn(process.execPath, [program, place, String(writer)], { stdio: ['ignore', 'pipe', 'ignore'] });
      child.stdout.on('data', (chunk: Buffer) => lines.push(...chunk.toString().trim().split('\n')));
      return child;
    });
    const linesOf = (writer: number): string[] => lines.filter((line) => line.startsWith(`${writer} `));
    for (const [index, child] of children.entries()) {
      await expect.poll(() => linesOf(index + 1).length, { timeout: 30_000 }).toBeGreaterThan(3);
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    }
    const { store, close } = open(place);
    const problems: string[] = [];
    const log = new AuditLog({ store, onproblem: (error) => void problems.push(error.message) });
    log.write({ type: 'end', details: {} });
    expect(await log.verify()).toMatchObject({ ok: true, problems: [] });
    expect(problems).toEqual([]);
    const byWriter = new Map<unknown, unknown[]>();
    for await (const { event } of log.read({ type: 'call' }))
      byWriter.set(event.details['writer'], [...(byWriter.get(event.details['writer']) ?? []), event.details['i']]);
    for (const writer of [1, 2, 3, 4]) {
      const kept = byWriter.get(writer) ?? [];
      expect(kept).toEqual(upTo(kept.length));
      const told = linesOf(writer).map((line) => Number(line.split(' ')[1]));
      expect(kept.length).toBeGreaterThanOrEqual(Math.max(...told));
    }
    await close();
    rmSync(folder, { recursive: true, force: true });
  });
});

/** The store that the processes of the test above have written. */
function open(place: string): { store: Store; close: () => Promise<void> } {
  const client = createClient({ url: redisUrl() });
  const database = place === redisUrl() ? undefined : new DatabaseSync(place);
  const store = database ? sqliteStore(database) : redisStore(client, { prefix: '{processes}:' });
  const close = async (): Promise<void> => {
    await store.close();
    if (database) database.close();
    else client.destroy();
  };
  return { store, close };
}
