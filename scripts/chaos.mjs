// Three nodes, one Redis, a balancer without affinity, and clients of both families, while nodes are killed and started again, or Redis is.
// npm run chaos -- --clients 200 --seconds 60 [--redis-stop 5] [--kills false] [--json] [--cluster redis://127.0.0.1:7001,redis://127.0.0.1:7002]
import { fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Client } from 'crosspoint/client';
import { NodeProcess } from './chaos/nodes.mjs';
import { startRedis } from './chaos/redis.mjs';

const { values } = parseArgs({
  options: {
    clients: { type: 'string', default: '200' },
    seconds: { type: 'string', default: '60' },
    'redis-stop': { type: 'string', default: '0' },
    kills: { type: 'string', default: 'true' },
    json: { type: 'boolean', default: false },
    cluster: { type: 'string' },
  },
});
const count = Number(values.clients);
const runMs = Number(values.seconds) * 1000;
const redisStopMs = Number(values['redis-stop']) * 1000;
/** Clients in one process. */
const HERD = 50;
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const say = (line) => values.json || console.log(line);
const program = (name) => fileURLToPath(new URL(`chaos/${name}`, import.meta.url));
const told = (child) => new Promise((resolve) => child.once('message', resolve));

const balancer = fork(program('balancer.mjs'));
const url = `http://127.0.0.1:${await told(balancer)}/mcp`;
/** A cluster is started and ended by whoever names it. */
const redis = values.cluster
  ? { url: values.cluster, close: async () => {} }
  : await startRedis({ keeps: redisStopMs > 0 });
const secret = randomBytes(32).toString('hex');
const tellPorts = () => balancer.connected && balancer.send(nodes.flatMap(({ port }) => port ?? []));
const nodes = [1, 2, 3].map(() => new NodeProcess([redis.url, secret], tellPorts));
await Promise.all(nodes.map((node) => node.start()));

const herds = ['handshake', 'stateless'].flatMap((family) =>
  Array.from({ length: Math.ceil(count / HERD) }, (_, index) => ({
    family,
    from: index * HERD,
    count: Math.min(HERD, count - index * HERD),
    child: fork(program('herd.mjs')),
  })),
);
/** Sends every herd a command, and returns their answers. */
const all = (what, rest = () => ({})) =>
  Promise.all(
    herds.map(async (herd) => {
      const answer = told(herd.child);
      herd.child.send({ what, ...rest(herd) });
      const { value, error } = await answer;
      if (error !== undefined) throw new Error(`${what}: ${error}`);
      return value;
    }),
  );

const run = { end: 0, isOver: false };

/** Kills a node at a time, at random; the next may fall before the last is back. */
async function killNodes() {
  while (Date.now() < run.end) {
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

/** Makes changes, and returns the times of those that are known to have happened. */
async function makeChanges() {
  const made = [];
  const client = new Client({ name: 'changer', version: '1.0.0' }, { revisions: ['2026-07-28'] });
  await client.connect(url);
  while (!run.isOver) {
    await wait(1000 + Math.random() * 1000);
    const since = Date.now();
    // A failed call may or may not have made its change, so no client is expected to have heard of it.
    await client.callTool({ name: 'change', arguments: {} }).then(
      () => made.push(since),
      () => {},
    );
  }
  await client.close().catch(() => {});
  return made;
}

say(`Connecting ${2 * count} clients …`);
await all('connect', ({ family, from, count: size }) => ({ url, family, from, count: size }));
say(`Running for ${values.seconds} s …`);
run.end = Date.now() + runMs;
await all('run');
const changing = makeChanges();
await Promise.all([values.kills === 'true' ? killNodes() : wait(runMs), redisStopMs > 0 ? stopRedis() : undefined]);
// Everything is up again: open calls end, and changes are delivered.
await wait(Math.max(0, run.end - Date.now()) + 3000);
run.isOver = true;
const violations = [];
if ((await all('stop')).includes(false)) violations.push('Calls were still waiting when the time was over.');
const changes = await changing;
const reports = await all('report', () => ({ changes }));
const clients = reports.flatMap((report) => report.clients);

for (const [index, since] of changes.entries()) {
  const deaf = reports.flatMap((report) => report.deaf[index]);
  const when = Math.round((since - run.end + runMs) / 100) / 10;
  if (deaf.length > 0)
    violations.push(`${deaf.length} clients, such as ${deaf[0]}, did not hear of the change at ${when} s.`);
}
for (const node of nodes) for (const crash of node.crashes) violations.push(`A node ended by itself: ${crash}`);
violations.push(...clients.flatMap((client) => client.violations));

const sum = (of) => clients.reduce((total, client) => total + of(client), 0);
const sums = (of) => {
  const totals = {};
  for (const client of clients)
    for (const [kind, times] of Object.entries(of(client))) totals[kind] = (totals[kind] ?? 0) + times;
  return totals;
};
const summary = {
  clients: clients.length,
  kills: nodes.reduce((total, { kills }) => total + kills, 0),
  results: sum(({ counts }) => counts.results),
  asked: sum(({ counts }) => counts.answered),
  tasks: sums(({ counts }) => counts.tasks),
  errors: sums(({ counts }) => counts.errors),
  problems: sums(({ problems }) => problems),
  changes: changes.length,
  changesHeard: sum(({ counts }) => counts.changes),
  events: sum(({ events }) => events),
  slowestMs: Math.max(...clients.map(({ slowest }) => slowest)),
  // Lag of the clients: a machine that is too slow for this many proves nothing.
  lagMs: Math.max(...reports.map(({ lagMs }) => lagMs)),
  violations: violations.slice(0, 50),
};
if (summary.results === 0) summary.violations.push('Nothing was answered.');

await all('close');
await Promise.all(nodes.map((node) => node.kill()));
balancer.disconnect();
await redis.close();

console.log(values.json ? JSON.stringify(summary) : summary);
process.exit(summary.violations.length > 0 ? 1 : 0);
