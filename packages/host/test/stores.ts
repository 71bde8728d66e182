import { createClient } from '@redis/client';
import { memoryStore, type Store } from 'crosspoint/stores';
import { redisStore } from 'crosspoint/stores/redis';
import { sqliteStore } from 'crosspoint/stores/sqlite';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { hasRedis, startRedis, type PrivateRedis } from '../../crosspoint/test/stores/redis-server.ts';
import { DatabaseSync } from '../../crosspoint/test/stores/recommended-driver.ts';

const isInstalled = await hasRedis();
if (!isInstalled) console.log('redis-server is not installed here: tests with Redis are left out.');

let redis: PrivateRedis | undefined;
const ends: (() => unknown)[] = [];
let prefixes = 0;

beforeAll(async () => {
  if (isInstalled) redis = await startRedis();
});
afterAll(() => redis?.close());
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

export type StoreName = 'memory' | 'SQLite' | 'Redis';

/** The stores that can be had here. */
export const STORES: readonly StoreName[] = isInstalled ? ['memory', 'SQLite', 'Redis'] : ['memory', 'SQLite'];

/** The address of the Redis of this test file; empty where there is none. */
export function redisUrl(): string {
  return redis?.url ?? '';
}

/** One fresh place for data, opened twice: by this process, and as another one would. Closed after the test. */
export function openTwice(name: StoreName): [Store, Store] {
  if (name === 'memory') {
    const store = memoryStore({ shared: true });
    return [store, store];
  }
  const open = name === 'SQLite' ? sqliteOpener() : redisOpener();
  return [open(), open()];
}

function sqliteOpener(): () => Store {
  const folder = mkdtempSync(join(tmpdir(), 'crosspoint-host-'));
  ends.push(() => rmSync(folder, { recursive: true, force: true }));
  return () => {
    const database = new DatabaseSync(join(folder, 'state.db'));
    const store = sqliteStore(database);
    ends.push(async () => {
      await store.close();
      database.close();
    });
    return store;
  };
}

function redisOpener(): () => Store {
  prefixes += 1;
  const prefix = `{host ${prefixes}}:`;
  return () => {
    const client = createClient({ url: redisUrl() });
    const store = redisStore(client, { prefix });
    ends.push(async () => {
      await store.close();
      client.destroy();
    });
    return store;
  };
}
