import { createCluster } from '@redis/client';
import { createCluster as createCluster4 } from 'redis-client-4';
import { createCluster as createCluster5 } from 'redis-client-5';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { RedisCluster } from '../../src/stores/redis/redis-cluster.ts';
import { RedisSlots } from '../../src/stores/redis/redis-slots.ts';
import { redisStore, type RedisStoreOptions } from '../../src/stores/redis.ts';
import type { Store } from '../../src/stores/store.ts';
import { startCluster, type PrivateCluster } from './redis-cluster-server.ts';
import { hasRedis } from './redis-server.ts';
import { storeSuite } from './suite.ts';

const isInstalled = await hasRedis();
if (!isInstalled) console.log('redis-server is not installed here: what needs Redis is skipped.');

let cluster: PrivateCluster;
const ended: (() => unknown)[] = [];
let stores = 0;

beforeAll(async () => {
  if (isInstalled) cluster = await startCluster();
}, 60_000);
afterAll(async () => cluster?.close());
afterEach(async () => {
  for (const end of ended.splice(0)) await end();
});

type Make = (options: { rootNodes: { url: string }[] }) => RedisCluster;

function opened(make: Make, options: RedisStoreOptions = {}): Store {
  const client = make({ rootNodes: cluster.rootNodes });
  ended.push(() => client.isOpen && (client.destroy ? client.destroy() : client.disconnect?.()));
  // A cluster is connected when all its masters are, which takes a busy machine a while.
  return redisStore(client, { prefix: `{test ${(stores += 1)}}:`, waitMs: 10_000, ...options });
}

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

describe.skipIf(!isInstalled)('with a Redis Cluster of our own', () => {
  const releases: [string, Make][] = [
    ['the current release of the client', createCluster],
    ['release 5 of the client', createCluster5],
    ['release 4 of the client', createCluster4],
  ];
  for (const [name, make] of releases)
    storeSuite(`the Redis store, ${name}`, {
      open: () => opened(make),
      pass: wait,
      // A list asks every slot, which takes a busy machine a while.
      precisionMs: 50,
      countsBytes: false,
    });

  test('keys are listed in one order and in pages, whatever slot they are in', async () => {
    const store = opened(createCluster);
    // In UTF-16 the second comes before the first.
    const keys = ['k:\u{FF5E}', 'k:\u{1F4A5}', ...Array.from({ length: 50 }, (_, index) => `k:${100 + index}`)];
    await Promise.all(keys.map((key) => store.put(key, 1)));
    const all = [...keys.slice(2), ...keys.slice(0, 2)];
    expect(await store.keys('k:')).toEqual(all);
    const paged: string[] = [];
    for (let page = await store.keys('k:', { limit: 7 }); page.length > 0;) {
      expect(page.length).toBeLessThanOrEqual(7);
      paged.push(...page);
      page = await store.keys('k:', { limit: 7, after: page.at(-1) ?? '' });
    }
    expect(paged).toEqual(all);
    expect(await store.count('k:')).toBe(52);
  });

  test('slots lie at equal distances', async () => {
    const found = await Promise.all(
      new RedisSlots('{even}:', 256).all.map(({ prefix }) => cluster.nodes[0]?.ask('CLUSTER', 'KEYSLOT', `${prefix}x`)),
    );
    expect(found.map((slot) => Math.floor(Number(slot) / 64))).toEqual(
      Array.from({ length: 256 }, (_, range) => range),
    );
  });

  test('two nodes see one another, stores with other prefixes do not, and one slot holds what a single server held', async () => {
    const [one, two] = [0, 0].map(() => opened(createCluster, { prefix: '{shared}:' })) as [Store, Store];
    const other = opened(createCluster);
    const heard: unknown[] = [];
    await one.subscribe('c', (message) => heard.push(message));
    await one.put('a', 1);
    expect([(await two.get('a'))?.value, await other.get('a')]).toEqual([1, undefined]);
    await other.publish('c', 'elsewhere');
    await two.publish('c', 'here');
    await expect.poll(() => heard).toEqual(['here']);
    const whole = opened(createCluster, { prefix: '{shared}:', slots: 1 });
    await whole.put('b', 2);
    expect(await (await cluster.masterOf('{shared}:r:b')).ask('EXISTS', '{shared}:r:b')).toBe(1);
    expect([await whole.keys(''), await one.keys('')]).toEqual([['b'], ['a']]);
  });
});
