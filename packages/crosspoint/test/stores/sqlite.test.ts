import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { openSqliteStore, sqliteStore, type SqliteStoreOptions } from '../../src/stores/sqlite.ts';
import type { Store } from '../../src/stores/store.ts';
import { StoreUnavailableError } from '../../src/stores/store-unavailable-error.ts';
import { DatabaseSync } from './recommended-driver.ts';
import { storeSuite } from './suite.ts';

const folder = mkdtempSync(join(tmpdir(), 'crosspoint-sqlite-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let files = 0;
let now = 1_000_000;

const newFile = (): string => join(folder, `${(files += 1)}.db`);

function opened(path: string, options: SqliteStoreOptions = {}): Store {
  const database = new DatabaseSync(path);
  const store = sqliteStore(database, { now: () => now, pollMs: 5, ...options });
  return Object.assign(store, {
    close: async () => {
      await (Object.getPrototypeOf(store) as Store).close.call(store);
      database.close();
    },
  });
}

const subject = {
  pass: async (ms: number) => {
    now += ms;
  },
  precisionMs: 1,
  countsBytes: false,
};

const limits = { maxBytes: 50_000, maxBytesPerCaller: 20_000 };

storeSuite('the SQLite store with a driver of the program', {
  ...subject,
  open: () => opened(newFile()),
  openLimited: () => opened(newFile(), limits),
});

const hasBuiltIn = await openSqliteStore(':memory:').then(
  async (store) => store.close().then(() => true),
  () => false,
);

if (hasBuiltIn)
  storeSuite('the SQLite store with the SQLite of the runtime', {
    ...subject,
    open: () => openSqliteStore(newFile(), { now: () => now, pollMs: 5 }),
    openLimited: () => openSqliteStore(newFile(), { now: () => now, pollMs: 5, ...limits }),
  });
else
  test('a runtime without SQLite says what to do', async () => {
    await expect(openSqliteStore(newFile())).rejects.toThrow(/On Node 20 install @photostructure\/sqlite@1/);
  });

test('what was kept is there when the file is opened again', async () => {
  const path = newFile();
  const before = opened(path);
  const version = await before.put('record', { a: 1 });
  const position = await before.append('log', 'entry');
  await before.close();
  const after = opened(path);
  expect(await after.get('record')).toEqual({ value: { a: 1 }, version });
  expect(await after.read('log')).toEqual([{ position, value: 'entry' }]);
  expect(Number(await after.append('log', 'next'))).toBeGreaterThan(Number(position));
  await after.close();
});

test('two who share a file see one another, and each hears the other', async () => {
  const path = newFile();
  const [one, two] = [opened(path), opened(path)];
  const heard: unknown[] = [];
  const hears = new Promise<void>((resolve) => {
    void one.subscribe('c', (message) => {
      heard.push(message);
      if (heard.length === 2) resolve();
    });
  });
  const first = (await one.put('a', 1)) ?? '';
  expect(await two.put('a', 2, { ifVersion: first })).toBeDefined();
  expect(await one.put('a', 3, { ifVersion: first })).toBeUndefined();
  await two.publish('c', 'from two');
  await one.publish('c', 'from one');
  await hears;
  expect(heard.sort()).toEqual(['from one', 'from two']);
  await one.close();
  await two.close();
});

test('a file that another process is making is waited for', async () => {
  const path = newFile();
  const program = fileURLToPath(new URL('../fixtures/stores/slow-maker.mjs', import.meta.url));
  const other = spawn(process.execPath, [program, path], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(other, 'exit');
  await once(other.stdout, 'data');
  const store = opened(path);
  await store.put('record', 1);
  expect((await store.get('record'))?.value).toBe(1);
  await store.close();
  expect(await ended).toEqual([0, null]);
});

test('a database that fails is a store that cannot be reached, and what it said does not reach the peer', async () => {
  const database = new DatabaseSync(newFile());
  const store = sqliteStore(database);
  await store.put('a', 1);
  database.exec('DROP TABLE crosspoint_records');
  const error: unknown = await store.get('a').catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(StoreUnavailableError);
  expect((error as Error).message).not.toContain('crosspoint_records');
  expect(String((error as Error).cause)).toContain('crosspoint_records');
  await store.close();
  database.close();
});

test('what has expired leaves the file while other things are written', async () => {
  const database = new DatabaseSync(newFile());
  const store = sqliteStore(database, { now: () => now, sweepMs: 100 });
  await store.put('record', 1, { ttlMs: 10 });
  await store.append('log', 1, { ttlMs: 10 });
  now += 200;
  await store.put('last', 1);
  const rows = (table: string): unknown[] => database.prepare(`SELECT * FROM ${table}`).all();
  expect(rows('crosspoint_records')).toHaveLength(1);
  expect(rows('crosspoint_entries')).toEqual([]);
  expect(rows('crosspoint_logs')).toEqual([]);
  await store.close();
  database.close();
});

test('what callers leave behind is counted exactly, whatever happens to it', async () => {
  const database = new DatabaseSync(newFile());
  const store = sqliteStore(database, { now: () => now, sweepMs: 100, maxBytes: 30_000, maxBytesPerCaller: 12_000 });
  let state = 11;
  const random = (below: number): number => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
  for (let step = 0; step < 300; step += 1) {
    now += random(5);
    const leftBy = random(5) === 0 ? {} : { leftBy: `caller ${random(6)}` };
    const name = `name ${random(20)}`;
    const text = 'x'.repeat(random(2000));
    const done = [
      () => store.put(name, text, { ...leftBy, ttlMs: 1 + random(500) }),
      () => store.append(name, text, { leftBy: 'logger', ttlMs: 1 + random(500), maxEntries: 1 + random(20) }),
      () => store.delete(name),
      () => store.deleteLog(name),
    ];
    await done[random(done.length)]?.();
  }
  const one = (sql: string): unknown => Object.values(database.prepare(sql).all()[0] as object)[0];
  expect(one('SELECT bytes FROM crosspoint_left_sum')).toBe(one('SELECT coalesce(sum(bytes), 0) FROM crosspoint_left'));
  expect(one('SELECT bytes FROM crosspoint_left_sum')).toBe(
    one('SELECT coalesce(sum(bytes), 0) FROM crosspoint_callers'),
  );
  expect(Number(one('SELECT max(bytes) FROM crosspoint_callers'))).toBeLessThanOrEqual(12_000);
  expect(Number(one('SELECT bytes FROM crosspoint_left_sum'))).toBeLessThanOrEqual(30_000);
  now += 10_000;
  await store.put('last', 1);
  expect(one('SELECT bytes FROM crosspoint_left_sum')).toBe(0);
  expect(one('SELECT count(*) FROM crosspoint_callers')).toBe(0);
  await store.close();
  database.close();
});
