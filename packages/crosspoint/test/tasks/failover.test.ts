import { createCluster } from '@redis/client';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { RedisSlots } from '../../src/stores/redis/redis-slots.ts';
import { startCluster, type PrivateCluster } from '../stores/redis-cluster-server.ts';
import { hasRedis } from '../stores/redis-server.ts';
import { ended } from './bench.ts';
import { ask, endNodes, look, startNode } from './node-processes.ts';

const isInstalled = await hasRedis();
if (!isInstalled) console.log('redis-server is not installed here: what needs Redis is skipped.');

let cluster: PrivateCluster;
const clients: { destroy(): void }[] = [];

beforeAll(async () => {
  if (isInstalled) cluster = await startCluster(3000);
}, 60_000);
afterEach(async () => {
  await endNodes();
  for (const client of clients.splice(0)) client.destroy();
});
afterAll(async () => cluster?.close());

/** The name of a key of a task, as the store has it. */
const keyOf = (taskId: string): string =>
  `${new RedisSlots('{crosspoint}:', 256).of(`task:r:${taskId}`).prefix}r:task:r:${taskId}`;

interface Notes {
  readonly did: () => Promise<string[]>;
  readonly go: () => Promise<unknown>;
  readonly clear: () => Promise<unknown>;
}

/** Keys of the program itself: they are at a master that stays. */
async function notes(): Promise<Notes> {
  const client = createCluster({ rootNodes: cluster.rootNodes, topologyRefreshOnReconnectionAttemptStrategy: 500 });
  client.on('error', () => {}).on('node-error', () => {});
  clients.push(client);
  await client.connect();
  return {
    did: () => client.lRange('did', 0, -1),
    go: () => client.set('go', 'yes'),
    clear: () => Promise.all([client.del('did'), client.del('go')]),
  };
}

describe.skipIf(!isInstalled)('a task in a Redis Cluster', () => {
  const urls = (): string => cluster.rootNodes.map(({ url }) => url).join();

  test('goes on at another node when its own is killed, from the last finished step', { timeout: 90_000 }, async () => {
    const { did, clear } = await notes();
    await clear();
    const first = await startNode({ REDIS: urls(), NODE: 'A', HANG: 'two' });
    const { taskId } = await ask(first, 'tools/call', { name: 'steps' });
    await look(did, (lines) => lines.includes('A:begins two'));
    const second = await startNode({ REDIS: urls(), NODE: 'B' });
    await first.kill();
    const task = await look(() => ask(second, 'tasks/get', { taskId }), ended);
    expect(task).toMatchObject({ status: 'completed', result: { content: [{ text: 'A,B,B' }] } });
    expect((await did()).filter((line) => line.includes('one'))).toEqual(['A:begins one', 'A:ends one']);
  });

  test(
    'goes on when the master that has it is killed, and repeats no step that was recorded',
    { timeout: 90_000 },
    async () => {
      const { did, go, clear } = await notes();
      await clear();
      const noted = [await cluster.masterOf('did'), await cluster.masterOf('go')];
      const node = await startNode({ REDIS: urls(), NODE: 'A', HOLD: 'two' });
      let tasks = 0;
      // A task whose master is not that of the notes of this test.
      const found = await look(
        async () => {
          tasks += 1;
          const { taskId } = await ask(node, 'tools/call', { name: 'steps' });
          return { taskId, master: await cluster.masterOf(keyOf(taskId)) };
        },
        ({ master }) => !noted.includes(master),
      );
      const { taskId, master } = found;
      const times = async (what: string): Promise<number> => (await did()).filter((line) => line === what).length;
      await look(
        () => times('A:begins two'),
        (begun) => begun === tasks,
      );
      // The replica has what was recorded; what it may lack is in redis-failover.test.ts.
      await master.replicated();
      await master.kill();
      await go();
      const task = await look(() => ask(node, 'tasks/get', { taskId }).catch(() => ({ status: 'away' })), ended);
      expect(task).toMatchObject({ status: 'completed', result: { content: [{ text: 'A,A,A' }] } });
      expect(await times('A:begins one')).toBe(tasks);
    },
  );
});
