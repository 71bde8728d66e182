import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Store } from '../../src/stores/store.ts';

export interface StoreSubject {
  /** A store that nobody else uses. */
  open(): Promise<Store> | Store;
  /** Lets so much time pass for the store; a clock that is moved, or a wait. */
  pass(ms: number): Promise<void>;
  /** How precisely time passes; entries live at least as long as they should and at most this much longer. */
  readonly precisionMs: number;
  /** Whether `maxBytes` is followed. */
  readonly countsBytes: boolean;
  /** A store where one caller may leave behind 20,000 bytes, and all together 50,000; absent where the store leaves this to its own limits. */
  readonly openLimited?: () => Promise<Store> | Store;
}

/** What every store must do. Run it for each implementation. */
export function storeSuite(name: string, subject: StoreSubject): void {
  describe(name, () => {
    let store: Store;
    beforeEach(async () => {
      store = await subject.open();
    });
    afterEach(() => store.close());

    describe('records', () => {
      test('are read as they were written, and not changed through what was read or written', async () => {
        const value = { text: 'ü💥\u2028', list: [1, null, true, { deep: [] }], empty: {} };
        await store.put('a', value);
        value.list.push(7);
        const read = await store.get('a');
        expect(read?.value).toEqual({ text: 'ü💥\u2028', list: [1, null, true, { deep: [] }], empty: {} });
        (read?.value as unknown as { list: unknown[] } | undefined)?.list.splice(0);
        expect((await store.get('a'))?.value).toHaveProperty('list.length', 4);
      });

      test.each([null, false, 0, '', [], {}, 'text', 1.5])('hold %j', async (value) => {
        await store.put('a', value);
        expect((await store.get('a'))?.value).toEqual(value);
      });

      test('that are not there are undefined', async () => {
        expect(await store.get('nothing')).toBeUndefined();
        expect(await store.delete('nothing')).toBe(false);
        expect(await store.touch('nothing', 1000)).toBe(false);
      });

      test('are replaced and deleted', async () => {
        await store.put('a', 1);
        await store.put('a', 2);
        expect((await store.get('a'))?.value).toBe(2);
        expect(await store.delete('a')).toBe(true);
        expect(await store.get('a')).toBeUndefined();
      });

      test.each(['constructor', '__proto__', 'with space', 'ü', 'a:b:c', '%', '*', '_', "'"])(
        'may have the key %s',
        async (key) => {
          await store.put(key, 1);
          expect((await store.get(key))?.value).toBe(1);
          expect(await store.keys(key)).toEqual([key]);
        },
      );
    });

    describe('versions', () => {
      test('change with every write, and are what was written', async () => {
        const first = await store.put('a', 1);
        expect((await store.get('a'))?.version).toBe(first);
        const second = await store.put('a', 1);
        expect(second).not.toBe(first);
      });

      test('decide whether a write happens', async () => {
        const first = (await store.put('a', 1)) ?? '';
        expect(await store.put('a', 2, { ifVersion: 'other' })).toBeUndefined();
        expect(await store.put('a', 2, { ifVersion: null })).toBeUndefined();
        expect(await store.put('a', 2, { ifVersion: first })).toBeDefined();
        expect(await store.put('a', 3, { ifVersion: first })).toBeUndefined();
        expect((await store.get('a'))?.value).toBe(2);
        expect(await store.put('new', 1, { ifVersion: first })).toBeUndefined();
        expect(await store.put('new', 1, { ifVersion: null })).toBeDefined();
      });

      test('decide whether a record is deleted', async () => {
        const first = (await store.put('a', 1)) ?? '';
        const second = (await store.put('a', 2)) ?? '';
        expect(await store.delete('a', first)).toBe(false);
        expect(await store.delete('a', second)).toBe(true);
      });

      test('are not used again for a record that was deleted and written anew', async () => {
        const first = (await store.put('a', 1)) ?? '';
        await store.delete('a');
        await store.put('a', 1);
        expect(await store.put('a', 2, { ifVersion: first })).toBeUndefined();
      });

      test('let one of many win', async () => {
        const first = (await store.put('a', 0)) ?? '';
        const written = await Promise.all(
          Array.from({ length: 50 }, (_, value) => store.put('a', value, { ifVersion: first })),
        );
        expect(written.filter((version) => version !== undefined)).toHaveLength(1);
        const made = await Promise.all(
          Array.from({ length: 50 }, (_, value) => store.put('b', value, { ifVersion: null })),
        );
        expect(made.filter((version) => version !== undefined)).toHaveLength(1);
      });

      test('let many count together', async () => {
        await store.put('n', 0);
        const add = async (): Promise<void> => {
          for (;;) {
            const read = await store.get('n');
            if (read && (await store.put('n', Number(read.value) + 1, { ifVersion: read.version })) !== undefined)
              return;
          }
        };
        await Promise.all(Array.from({ length: 20 }, add));
        expect((await store.get('n'))?.value).toBe(20);
      });
    });

    describe('counts', () => {
      test('begin at nothing, and add up whoever counts', async () => {
        expect(await store.add('n', 2)).toBe(2);
        expect(await store.add('n', -1)).toBe(1);
        await Promise.all(Array.from({ length: 50 }, () => store.add('n', 1)));
        expect((await store.get('n'))?.value).toBe(51);
        expect(await store.add('n', 0.5)).toBe(51.5);
      });

      test('are records like others: they have versions and can be replaced', async () => {
        const first = (await store.put('n', 5)) ?? '';
        expect(await store.add('n', 1)).toBe(6);
        expect(await store.put('n', 0, { ifVersion: first })).toBeUndefined();
        expect(await store.put('n', 0, { ifVersion: (await store.get('n'))?.version ?? '' })).toBeDefined();
        expect(await store.keys('')).toEqual(['n']);
      });

      test('are not made of what is no number', async () => {
        await store.put('text', 'seven');
        await expect(store.add('text', 1)).rejects.toThrow(TypeError);
        expect((await store.get('text'))?.value).toBe('seven');
      });

      test('last from their first, however often they grow', async () => {
        const { precisionMs: p } = subject;
        expect(await store.add('window', 1, { ttlMs: 10 * p })).toBe(1);
        await subject.pass(6 * p);
        expect(await store.add('window', 1, { ttlMs: 10 * p })).toBe(2);
        await subject.pass(6 * p);
        expect(await store.add('window', 1, { ttlMs: 10 * p })).toBe(1);
      });
    });

    describe('time', () => {
      const { precisionMs: p } = subject;

      test('ends records that have an end, and no others', async () => {
        await store.put('short', 1, { ttlMs: 10 * p });
        await store.put('long', 1, { ttlMs: 1000 * p });
        await store.put('ever', 1);
        await subject.pass(11 * p);
        expect(await store.get('short')).toBeUndefined();
        expect(await store.delete('short')).toBe(false);
        expect(await store.touch('short', 1000)).toBe(false);
        expect(await store.keys('')).toEqual(['ever', 'long']);
        expect(await store.put('short', 2, { ifVersion: null })).toBeDefined();
      });

      test('is given anew by a touch, which changes nothing else', async () => {
        const version = await store.put('a', 1, { ttlMs: 10 * p });
        await subject.pass(6 * p);
        expect(await store.touch('a', 10 * p)).toBe(true);
        await subject.pass(6 * p);
        expect(await store.get('a')).toEqual({ value: 1, version });
        await subject.pass(6 * p);
        expect(await store.get('a')).toBeUndefined();
      });

      test('is taken away by a write without one', async () => {
        await store.put('a', 1, { ttlMs: 5 * p });
        await store.put('a', 2);
        await subject.pass(10 * p);
        expect((await store.get('a'))?.value).toBe(2);
      });

      test('of a log begins anew with every entry', async () => {
        await store.append('log', 1, { ttlMs: 10 * p });
        await subject.pass(6 * p);
        await store.append('log', 2, { ttlMs: 10 * p });
        await subject.pass(6 * p);
        expect(await store.read('log')).toHaveLength(2);
        await subject.pass(6 * p);
        expect(await store.read('log')).toEqual([]);
      });
    });

    describe('keys', () => {
      test('are found by how they begin, in order, in pages', async () => {
        for (const key of ['b:2', 'a:2', 'b:1', 'b:10', 'c', 'b%', 'b_']) await store.put(key, 1);
        expect(await store.keys('b:')).toEqual(['b:1', 'b:10', 'b:2']);
        expect(await store.keys('b:', { limit: 2 })).toEqual(['b:1', 'b:10']);
        expect(await store.keys('b:', { after: 'b:10' })).toEqual(['b:2']);
        expect(await store.keys('b:', { after: 'b:11', limit: 5 })).toEqual(['b:2']);
        expect(await store.keys('')).toHaveLength(7);
        expect(await store.keys('z')).toEqual([]);
      });

      test('are counted by how they begin', async () => {
        for (const key of ['b:2', 'a:2', 'b:1', 'c']) await store.put(key, 1);
        await store.put('b:3', 1, { ttlMs: 5 * subject.precisionMs });
        await store.delete('b:1');
        expect(await store.count('b:')).toBe(2);
        expect(await store.count('')).toBe(4);
        expect(await store.count('z')).toBe(0);
        await subject.pass(6 * subject.precisionMs);
        await store.put('after', 1, { ttlMs: 1000 });
        expect(await store.count('b:')).toBe(1);
      });

      test('of logs are not among them', async () => {
        await store.append('log', 1);
        expect(await store.keys('')).toEqual([]);
      });
    });

    describe('logs', () => {
      test('give back their entries in order, behind a position, in pages', async () => {
        const positions: string[] = [];
        for (const value of ['a', 'b', 'c', 'd']) positions.push(await store.append('log', value));
        const all = await store.read('log');
        expect(all.map(({ value }) => value)).toEqual(['a', 'b', 'c', 'd']);
        expect(all.map(({ position }) => position)).toEqual(positions);
        for (const position of positions) expect(position).toMatch(/^[A-Za-z0-9-]{1,64}$/);
        expect((await store.read('log', { after: positions[1] ?? '' })).map(({ value }) => value)).toEqual(['c', 'd']);
        expect((await store.read('log', { after: positions[0] ?? '', limit: 2 })).map(({ value }) => value)).toEqual([
          'b',
          'c',
        ]);
        expect(await store.read('log', { after: positions[3] ?? '' })).toEqual([]);
        expect(await store.read('nothing')).toEqual([]);
      });

      test('are apart from each other and from records', async () => {
        await store.append('one', 1);
        await store.append('two', 2);
        await store.put('one', 'record');
        expect(await store.read('one')).toMatchObject([{ value: 1 }]);
        expect((await store.get('one'))?.value).toBe('record');
        await store.deleteLog('one');
        expect(await store.read('one')).toEqual([]);
        expect((await store.get('one'))?.value).toBe('record');
        expect(await store.read('two')).toHaveLength(1);
      });

      test('do not use a position again, not even when they begin anew', async () => {
        const before = await store.append('log', 'old');
        await store.deleteLog('log');
        const after = await store.append('log', 'new');
        expect(after).not.toBe(before);
        expect(await store.read('log', { after: before })).toMatchObject([{ value: 'new' }]);
      });

      test('keep the newest entries, at least as many as are asked for', async () => {
        const positions: string[] = [];
        for (let value = 0; value < 100; value += 1)
          positions.push(await store.append('log', value, { maxEntries: 10 }));
        const kept = await store.read('log');
        expect(kept.length).toBeGreaterThanOrEqual(10);
        expect(kept.length).toBeLessThan(100);
        expect(kept.at(-1)).toEqual({ position: positions.at(-1), value: 99 });
        expect((await store.read('log', { after: positions[95] ?? '' })).map(({ value }) => value)).toEqual([
          96, 97, 98, 99,
        ]);
        expect(await store.read('log', { after: positions[0] ?? '' })).toEqual(kept);
      });

      if (subject.countsBytes)
        test('keep no more bytes than they are told to, and always the newest entry', async () => {
          for (let value = 0; value < 50; value += 1) await store.append('log', 'x'.repeat(1000), { maxBytes: 5000 });
          expect((await store.read('log')).length).toBeLessThanOrEqual(5);
          await store.append('log', 'y'.repeat(10_000), { maxBytes: 5000 });
          expect(await store.read('log')).toHaveLength(1);
        });

      test('take many at once without losing one', async () => {
        const positions = await Promise.all(Array.from({ length: 200 }, (_, value) => store.append('log', value)));
        expect(new Set(positions).size).toBe(200);
        const read = await store.read('log');
        expect(read.map(({ value }) => value).sort((a, b) => Number(a) - Number(b))).toEqual(
          Array.from({ length: 200 }, (_, value) => value),
        );
      });
    });

    describe('what callers leave behind', () => {
      test('is read, changed and deleted as anything else', async () => {
        const first = (await store.put('a', 1, { leftBy: 'one', ttlMs: 60_000 })) ?? '';
        expect(await store.get('a')).toEqual({ value: 1, version: first });
        expect(await store.put('a', 2, { leftBy: 'two', ifVersion: 'other' })).toBeUndefined();
        expect(await store.put('a', 2, { leftBy: 'two', ifVersion: first })).toBeDefined();
        expect(await store.add('a', 3)).toBe(5);
        await store.append('log', 'x', { leftBy: 'one', ttlMs: 60_000 });
        await store.append('log', 'y', { leftBy: 'one', ttlMs: 60_000 });
        expect((await store.read('log')).map(({ value }) => value)).toEqual(['x', 'y']);
        expect(await store.delete('a')).toBe(true);
        await store.deleteLog('log');
        expect([await store.get('a'), await store.read('log')]).toEqual([undefined, []]);
      });

      const { openLimited } = subject;
      if (openLimited) leftBehindSuite(openLimited, subject);
    });

    describe('messages', () => {
      const settle = async (isTrue: () => boolean): Promise<void> => {
        for (let turn = 0; turn < 200 && !isTrue(); turn += 1) await new Promise((resolve) => setTimeout(resolve, 5));
      };

      test('reach whoever listens to their channel, in order, as copies', async () => {
        const [one, two, other]: unknown[][] = [[], [], []];
        await store.subscribe('c', (message) => one?.push(message));
        await store.subscribe('c', (message) => two?.push(message));
        await store.subscribe('d', (message) => other?.push(message));
        for (const message of [{ n: 1 }, { n: 2 }, { n: 3 }]) await store.publish('c', message);
        await settle(() => two?.length === 3);
        expect([one, two, other]).toEqual([[{ n: 1 }, { n: 2 }, { n: 3 }], [{ n: 1 }, { n: 2 }, { n: 3 }], []]);
        expect(one?.[0]).not.toBe(two?.[0]);
      });

      test('stop when the subscription ends, and each ends alone', async () => {
        const heard: string[] = [];
        const listener = (message: unknown): void => void heard.push(String(message));
        const end = await store.subscribe('c', listener);
        await store.subscribe('c', listener);
        await end();
        await end();
        await store.publish('c', 'x');
        await settle(() => heard.length > 0);
        await new Promise((resolve) => setTimeout(resolve, 5));
        expect(heard).toEqual(['x']);
      });

      test('are lost when nobody listens', async () => {
        await store.publish('c', 1);
        const heard: unknown[] = [];
        await store.subscribe('c', (message) => heard.push(message));
        await new Promise((resolve) => setTimeout(resolve, 5));
        expect(heard).toEqual([]);
      });
    });
  });
}

const KILOBYTE = 'x'.repeat(1000);

/** How many of these records are there. */
async function kept(store: Store, prefix: string): Promise<number> {
  return (await store.keys(prefix)).length;
}

function leftBehindSuite(open: () => Promise<Store> | Store, subject: StoreSubject): void {
  let store: Store;
  beforeEach(async () => {
    store = await open();
  });
  afterEach(() => store.close());

  const leave = async (leftBy: string, count: number): Promise<void> => {
    for (let n = 0; n < count; n += 1) await store.put(`${leftBy}:x:${100 + n}`, KILOBYTE, { leftBy });
  };

  test('is dropped, oldest first, where one has left more than its share; nobody else loses anything', async () => {
    await store.put('other', KILOBYTE, { leftBy: 'other' });
    await leave('one', 50);
    const left = await store.keys('one:x:');
    expect(left.length).toBeGreaterThan(5);
    expect(left.length).toBeLessThanOrEqual(20);
    expect(left.at(-1)).toBe('one:x:149');
    expect(left[0]).toBe(`one:x:${150 - left.length}`);
    expect(await store.get('other')).toBeDefined();
  });

  test('is dropped where all have left more than there is room for: of who holds the most', async () => {
    for (const caller of ['small', 'one', 'two', 'three', 'four']) await leave(caller, caller === 'small' ? 4 : 12);
    expect(await kept(store, 'small:x:')).toBe(4);
    const others = await Promise.all(['one', 'two', 'three', 'four'].map((caller) => kept(store, `${caller}:x:`)));
    for (const count of others) expect(count).toBeGreaterThanOrEqual(5);
    expect(others.reduce((sum, count) => sum + count, 4)).toBeLessThanOrEqual(50);
    // Strangers who leave a little share the room among them.
    for (let n = 0; n < 100; n += 1) await leave(`stranger-${n}`, 1);
    expect(await kept(store, 'stranger')).toBeLessThanOrEqual(50);
    expect(await kept(store, 'stranger')).toBeGreaterThan(20);
  });

  test('counts no more once it is deleted, replaced or expired', async () => {
    for (let round = 0; round < 4; round += 1) {
      await leave('one', 8);
      for (const key of await store.keys('one:x:')) await store.delete(key);
    }
    for (let round = 0; round < 20; round += 1) await store.put('same', KILOBYTE, { leftBy: 'one' });
    await store.append('log', KILOBYTE, { leftBy: 'one' });
    await store.deleteLog('log');
    await store.put('mine', KILOBYTE, { leftBy: 'one' });
    await store.put('mine', KILOBYTE);
    for (let n = 0; n < 20; n += 1)
      await store.put(`short:x:${n}`, KILOBYTE, { leftBy: 'one', ttlMs: 5 * subject.precisionMs });
    await subject.pass(100_000 * subject.precisionMs);
    await leave('one', 8);
    expect(await kept(store, 'one:x:')).toBe(8);
    expect(await store.get('mine')).toBeDefined();
  });

  test('is never what was written for nobody', async () => {
    for (let n = 0; n < 25; n += 1) await store.put(`own:x:${n}`, KILOBYTE);
    for (let n = 0; n < 25; n += 1) await store.append('own', KILOBYTE);
    await leave('one', 30);
    expect(await kept(store, 'own:x:')).toBe(25);
    expect(await store.read('own')).toHaveLength(25);
  });

  test('may be logs, which lose what is oldest and go on', async () => {
    const positions: string[] = [];
    for (let n = 0; n < 50; n += 1) positions.push(await store.append('log', KILOBYTE, { leftBy: 'one' }));
    const left = await store.read('log');
    expect(left.length).toBeGreaterThan(0);
    expect(left.length).toBeLessThanOrEqual(20);
    expect(left.at(-1)?.position).toBe(positions.at(-1));
    await store.append('other', KILOBYTE, { leftBy: 'other' });
    for (let n = 0; n < 40; n += 1) await store.append(`log-${n}`, KILOBYTE, { leftBy: 'one' });
    const logs = await Promise.all(Array.from({ length: 40 }, (_, n) => store.read(`log-${n}`)));
    expect(logs.filter((entries) => entries.length > 0).length).toBeLessThanOrEqual(20);
    expect(logs.at(-1)).toHaveLength(1);
    expect(await store.read('other')).toHaveLength(1);
  });

  test('is not kept where it alone is more than a share, and takes nothing of others with it', async () => {
    await leave('other', 5);
    await store.put('huge', 'x'.repeat(30_000), { leftBy: 'one' });
    await store.append('huge', 'x'.repeat(30_000), { leftBy: 'one' });
    expect(await store.get('huge')).toBeUndefined();
    expect(await store.read('huge')).toEqual([]);
    expect(await kept(store, 'other:x:')).toBe(5);
  });
}
