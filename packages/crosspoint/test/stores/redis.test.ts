import { createClient } from '@redis/client';
import { createClient as createClient4 } from 'redis-client-4';
import { createClient as createClient5 } from 'redis-client-5';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { closeRedisClient } from '../../src/stores/redis/redis-client.ts';
import { redisStore, type RedisStoreOptions } from '../../src/stores/redis.ts';
import type { RedisClient } from '../../src/stores/redis/redis-client.ts';
import { StoreUnavailableError } from '../../src/stores/store-unavailable-error.ts';
import type { Store } from '../../src/stores/store.ts';
import { hasRedis, startRedis, type PrivateRedis } from './redis-server.ts';
import { storeSuite } from './suite.ts';

const isInstalled = await hasRedis();
if (!isInstalled) console.log('redis-server is not installed here: what needs Redis is skipped.');

let redis: PrivateRedis;
const ended: (() => Promise<void>)[] = [];
let stores = 0;

beforeAll(async () => {
  if (isInstalled) redis = await startRedis();
});
afterAll(async () => redis?.close());
afterEach(async () => {
  for (const end of ended.splice(0)) await end();
});

function opened(make: (options: { url: string }) => RedisClient, options: RedisStoreOptions = {}): Store {
  const client = make({ url: redis.url });
  ended.push(async () => closeRedisClient(client));
  return redisStore(client, { prefix: `{test ${(stores += 1)}}:`, ...options });
}

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

describe.skipIf(!isInstalled)('with a Redis of our own', () => {
  const releases: [string, (options: { url: string }) => RedisClient][] = [
    ['the current release of the client', createClient],
    ['release 5 of the client', createClient5],
    ['release 4 of the client', createClient4],
  ];
  for (const [name, make] of releases)
    storeSuite(`the Redis store, ${name}`, {
      open: () => opened(make),
      pass: wait,
      precisionMs: 20,
      countsBytes: false,
    });

  describe.each(releases)('a Redis that goes away, %s', (_name, make) => {
    test('is a clear error in time, and is used again when it is back, with what was kept and who listens', async () => {
      const store = opened(make, { timeoutMs: 3000, waitMs: 200 });
      const heard: unknown[] = [];
      await store.subscribe('c', (message) => heard.push(message));
      await store.put('a', 1);
      await store.append('log', 'before');
      await redis.kill();
      // The client may not have noticed yet: then nobody knows whether it was written.
      await expect(store.put('unknown', 2)).rejects.toThrow(StoreUnavailableError);
      await expect(store.read('log')).rejects.toThrow(StoreUnavailableError);
      await redis.start();
      await expect.poll(() => store.get('a').catch(() => 'away'), { timeout: 25_000 }).toMatchObject({ value: 1 });
      expect(await store.read('log')).toMatchObject([{ value: 'before' }]);
      await expect
        .poll(() => store.publish('c', 'again').then(() => heard.includes('again')), { timeout: 25_000 })
        .toBe(true);
    }, 60_000);

    test('that stands still does not hold anyone up for longer than it may', async () => {
      const store = opened(make, { timeoutMs: 300, waitMs: 100 });
      await store.put('a', 1);
      redis.freeze();
      try {
        await expect(store.get('a')).rejects.toThrow(/cannot reach its store/);
      } finally {
        redis.thaw();
      }
      await expect.poll(() => store.get('a').catch(() => 'away'), { timeout: 25_000 }).toMatchObject({ value: 1 });
    }, 60_000);
  });

  test('what failed because there was no connection does not happen later', async () => {
    const store = opened(createClient, { waitMs: 50 });
    await store.put('a', 'before');
    await redis.kill();
    // The client has to notice first; what was under way then is unknown, and not looked at here.
    await expect
      .poll(() =>
        store.put('b', 1).then(
          () => true,
          () => false,
        ),
      )
      .toBe(false);
    await expect(store.put('a', 'while away')).rejects.toThrow(StoreUnavailableError);
    await redis.start();
    await expect.poll(() => store.get('a').catch(() => 'away'), { timeout: 25_000 }).toMatchObject({ value: 'before' });
  }, 60_000);

  test('scripts are sent by name, and sent anew to a Redis that was made to forget them', async () => {
    const store = opened(createClient);
    const owner = await createClient({ url: redis.url }).connect();
    ended.push(async () => owner.destroy());
    const byName = async (): Promise<number> =>
      Number(/cmdstat_evalsha:calls=(\d+)/.exec(await owner.sendCommand<string>(['INFO', 'commandstats']))?.[1] ?? 0);
    await store.append('log', 0);
    const before = await byName();
    // The name of a script is worked out beside its first use.
    await expect
      .poll(async () => (await store.append('other', 'x'), await byName()), { timeout: 25_000 })
      .toBeGreaterThan(before);
    await owner.sendCommand(['SCRIPT', 'FLUSH', 'SYNC']);
    await Promise.all([1, 2, 3].map((value) => store.append('log', value)));
    expect((await store.read('log')).map(({ value }) => value)).toEqual([0, 1, 2, 3]);
  }, 60_000);

  test('two nodes see one another, and stores with other prefixes do not', async () => {
    const one = opened(createClient, { prefix: '{shared}:' });
    const two = opened(createClient, { prefix: '{shared}:' });
    const other = opened(createClient);
    const heard: unknown[] = [];
    await one.subscribe('c', (message) => heard.push(message));
    await one.put('a', 1);
    expect(await two.get('a')).toMatchObject({ value: 1 });
    expect(await other.get('a')).toBeUndefined();
    await other.publish('c', 'elsewhere');
    await two.publish('c', 'here');
    await expect.poll(() => heard).toEqual(['here']);
  });

  test('keys that expired are taken out of the index by what is written later', async () => {
    const client = createClient({ url: redis.url });
    ended.push(async () => closeRedisClient(client));
    const store = redisStore(client, { prefix: '{index}:' });
    for (let index = 0; index < 15; index += 1) await store.put(`short:${index}`, 1, { ttlMs: 1 });
    await wait(20);
    await store.put('long', 1, { ttlMs: 60_000 });
    expect(await client.sendCommand(['ZCARD', '{index}:names'])).toBe(1);
    expect(await client.sendCommand(['ZCARD', '{index}:ends'])).toBe(1);
  });

  test('lists more keys than fit in one page', async () => {
    const store = opened(createClient);
    const keys = Array.from({ length: 2500 }, (_, index) => `k${String(index).padStart(5, '0')}`);
    await Promise.all(keys.map((key) => store.put(key, 1)));
    expect(await store.keys('k')).toEqual(keys);
    expect(await store.count('k')).toBe(2500);
  });
});
