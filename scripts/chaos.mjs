// Three nodes, one Redis, a balancer without affinity, and clients of both families, while nodes are killed and started again, or Redis is.
// npm run chaos -- --clients 200 --seconds 60 [--redis-stop 5] [--kills false] [--json]
import { randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import { Client } from 'crosspoint/client';
import { startBalancer } from './chaos/balancer.mjs';
import { ChaosClient, LONGEST_MS } from './chaos/clients.mjs';
import { NodeProcess } from './chaos/nodes.mjs';
import { startRedis } from './chaos/redis.mjs';

const { values } = parseArgs({
  options: {
    clients: { type: 'string', default: '200' },
    seconds: { type: 'string', default: '60' },
    'redis-stop': { type: 'string', default: '0' },
    kills: { type: 'string', default: 'true' },
    json: { type: 'boolean', default: false },
  },
});
const count = Number(values.clients);
const runMs = Number(values.seconds) * 1000;
const redisStopMs = Number(values['redis-stop']) * 1000;
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const say = (line) => values.json || console.log(line);

const redis = await startRedis();
const secret = randomBytes(32).toString('hex');
const nodes = [1, 2, 3].map(() => new NodeProcess(redis.url, secret));
await Promise.all(nodes.map((node) => node.start()));
const balancer = await startBalancer(nodes);

const clients = ['handshake', 'stateless'].flatMap((family) =>
  Array.from({ length: count }, (_, index) => new ChaosClient(family, index, balancer.url)),
);
say(`Connecting ${clients.length} clients …`);
await Promise.all(clients.map((client) => client.connect()));

let isOver = false;
const violations = [];
const end = Date.now() + runMs;

/** Kills a node at a time, at random; the next may fall before the last is back. */
async function killNodes() {
  while (Date.now() < end) {
    await wait(1500 + Math.random() * 1500);
    const up = nodes.filter(({ port }) => port !== undefined);
    if (up.length < 2) continue;
    const node = up[Math.floor(Math.random() * up.length)];
    await node.kill();
    void wait(300 + Math.random() * 1500).then(() => node.start());
  }
}

async function stopRedis() {
  await wait(runMs / 4);
  await redis.stop();
  await wait(redisStopMs);
  await redis.start();
}

/** Makes changes, and gives the times of those that are known to have happened. */
async function makeChanges() {
  const made = [];
  const client = new Client({ name: 'changer', version: '1.0.0' }, { revisions: ['2026-07-28'] });
  while (!isOver) {
    await wait(1000 + Math.random() * 1000);
    const since = Date.now();
    try {
      if (!client.transport) await client.connect(balancer.url);
      await client.callTool({ name: 'change', arguments: {} });
      made.push(since);
    } catch {
      // Whether it happened is unknown, so nobody is expected to have heard.
    }
  }
  await client.close().catch(() => {});
  return made;
}

say(`Running for ${values.seconds} s …`);
const running = clients.map((client) => client.run(() => isOver));
const changing = makeChanges();
const troubles = [values.kills === 'true' ? killNodes() : wait(runMs), redisStopMs > 0 ? stopRedis() : undefined];
await Promise.all(troubles);
// Everything is up again: what is under way ends, and what changed is heard of.
await wait(Math.max(0, end - Date.now()) + 3000);
isOver = true;
const calm = await Promise.race([Promise.all(running).then(() => true), wait(LONGEST_MS + 5000).then(() => false)]);
if (!calm) violations.push('Calls were still waiting when the time was over.');
const changes = await changing;
const lastChange = changes.at(-1);
const hasHeard = (client, since) => client.heard.some((at) => at >= since);
for (const until = Date.now() + LONGEST_MS; Date.now() < until; await wait(100))
  if (clients.every((client) => lastChange === undefined || hasHeard(client, lastChange))) break;
for (const client of clients)
  for (const since of changes)
    if (!client.heard.some((at) => at >= since && at <= since + LONGEST_MS))
      violations.push(
        `${client.name} did not hear of the change ${Math.round((since - end + runMs) / 100) / 10} s after the start.`,
      );

// After the trouble everything works as before.
if (clients.reduce((sum, { counts }) => sum + counts.results, 0) === 0) violations.push('Nothing was answered.');
for (const node of nodes) for (const crash of node.crashes) violations.push(`A node ended by itself: ${crash}`);
for (const client of clients) violations.push(...client.violations);

const sum = (of) => clients.reduce((total, client) => total + of(client), 0);
const errors = {};
for (const { counts } of clients)
  for (const [kind, times] of Object.entries(counts.errors)) errors[kind] = (errors[kind] ?? 0) + times;
const summary = {
  clients: clients.length,
  kills: nodes.reduce((total, { kills }) => total + kills, 0),
  results: sum(({ counts }) => counts.results),
  asked: sum(({ counts }) => counts.answered),
  errors,
  changes: changes.length,
  changesHeard: sum(({ counts }) => counts.changes),
  events: sum(({ events }) => events),
  slowestMs: Math.max(...clients.map(({ slowest }) => slowest)),
  violations: violations.slice(0, 50),
};

await Promise.all(clients.map((client) => Promise.race([client.close(), wait(3000)])));
await Promise.all(nodes.map((node) => node.kill()));
await balancer.close();
await redis.close();

if (values.json) console.log(JSON.stringify(summary));
else console.log(summary);
process.exit(violations.length > 0 ? 1 : 0);
