import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient, createCluster } from '@redis/client';
import { afterAll } from 'vitest';
import { memoryStore } from '../../src/stores/memory.ts';
import { redisStore } from '../../src/stores/redis.ts';
import { sqliteStore } from '../../src/stores/sqlite.ts';
import type { Store } from '../../src/stores/store.ts';
import { DatabaseSync } from '../stores/recommended-driver.ts';
import { startCluster, type PrivateCluster } from '../stores/redis-cluster-server.ts';
import { hasRedis, startRedis, type PrivateRedis } from '../stores/redis-server.ts';

/** Something that several nodes share, each through a store of its own. */
export interface SharedStores {
  /** What one more node is given. */
  node(): Store;
  close(): Promise<void>;
}

export const isRedisInstalled: boolean = await hasRedis();
if (!isRedisInstalled) console.log('redis-server is not installed here: what needs Redis is skipped.');

let prefixes = 0;

export function redisStores(redis: Pick<PrivateRedis, 'url'> | Pick<PrivateCluster, 'rootNodes'>): SharedStores {
  const prefix = `{nodes ${(prefixes += 1)}}:`;
  const ends: (() => Promise<void>)[] = [];
  return {
    node() {
      const client = 'url' in redis ? createClient({ url: redis.url }) : createCluster({ rootNodes: redis.rootNodes });
      // A cluster is connected when all its masters are, which takes a busy machine a while.
      const store = redisStore(client, { prefix, waitMs: 10_000 });
      ends.push(async () => {
        await store.close();
        if (client.isOpen) client.destroy();
      });
      return store;
    },
    async close() {
      for (const end of ends) await end();
    },
  };
}

function memoryStores(): SharedStores {
  const store = memoryStore({ shared: true });
  return { node: () => store, close: () => store.close() };
}

function sqliteStores(): SharedStores {
  const folder = mkdtempSync(join(tmpdir(), 'crosspoint-nodes-'));
  const ends: (() => Promise<void>)[] = [];
  return {
    node() {
      const database = new DatabaseSync(join(folder, 'nodes.db'));
      const store = sqliteStore(database, { pollMs: 5 });
      ends.push(async () => {
        await store.close();
        database.close();
      });
      return store;
    },
    async close() {
      for (const end of ends) await end();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function privateRedisStores(): Promise<SharedStores> {
  const redis = await startRedis();
  const stores = redisStores(redis);
  return {
    node: () => stores.node(),
    async close() {
      await stores.close();
      await redis.close();
    },
  };
}

/** One cluster for all tests of a file: it takes a few seconds to start. */
let cluster: Promise<PrivateCluster> | undefined;
afterAll(async () => (await cluster)?.close());

async function clusterStores(): Promise<SharedStores> {
  cluster ??= startCluster();
  return redisStores(await cluster);
}

/** Every kind of store that can be shared here. */
export const KINDS: readonly (readonly [name: string, open: () => Promise<SharedStores>])[] = [
  ['memory', async () => memoryStores()],
  ['SQLite', async () => sqliteStores()],
  ...(isRedisInstalled
    ? ([
        ['Redis', privateRedisStores],
        ['Redis Cluster', clusterStores],
      ] as const)
    : []),
];
