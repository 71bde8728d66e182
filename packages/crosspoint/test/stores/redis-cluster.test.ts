import { createCluster } from '@redis/client';
import { createCluster as createCluster4 } from 'redis-client-4';
import { createCluster as createCluster5 } from 'redis-client-5';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { RedisCluster } from '../../src/stores/redis-cluster.ts';
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
  return redisStore(client, { prefix: `{test ${(stores += 1)}}:`, ...options });
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
      precisionMs: 20,
      countsBytes: false,
    });
});
