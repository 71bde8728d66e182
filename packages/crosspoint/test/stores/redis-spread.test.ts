import { readFileSync } from 'node:fs';
import { createClient, createCluster } from '@redis/client';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { text } from '../../src/server/index.ts';
import { redisStore } from '../../src/stores/redis.ts';
import type { Store } from '../../src/stores/store.ts';
import { closeAll, openSession, serve, until, type Served } from '../http/serving.ts';
import { Wire } from '../server/wire.ts';
import { Bench, beginCore, core } from '../tasks/bench.ts';
import { startCluster, type ClusterNode, type PrivateCluster } from './redis-cluster-server.ts';
import { hasRedis, startRedis, type PrivateRedis } from './redis-server.ts';

const isInstalled = await hasRedis();
if (!isInstalled) console.log('redis-server is not installed here: what needs Redis is skipped.');

const DOCS = new URL('../../../../docs/stores.md', import.meta.url);
const SESSIONS = 300;

let redis: PrivateRedis;
let cluster: PrivateCluster;
const ended: (() => unknown)[] = [];

beforeAll(async () => {
  if (isInstalled) [redis, cluster] = await Promise.all([startRedis(), startCluster()]);
}, 60_000);
afterAll(async () => {
  await redis?.close();
  await cluster?.close();
});
afterEach(async () => {
  await closeAll();
  for (const end of ended.splice(0)) await end();
});

interface Counted {
  readonly store: Store;
  /** The keys of the commands that were sent, each with the name of its command. */
  readonly sent: { name: string; key: string }[];
}

/** A store over a client whose commands are written down. */
function counted<T extends object>(client: T & { destroy(): unknown }, open: (client: T) => Store): Counted {
  const sent: { name: string; key: string }[] = [];
  const sendCommand = Reflect.get(client, 'sendCommand') as (...args: unknown[]) => unknown;
  const listening = (...args: unknown[]): unknown => {
    const [name = '', ...rest] = args.find((arg) => Array.isArray(arg)) as string[];
    sent.push({ name, key: rest[name.startsWith('EVAL') ? 2 : 0] ?? '' });
    return Reflect.apply(sendCommand, client, args);
  };
  Object.defineProperty(client, 'sendCommand', { value: listening });
  const store = open(client);
  ended.push(async () => (await store.close(), client.destroy()));
  return { store, sent };
}

const single = (): Counted =>
  counted(createClient({ url: redis.url }), (client) => redisStore(client, { waitMs: 10_000 }));
const spread = (): Counted =>
  counted(createCluster({ rootNodes: cluster.rootNodes }), (client) => redisStore(client, { waitMs: 10_000 }));

/** The commands about sessions, events and tasks; nodes also look after themselves. */
const count = ({ sent }: Counted): number =>
  sent.filter(({ key }) => /:(session|events|standing|task)s?\b/.test(key)).length;

/** Waits until nothing has been sent for a while. */
async function settled({ sent }: Counted): Promise<void> {
  for (let before = -1; before !== sent.length; await new Promise((resolve) => setTimeout(resolve, 200)))
    before = sent.length;
}

/** The commands of one turn, the first of which is not counted. */
async function perTurn(of: Counted, turns: number, turn: () => Promise<unknown>): Promise<number> {
  await turn();
  await settled(of);
  of.sent.length = 0;
  for (let index = 0; index < turns; index += 1) await turn();
  await settled(of);
  return count(of) / turns;
}

async function taskServer(store: Store): Promise<() => Promise<void>> {
  const bench = new Bench({ tasks: { store, leaseMs: 60_000 } });
  bench.server.registerTool('steps', { execution: { taskSupport: 'required' } }, async (ctx) => {
    for (const name of ['one', 'two']) await ctx.step(name, () => name);
    return text('done');
  });
  const wire = await Wire.open(bench.server);
  return async () => {
    const { taskId } = await beginCore(wire, 'steps');
    await wire.result('tasks/result', { taskId }, core);
  };
}

async function rows(of: Counted): Promise<Record<string, number>> {
  const served = await serve({ store: of.store });
  const session = await openSession(served);
  let id = 0;
  const call = async (): Promise<void> => void (await (await session.call((id += 1), 'echo', { text: 'x' })).finish());
  const calls = await perTurn(of, 20, call);
  const counts = await perTurn(
    of,
    20,
    async () => void (await (await session.call((id += 1), 'count', { to: 3 }, { progressToken: id })).finish()),
  );
  const opened = await perTurn(of, 20, () => openSession(served));
  const task = await perTurn(of, 20, await taskServer(of.store));
  return { calls, counts, opened, task };
}

async function allMasters(): Promise<readonly ClusterNode[]> {
  const masters = await cluster.masters();
  // A node that did not answer in time is asked once more.
  return masters.length === 3 ? masters : allMasters();
}

/** The commands that each master has carried out for scripts, records and logs. */
async function ofMasters(): Promise<number[]> {
  const masters = await allMasters();
  return Promise.all(
    masters.map(async (node) => {
      const stats = await node.info('commandstats');
      const calls = ['evalsha', 'eval', 'hmget', 'xrange', 'spublish'].map((name) =>
        Number(/calls=(\d+)/.exec(stats.get(`cmdstat_${name}`) ?? '')?.[1] ?? 0),
      );
      return calls.reduce((sum, number) => sum + number, 0);
    }),
  );
}

async function work(served: Served): Promise<void> {
  const session = await openSession(served);
  for (const id of [1, 2, 3]) await (await session.call(id, 'echo', { text: 'x' })).finish();
}

describe.skipIf(!isInstalled)('the commands of a store', () => {
  test('are as many in a cluster as at a single server, as docs/stores.md says', async () => {
    const [at, of] = [await rows(single()), await rows(spread())];
    expect(of).toEqual(at);
    const docs = readFileSync(DOCS, 'utf8');
    for (const [name, commands] of Object.entries({
      'A call in a session that is answered at once': of['calls'],
      'A call in a session that tells its progress three times': of['counts'],
      'Opening a session': of['opened'],
      'A task with two steps': of['task'],
    }))
      expect(docs).toContain(`| ${name} | ${commands} |`);
  }, 120_000);

  test('come to all slots and masters evenly, with the keys of each session in one slot', async () => {
    const of = spread();
    const served = await serve({ store: of.store });
    const before = await ofMasters();
    for (let index = 0; index < SESSIONS; index += 20)
      await Promise.all(Array.from({ length: 20 }, () => work(served)));
    await until(() => count(of) >= SESSIONS * 8);
    const after = await ofMasters();
    const commands = after.map((number, index) => number - (before[index] ?? 0));
    const slots = new Map<string, Set<string>>();
    for (const { key } of of.sent) {
      const [, slot = '', owner = ''] = /^\{(.*?)\}:[rl]:(?:session|events|standing):(.*)$/.exec(key) ?? [];
      if (owner !== '') slots.set(owner, (slots.get(owner) ?? new Set()).add(slot));
    }
    expect(slots.size).toBe(SESSIONS);
    for (const used of slots.values()) expect(used.size).toBe(1);
    const inUse = new Set([...slots.values()].flatMap((used) => [...used]));
    console.log(`${of.sent.length} commands, ${inUse.size} slots, by master: ${commands.join(', ')}`);
    // 300 owners thrown into 256 slots leave about 80 empty.
    expect(inUse.size).toBeGreaterThan(150);
    const mean = commands.reduce((sum, number) => sum + number, 0) / commands.length;
    // Chance moves a tenth of them, and the channel of all sessions is at one master.
    for (const number of commands) expect(Math.abs(number - mean)).toBeLessThan(mean * 0.5);
  }, 120_000);

  test('never cross slots, and no script fails', async () => {
    const masters = await allMasters();
    const errors = await Promise.all(masters.map((node) => node.info('errorstats')));
    expect(errors.flatMap((one) => [...one.keys()]).filter((name) => name.includes('SLOT'))).toEqual([]);
    const stats = await Promise.all(masters.map((node) => node.info('commandstats')));
    for (const one of stats) expect(one.get('cmdstat_eval')).toContain('failed_calls=0');
  });
});
