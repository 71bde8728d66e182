import { createCluster } from '@redis/client';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { acquireLease } from '../../src/stores/lease.ts';
import { RedisSlots } from '../../src/stores/redis/redis-slots.ts';
import { redisStore } from '../../src/stores/redis.ts';
import { StoreUnavailableError } from '../../src/stores/store-unavailable-error.ts';
import type { Store } from '../../src/stores/store.ts';
import { startCluster, type ClusterNode, type PrivateCluster } from './redis-cluster-server.ts';
import { hasRedis } from './redis-server.ts';

const isInstalled = await hasRedis();
if (!isInstalled) console.log('redis-server is not installed here: what needs Redis is skipped.');

const PREFIX = '{failover}:';
const PATIENCE = { timeout: 40_000, interval: 100 };
const slots = new RedisSlots(PREFIX, 256);

let cluster: PrivateCluster;
let store: Store;
const ended: (() => unknown)[] = [];

beforeAll(async () => {
  if (isInstalled) cluster = await startCluster(3000);
}, 60_000);
afterAll(async () => cluster?.close());
afterEach(async () => {
  for (const end of ended.splice(0)) await end();
});

function open(): Store {
  // The client asks for the new masters half a second after it lost one; its default is five seconds.
  const client = createCluster({
    rootNodes: cluster.rootNodes,
    topologyRefreshOnReconnectionAttemptStrategy: 500,
  });
  const opened = redisStore(client, { prefix: PREFIX, timeoutMs: 2500, waitMs: 10_000 });
  ended.push(async () => (await opened.close(), client.destroy()));
  return opened;
}

const masterOf = (key: string): Promise<ClusterNode> => cluster.masterOf(`${slots.of(key).prefix}r:${key}`);

/** A key at each master. */
async function keyAtEach(): Promise<Map<ClusterNode, string>> {
  const found = new Map<ClusterNode, string>();
  for (let number = 0; found.size < 3; number += 1) found.set(await masterOf(`key:${number}`), `key:${number}`);
  return found;
}

async function replicaOf(master: ClusterNode): Promise<ClusterNode> {
  const port = /port=(\d+)/.exec((await master.info('replication')).get('slave0') ?? '')?.[1];
  const replica = cluster.nodes.find((node) => String(node.port) === port);
  if (!replica) throw new Error('The master has no replica.');
  return replica;
}

/** Waits until each of three masters has a replica that has all it has. */
async function whole(): Promise<void> {
  const ofEach = async (): Promise<(string | undefined)[]> =>
    Promise.all((await cluster.masters()).map(async (node) => (await node.info('replication')).get('slave0')));
  await expect.poll(ofEach, PATIENCE).toEqual([1, 2, 3].map(() => expect.stringContaining('state=online')));
}

describe.skipIf(!isInstalled)('a master of a cluster that is killed', () => {
  test('costs its slots an error in time until its replica takes over, and the others nothing', async () => {
    await whole();
    store = open();
    const keys = await keyAtEach();
    const [[victim, lost], ...others] = [...keys] as [[ClusterNode, string], ...[ClusterNode, string][]];
    const heard: unknown[] = [];
    await store.subscribe(lost, (message) => heard.push(message));
    for (const key of keys.values()) await store.put(key, 'before');
    // Writes that no replica has are lost: the next test.
    await victim.replicated();
    await victim.kill();
    for (const [, key] of others) expect(await store.put(key, 'meanwhile')).toBeDefined();
    await expect(store.put(lost, 'meanwhile')).rejects.toThrow(StoreUnavailableError);
    await expect.poll(() => store.get(lost).catch(() => 'away'), PATIENCE).toMatchObject({ value: 'before' });
    expect(await store.put(lost, 'after')).toBeDefined();
    expect(await store.keys('key:')).toEqual([...keys.values()].sort());
    await expect
      .poll(
        () =>
          store.publish(lost, 1).then(
            () => heard.length > 0,
            () => false,
          ),
        PATIENCE,
      )
      .toBe(true);
    await victim.start();
    await whole();
    expect((await store.get(lost))?.value).toBe('after');
  }, 120_000);

  test('loses the writes that its replica did not have: records are as before, a lease may be held twice, no position is used again', async () => {
    await whole();
    store = open();
    const [[victim, key]] = [...(await keyAtEach())] as [[ClusterNode, string]];
    const first = await store.put(key, 1);
    const [, kept] = [await store.append(key, 'kept'), await store.append(key, 'kept too')];
    await victim.replicated();
    const replica = await replicaOf(victim);
    // It stands still with its connection cut, so that not even the kernel keeps for it what follows.
    replica.freeze();
    await victim.ask('CLIENT', 'KILL', 'TYPE', 'replica');
    // All of this is acknowledged.
    const second = (await store.put(key, 2)) ?? '';
    const lost = await store.append(key, 'lost');
    const lease = await acquireLease(store, `${key}:lease`, { ttlMs: 60_000, holder: 'one' });
    expect([second, lease?.lost.aborted]).toEqual([expect.any(String), false]);
    await victim.kill();
    replica.thaw();
    await expect.poll(() => store.get(key).catch(() => 'away'), PATIENCE).toEqual({ value: 1, version: first });
    // A change on top of the lost one is refused: the loss is seen.
    expect(await store.put(key, 3, { ifVersion: second })).toBeUndefined();
    expect((await store.read(key)).map(({ value }) => value)).toEqual(['kept', 'kept too']);
    const next = await store.append(key, 'next');
    expect([lost, kept]).not.toContain(next);
    expect(await store.read(key, { after: lost })).toMatchObject([{ value: 'next' }]);
    const other = await acquireLease(store, `${key}:lease`, { ttlMs: 60_000, holder: 'two' });
    expect(other).toBeDefined();
    // Its first holder learns of it when it renews, after a third of its time at the latest.
    expect([await lease?.renew(), lease?.lost.aborted]).toEqual([false, true]);
    await other?.release();
    await victim.start();
    await whole();
  }, 120_000);
});
