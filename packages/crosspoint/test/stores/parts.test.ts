import { describe, expect, test } from 'vitest';
import { Channels } from '../../src/stores/channels.ts';
import { KeyTree } from '../../src/stores/key-tree.ts';
import { LeftBehind } from '../../src/stores/left-behind.ts';
import { LogFollower } from '../../src/stores/log-follower.ts';
import { memoryStore, memoryStoreWithin } from '../../src/stores/memory.ts';
import { refuseRace } from '../../src/stores/races.ts';
import { sqliteStore } from '../../src/stores/sqlite.ts';
import { StoreUnavailableError, isStoreUnavailable } from '../../src/stores/store-unavailable-error.ts';
import type { LogEntry, Store } from '../../src/stores/store.ts';
import { until } from '../until.ts';
import { DatabaseSync } from './recommended-driver.ts';

const soon = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));

describe('channels', () => {
  test('are there while they have a listener; each subscription ends alone, however often', async () => {
    const channels = new Channels();
    const heard: unknown[] = [];
    const listen = (message: unknown): void => void heard.push(message);
    const [one, two] = [channels.add('c', listen), channels.add('c', listen)];
    channels.add('d', listen);
    expect([channels.size, channels.has('c'), channels.has('x')]).toEqual([2, true, false]);
    channels.tell('c', '{"a":1}');
    channels.tell('x', '1');
    expect(heard).toEqual([]);
    await soon();
    expect(heard).toEqual([{ a: 1 }, { a: 1 }]);
    expect(heard[0]).not.toBe(heard[1]);
    one();
    one();
    expect(channels.has('c')).toBe(true);
    two();
    expect([channels.size, channels.has('c')]).toEqual([1, false]);
    // A subscription made since is not that of the old one.
    channels.add('c', listen);
    two();
    expect(channels.has('c')).toBe(true);
    channels.clear();
    expect(channels.size).toBe(0);
  });

  test('are cleared with what is under way, and an error of one listener reaches nobody', async () => {
    const channels = new Channels();
    const heard: unknown[] = [];
    channels.add('c', () => {
      throw new Error('of the program');
    });
    channels.add('c', (message) => heard.push(message));
    channels.tell('c', '1');
    await soon();
    expect(heard).toEqual([1]);
    channels.tell('c', '2');
    channels.clear();
    await soon();
    expect(heard).toEqual([1]);
  });
});

describe('a follower of a log', () => {
  interface Followed {
    readonly store: Store;
    readonly follower: LogFollower;
    readonly entries: unknown[];
    readonly problems: Error[];
    readonly reads: unknown[];
  }
  function followed(): Followed {
    const store = memoryStore();
    const [entries, problems, reads] = [[] as unknown[], [] as Error[], [] as unknown[]];
    const read = store.read.bind(store);
    store.read = (log, options) => (reads.push(options), read(log, options));
    const follower = new LogFollower({
      store,
      log: 'log',
      channel: 'grown',
      onentry: ({ value }: LogEntry) => entries.push(value),
      onproblem: (problem) => problems.push(problem),
    });
    return { store, follower, entries, problems, reads };
  }

  test('hands every entry over once, in order, when the channel or its owner wakes it', async () => {
    const { store, follower, entries, reads } = followed();
    await store.append('log', 1);
    follower.wake();
    await soon();
    expect(reads).toEqual([]);
    await follower.start(undefined);
    await soon();
    const position = await store.append('log', 2);
    await store.publish('grown', null);
    await soon();
    expect([entries, follower.position]).toEqual([[1, 2], position]);
    await store.append('log', 3);
    await soon();
    expect(entries).toEqual([1, 2]);
    follower.wake();
    follower.wake();
    await soon();
    expect(entries).toEqual([1, 2, 3]);
    await follower.stop();
    await store.append('log', 4);
    await store.publish('grown', null);
    follower.wake();
    await soon();
    expect(entries).toEqual([1, 2, 3]);
  });

  test('begins after a position, and reads in pages of 200 until there is nothing left', async () => {
    const { store, follower, entries, reads } = followed();
    const first = await store.append('log', 0);
    for (let index = 1; index <= 400; index += 1) await store.append('log', index);
    await follower.start(first);
    await soon();
    expect(entries).toEqual(Array.from({ length: 400 }, (_, index) => index + 1));
    expect(reads).toHaveLength(3);
    expect(reads[0]).toEqual({ after: first, limit: 200 });
    await follower.stop();
  });

  test('tells of a store that fails, and reads on at the next wake', async () => {
    const { store, follower, entries, problems } = followed();
    await store.append('log', 1);
    const read = store.read.bind(store);
    store.read = () => Promise.reject(new Error('down'));
    await follower.start(undefined);
    await soon();
    expect(problems.map(({ message }) => message)).toEqual(['down']);
    store.read = read;
    follower.wake();
    await soon();
    expect(entries).toEqual([1]);
    await follower.stop();
  });

  test('may be started again, and listens once', async () => {
    const { store, follower, entries } = followed();
    const subscribe = store.subscribe.bind(store);
    let listened = 0;
    store.subscribe = () => Promise.reject(new Error('down'));
    await expect(follower.start(undefined)).rejects.toThrow('down');
    store.subscribe = (...all) => ((listened += 1), subscribe(...all));
    await store.append('log', 1);
    await follower.start(undefined);
    await soon();
    await follower.start(undefined);
    await soon();
    expect([listened, entries]).toEqual([1, [1, 1]]);
    await follower.stop();
    await followed().follower.stop();
  });

  test('stops in the middle of its pages', async () => {
    const store = memoryStore();
    for (let index = 0; index < 400; index += 1) await store.append('log', index);
    let heard = 0;
    const onentry = (): void => {
      heard += 1;
      void follower.stop();
    };
    const follower = new LogFollower({ store, log: 'log', channel: 'grown', onentry, onproblem: () => {} });
    await follower.start(undefined);
    await soon();
    expect(heard).toBe(200);
  });
});

describe('the bytes of a memory store', () => {
  const opened = (): { left: LeftBehind; store: Store; pass: (ms: number) => void } => {
    let now = 0;
    const left = new LeftBehind({ maxBytes: 100_000, maxBytesPerCaller: 5000 });
    const store = memoryStoreWithin(left, { now: () => now, sweepMs: 100 });
    return { left, store, pass: (ms) => void (now += ms) };
  };

  test('are those of key and JSON, and 400 for a record', async () => {
    const { left, store } = opened();
    await store.put('key', 'abc', { leftBy: 'ann' });
    expect(left.bytesOf('ann')).toBe(400 + 3 + 5);
    await store.put('key', 'abcd', { leftBy: 'bob' });
    expect([left.bytesOf('ann'), left.bytesOf('bob')]).toEqual([0, 409]);
    await store.put('key', 1);
    expect(left.bytes).toBe(0);
  });

  test('are 800 for a log, and 100 for each entry that is kept', async () => {
    const { left, store } = opened();
    await store.append('log', 'ab', { leftBy: 'ann' });
    expect(left.bytesOf('ann')).toBe(800 + 3 + 4 + 100);
    await store.append('log', 'abc', { leftBy: 'ann' });
    expect(left.bytesOf('ann')).toBe(800 + 3 + 9 + 200);
    await store.append('log', 'abcd', { leftBy: 'ann', maxEntries: 1 });
    expect(left.bytesOf('ann')).toBe(800 + 3 + 6 + 100);
    await store.deleteLog('log');
    expect(left.bytes).toBe(0);
  });

  test('beyond the limit cost a log its oldest entries, and its last one with itself', async () => {
    const { left, store } = opened();
    for (let index = 0; index < 5; index += 1) await store.append('log', `${index}`.repeat(900), { leftBy: 'ann' });
    const kept = await store.read('log');
    expect(kept.map(({ value }) => (value as string)[0])).toEqual(['1', '2', '3', '4']);
    expect(left.bytesOf('ann')).toBe(800 + 3 + 4 * 1002);
    await store.append('log', 'x'.repeat(4200), { leftBy: 'ann' });
    expect(await store.read('log')).toEqual([]);
    expect(left.bytes).toBe(0);
  });

  test('are given back while others are written, once in a while', async () => {
    const { left, store, pass } = opened();
    await store.put('a', 1, { leftBy: 'ann', ttlMs: 10 });
    await store.append('l', 1, { leftBy: 'ann', ttlMs: 10 });
    pass(99);
    await store.put('b', 1);
    expect(left.bytes).toBeGreaterThan(0);
    pass(1);
    await store.append('other', 1);
    expect(left.bytes).toBe(0);
    await store.put('a', 1, { leftBy: 'ann', ttlMs: 10 });
    pass(99);
    await store.delete('none');
    expect(left.bytes).toBeGreaterThan(0);
    pass(1);
    await store.delete('none');
    expect(left.bytes).toBe(0);
    await store.put('a', 1, { leftBy: 'ann', ttlMs: 10 });
    pass(100);
    await store.add('sum', 1);
    expect(left.bytes).toBe(0);
  });

  test('of what has expired are given back when it is looked for', async () => {
    const { left, store, pass } = opened();
    await store.put('a', 1, { leftBy: 'ann', ttlMs: 10 });
    pass(9);
    expect(await store.get('a')).toBeDefined();
    pass(1);
    expect([await store.get('a'), left.bytes]).toEqual([undefined, 0]);
  });
});

describe('a memory store', () => {
  test('is shared only where that is said, and counts sums on from what was put', async () => {
    expect([memoryStore().isShared, memoryStore({ shared: true }).isShared]).toEqual([false, true]);
    expect(memoryStore().serving).toBeDefined();
    expect(memoryStoreWithin(new LeftBehind(), {}).serving).toBeUndefined();
    const store = memoryStore();
    await store.put('n', 5);
    expect(await store.add('n', 2)).toBe(7);
    await store.put('t', 'text');
    await expect(store.add('t', 1)).rejects.toThrow('The record t holds no number to add to.');
  });

  test('reads a log from any position, also one that was dropped or is none', async () => {
    const store = memoryStore();
    const positions: string[] = [];
    for (let index = 0; index < 10; index += 1) positions.push(await store.append('log', index, { maxEntries: 4 }));
    const values = async (after?: string, limit?: number): Promise<unknown[]> =>
      (await store.read('log', { ...(after !== undefined && { after }), ...(limit !== undefined && { limit }) })).map(
        ({ value }) => value,
      );
    expect(await values()).toEqual([6, 7, 8, 9]);
    expect(await values(positions[0])).toEqual([6, 7, 8, 9]);
    expect(await values(positions[7])).toEqual([8, 9]);
    expect(await values(positions[5], 2)).toEqual([6, 7]);
    expect(await values(positions[9])).toEqual([]);
    expect(await values('no position')).toEqual([]);
    expect(await store.read('other')).toEqual([]);
  });

  test('keeps the newest entry, however few bytes it may hold', async () => {
    const store = memoryStore();
    await store.append('log', 'aaaa');
    await store.append('log', 'bbbb', { maxBytes: 12 });
    expect(await store.read('log')).toHaveLength(2);
    await store.append('log', 'cccc', { maxBytes: 11 });
    expect((await store.read('log')).map(({ value }) => value)).toEqual(['cccc']);
    await store.append('log', 'dddd', { maxBytes: 0 });
    expect((await store.read('log')).map(({ value }) => value)).toEqual(['dddd']);
    await store.append('log', 'eeee', { maxEntries: 0 });
    expect(await store.read('log')).toHaveLength(1);
  });

  test('that is closed has nothing, and tells nobody', async () => {
    const store = memoryStore();
    const heard: unknown[] = [];
    await store.put('a', 1);
    await store.append('log', 1);
    await store.subscribe('c', (message) => heard.push(message));
    await store.close();
    await store.publish('c', 1);
    await soon();
    expect([await store.get('a'), await store.keys(''), await store.count(''), await store.read('log'), heard]).toEqual(
      [undefined, [], 0, [], []],
    );
  });
});

describe('the index of keys', () => {
  const visited = (tree: KeyTree, prefix: string): string[] => {
    const found: string[] = [];
    tree.visit(prefix, (key) => found.push(key));
    return found.sort();
  };
  const page = (tree: KeyTree, prefix: string, after?: string, limit = 10): string[] | undefined =>
    tree.page(prefix, { after, limit }, () => true);

  test('holds the kinds that were looked for, by their first two parts, or all', () => {
    const tree = new KeyTree();
    tree.add('a:b:1');
    expect([tree.covers('a:b:'), tree.covers('a:b:1'), tree.covers('a:c:'), tree.covers('a:c:x')]).toEqual([
      false,
      true,
      false,
      true,
    ]);
    tree.add('a:b:2');
    tree.add('x:y:3');
    expect([visited(tree, 'a:b:'), visited(tree, 'x:y:')]).toEqual([['a:b:2'], []]);
    expect([tree.covers('a:'), tree.covers('x:y:'), tree.covers('')]).toEqual([false, true, true]);
    tree.add('x:y:3');
    tree.add('plain');
    expect([visited(tree, 'x:y:'), visited(tree, 'pl'), visited(tree, 'a')]).toEqual([['x:y:3'], ['plain'], ['a:b:2']]);
    tree.delete('x:y:3');
    tree.delete('x:y:none');
    expect(visited(tree, '')).toEqual(['a:b:2', 'plain']);
  });

  test('gives pages of one branch in order, with what was added and without what was deleted since', () => {
    const tree = new KeyTree();
    tree.covers('a:b:');
    for (const leaf of ['3', '1', '5']) tree.add(`a:b:c:${leaf}`);
    expect(page(tree, 'a:b:c:')).toEqual(['a:b:c:1', 'a:b:c:3', 'a:b:c:5']);
    for (const leaf of ['4', '6', '4', '0']) tree.add(`a:b:c:${leaf}`);
    expect(page(tree, 'a:b:c:', 'a:b:c:1', 3)).toEqual(['a:b:c:3', 'a:b:c:4', 'a:b:c:5']);
    expect(page(tree, 'a:b:c:', 'a:b:c:6')).toEqual([]);
    const kept = new Set(['a:b:c:0', 'a:b:c:6']);
    for (const leaf of ['1', '3', '4', '5']) tree.delete(`a:b:c:${leaf}`);
    expect(tree.page('a:b:c:', { limit: 10 }, (key) => kept.has(key))).toEqual(['a:b:c:0', 'a:b:c:6']);
    expect(page(tree, 'a:b:c:')).toEqual(['a:b:c:0', 'a:b:c:6']);
    tree.delete('a:b:c:0');
    tree.add('a:b:c:0');
    expect(page(tree, 'a:b:c:')).toEqual(['a:b:c:0', 'a:b:c:6']);
    expect([page(tree, 'a:b:'), page(tree, 'a:b:c:0'), page(tree, 'a:b:x:')]).toEqual([undefined, undefined, []]);
  });

  test('serves a memory store: pages of keys, without those that have expired', async () => {
    let now = 0;
    const store = memoryStore({ now: () => now });
    for (const leaf of ['2', '1', '3', '4']) await store.put(`a:b:c:${leaf}`, 1, leaf === '3' ? { ttlMs: 10 } : {});
    expect(await store.keys('a:b:c:', { limit: 2 })).toEqual(['a:b:c:1', 'a:b:c:2']);
    now = 10;
    expect(await store.keys('a:b:c:', { after: 'a:b:c:1', limit: 2 })).toEqual(['a:b:c:2', 'a:b:c:4']);
    await store.append('a:b:c:2', 1);
    await store.deleteLog('a:b:c:2');
    expect([await store.keys('a:b:c:'), await store.keys('a:')]).toEqual([
      ['a:b:c:1', 'a:b:c:2', 'a:b:c:4'],
      ['a:b:c:1', 'a:b:c:2', 'a:b:c:4'],
    ]);
    await store.put('a:b:c:1', 2);
    expect(await store.count('a:b:c:')).toBe(3);
  });
});

describe('a SQLite store', () => {
  interface Opened {
    readonly store: Store;
    readonly pass: (ms: number) => void;
    readonly numbers: (sql: string) => number[];
  }
  function opened(options: Parameters<typeof sqliteStore>[1] = {}): Opened {
    let now = 1000;
    const database = new DatabaseSync(':memory:');
    const store = sqliteStore(database, { now: () => now, sweepMs: 100, ...options });
    const numbers = (sql: string): number[] =>
      (database.prepare(sql).all() as object[]).flatMap((row) => Object.values(row) as number[]);
    return { store, pass: (ms) => void (now += ms), numbers };
  }
  const CALLERS = 'SELECT bytes FROM crosspoint_callers ORDER BY caller';

  test('trims a log that is a quarter too long, and at least eight entries', async () => {
    for (const [most, longest] of [
      [4, 12],
      [40, 50],
    ] as const) {
      const { store } = opened();
      for (let index = 1; index <= longest; index += 1) await store.append('log', index, { maxEntries: most });
      expect(await store.read('log')).toHaveLength(longest);
      await store.append('log', longest + 1, { maxEntries: most });
      const kept = (await store.read('log')).map(({ value }) => value);
      expect([kept.length, kept[0], kept.at(-1)]).toEqual([most, longest + 2 - most, longest + 1]);
      await store.append('log', 0, { maxEntries: most });
      expect(await store.read('log')).toHaveLength(most + 1);
    }
  });

  test('counts 200 bytes for a record or log, 60 for an entry, and their texts', async () => {
    const { store, numbers } = opened();
    await store.put('key', 'ab', { leftBy: 'a' });
    await store.append('log', 'abc', { leftBy: 'b' });
    expect(numbers(CALLERS)).toEqual([200 + 3 + 4, 200 + 3 + 60 + 5]);
    await store.append('log', 'x', { leftBy: 'c' });
    expect(numbers(CALLERS)).toEqual([207, 268 + 60 + 3]);
    expect(numbers('SELECT bytes FROM crosspoint_left_sum')).toEqual([207 + 331]);
    for (let index = 0; index < 9; index += 1) await store.append('log', 'y', { leftBy: 'b', maxEntries: 2 });
    expect(numbers(CALLERS)).toEqual([207, 203 + 2 * 63]);
    await store.put('key', 'ab');
    await store.deleteLog('log');
    expect(numbers(CALLERS)).toEqual([]);
  });

  test('drops the older half of a log, and a log of one entry, where a caller has too much', async () => {
    const { store, numbers } = opened({ maxBytes: 100_000, maxBytesPerCaller: 2000 });
    for (let index = 0; index < 4; index += 1) await store.append('log', `${index}`.repeat(400), { leftBy: 'a' });
    expect(await store.read('log')).toHaveLength(2);
    expect((await store.read('log')).map(({ value }) => (value as string)[0])).toEqual(['2', '3']);
    expect(numbers(CALLERS)).toEqual([203 + 2 * 462]);
    expect(numbers('SELECT entries FROM crosspoint_logs')).toEqual([2]);
    await store.put('record', 'z'.repeat(1700), { leftBy: 'a' });
    expect([await store.read('log'), (await store.get('record')) !== undefined]).toEqual([[], true]);
    await store.put('large', 'z'.repeat(2000), { leftBy: 'a' });
    expect([await store.get('large'), await store.get('record')]).toEqual([undefined, undefined]);
  });

  test('keeps exactly as much as it may, and a quarter for one caller where that is not said', async () => {
    const { store } = opened({ maxBytes: 4000 });
    await store.put('k', 'x'.repeat(1000 - 203), { leftBy: 'a' });
    expect(await store.get('k')).toBeDefined();
    await store.put('l', 'x'.repeat(1000 - 202), { leftBy: 'b' });
    expect(await store.get('l')).toBeUndefined();
    for (const caller of ['b', 'c', 'd']) await store.put(caller, 'x'.repeat(1000 - 203), { leftBy: caller });
    expect(await store.count('')).toBe(4);
  });

  test('takes from the caller with the most where all have too much', async () => {
    const { store } = opened({ maxBytes: 3000, maxBytesPerCaller: 2500 });
    await store.put('a1', 'x'.repeat(1000), { leftBy: 'a' });
    await store.put('a2', 'x'.repeat(700), { leftBy: 'a' });
    await store.put('b1', 'x'.repeat(800), { leftBy: 'b' });
    expect([
      await store.get('a1'),
      (await store.get('a2')) !== undefined,
      (await store.get('b1')) !== undefined,
    ]).toEqual([undefined, true, true]);
  });

  test('removes what has expired while others are written, once in a while, and messages after a minute', async () => {
    const { store, pass, numbers } = opened();
    const rows = (): number[] =>
      ['records', 'logs', 'entries', 'messages'].flatMap((table) =>
        numbers(`SELECT count(*) FROM crosspoint_${table}`),
      );
    await store.put('a', 1, { ttlMs: 10 });
    await store.append('log', 1, { ttlMs: 10 });
    await store.publish('c', 1);
    pass(99);
    await store.put('b', 1);
    expect(rows()).toEqual([2, 1, 1, 1]);
    pass(1);
    await store.put('b', 2);
    expect(rows()).toEqual([1, 0, 0, 1]);
    pass(59_899);
    await store.add('n', 1);
    expect(rows()[3]).toBe(1);
    pass(100);
    await store.append('other', 1);
    expect(rows()[3]).toBe(0);
  });

  test('is shared unless that is denied; then no message goes through the file', async () => {
    expect(opened().store.isShared).toBe(true);
    const { store, numbers } = opened({ shared: false });
    await store.publish('c', 1);
    expect([store.isShared, numbers('SELECT count(*) FROM crosspoint_messages')]).toEqual([false, [0]]);
  });

  test('undoes what fails in the middle, and says that the store failed', async () => {
    const { store, numbers } = opened();
    await store.put('text', 'x');
    await expect(store.add('text', 1)).rejects.toThrow('holds no number');
    await store.add('n', 2);
    expect((await store.get('n'))?.value).toBe(2);
    const broken = { exec: () => {}, prepare: () => ({ all: () => [], run: () => [] }) };
    const failing = sqliteStore(broken);
    broken.prepare = () => {
      throw new Error('disk');
    };
    await expect(failing.get('a')).rejects.toSatisfy(isStoreUnavailable);
    expect(numbers('SELECT count(*) FROM crosspoint_records')).toEqual([2]);
  });

  test('hears another process by asking, and itself at once', async () => {
    const database = new DatabaseSync(':memory:');
    const [one, two] = [sqliteStore(database, { pollMs: 5 }), sqliteStore(database, { pollMs: 5 })];
    await one.publish('c', 'before');
    const heard: unknown[] = [];
    const end = await two.subscribe('c', (message) => heard.push(message));
    await one.publish('c', 'other');
    await until(() => heard.length === 1);
    await two.publish('c', 'own');
    await until(() => heard.length === 2);
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(heard).toEqual(['other', 'own']);
    await end();
    await one.close();
    await two.close();
  });
});

test('a record that is changed a thousand times in between is given up', () => {
  expect(() => refuseRace(999)).not.toThrow();
  expect(() => refuseRace(1000)).toThrow('The store has refused to change a record 1000 times in a row.');
});

test('a store that cannot be reached is known by its error, whichever copy of the library made it', () => {
  const cause = new Error('down');
  const error = new StoreUnavailableError(cause);
  expect(isStoreUnavailable(error)).toBe(true);
  for (const other of [undefined, null, 'x', new Error('down'), {}]) expect(isStoreUnavailable(other)).toBe(false);
});
