import { createClient } from '@redis/client';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { hasRedis, startRedis, type PrivateRedis } from '../stores/redis-server.ts';
import { ended } from './bench.ts';
import { ask, endNodes, look, startNode, type NodeProcess } from './node-processes.ts';

const isInstalled = await hasRedis();
if (!isInstalled) console.log('redis-server is not installed here: what needs Redis is skipped.');

let redis: PrivateRedis;
let client: ReturnType<typeof createClient>;

beforeAll(async () => {
  if (!isInstalled) return;
  redis = await startRedis();
  client = createClient({ url: redis.url });
  await client.connect();
});
afterEach(async () => {
  await endNodes();
  await client?.flushAll();
});
afterAll(async () => {
  client?.destroy();
  await redis?.close();
});

const start = (name: string, hang = ''): Promise<NodeProcess> =>
  startNode({ REDIS: redis.url, NODE: name, HANG: hang });

const did = (): Promise<string[]> => client.lRange('did', 0, -1);

describe.skipIf(!isInstalled)('a node that is killed', () => {
  test('leaves its task to another, which goes on from the last finished step', { timeout: 60_000 }, async () => {
    const first = await start('A', 'two');
    const { taskId } = await ask(first, 'tools/call', { name: 'steps' });
    await look(did, (lines) => lines.includes('A:begins two'));
    const second = await start('B');
    expect(await ask(second, 'tasks/get', { taskId })).toMatchObject({ status: 'working' });
    await first.kill();
    const task = await look(() => ask(second, 'tasks/get', { taskId }), ended);
    expect(task).toMatchObject({ status: 'completed', result: { content: [{ text: 'A,B,B' }] } });
    expect(await did()).toEqual([
      'A:begins one',
      'A:ends one',
      'A:begins two',
      'B:begins two',
      'B:ends two',
      'B:begins three',
      'B:ends three',
    ]);
  });

  test('leaves nothing working for ever: without steps its task has failed', { timeout: 60_000 }, async () => {
    const first = await start('A');
    const { taskId } = await ask(first, 'tools/call', { name: 'stuck' });
    await look(did, (lines) => lines.includes('A:is stuck'));
    await first.kill();
    // Not yet started when the first one died: it finds the task by itself.
    const second = await start('B');
    const task = await look(() => ask(second, 'tasks/get', { taskId }), ended);
    expect(task).toMatchObject({ status: 'failed', statusMessage: expect.stringContaining('no steps') });
    expect(await did()).toEqual(['A:is stuck']);
  });
});
