// Hours of use in one: visitors of both families come, call, ask, watch, cancel, break off and leave, at a server, at a bridge before it, and at a server
// that is killed and restarted all the time. Memory, handles and latency must stay flat: a test of their slopes decides.
// npm run soak -- [--minutes 60] [--visitors 6] [--seed 1] [--save]   --save writes docs/endurance.md and its picture
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { percentile } from '../bench/measure/statistics.mjs';
import { saveRun } from './soak/page.mjs';
import { Part } from './soak/process.mjs';
import { judge } from './soak/slope.mjs';
import { openProbe, seeded, visit } from './soak/visits.mjs';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '60' },
    visitors: { type: 'string', default: '6' },
    seed: { type: 'string', default: '1' },
    save: { type: 'boolean', default: false },
  },
});
const minutes = Number(values.minutes);
const endsAt = Date.now() + minutes * 60_000;
const sampleMs = Math.max(1000, (minutes * 60_000) / 240);
const restartMs = Math.max(4000, (minutes * 60_000) / 60);
/** Milliseconds between two visits of one visitor: the machine is not to be full. */
const PAUSE_MS = 120;
/** Echoes of each probe in a sample. */
const ECHOES = 8;
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const isOver = () => Date.now() >= endsAt;

const folder = mkdtempSync(join(tmpdir(), 'crosspoint-soak-'));
const secret = randomBytes(32).toString('hex');
const steady = await new Part('server', join(folder, 'steady.db'), secret).start();
const bridge = await new Part('bridge', steady.url).start();
const restless = await new Part('server', join(folder, 'restless.db'), secret).start();

/** Clients that stay open all the time: one of each family, one of them through the bridge. */
const probes = [await openProbe(steady.url, 'per-request'), await openProbe(bridge.url, 'handshake')];

const counts = { visits: 0, survived: 0 };
const faults = [];

async function visitor(number) {
  const random = seeded(Number(values.seed) * 1000 + number);
  for (let count = 0; !isOver(); count += 1) {
    const place = [steady, bridge, restless][Math.floor(random() * 3)];
    const family = random() < 0.5 ? 'handshake' : 'per-request';
    const mayFail = place === restless;
    try {
      const isWhole = await visit({ url: place.url, family, random, mayFail, tag: `${number}-${count}` });
      counts.visits += 1;
      if (mayFail && isWhole) counts.survived += 1;
    } catch (error) {
      faults.push(`${place === bridge ? 'bridge' : 'server'}, ${family}: ${error.message}`);
      if (faults.length > 50) return;
    }
    await wait(PAUSE_MS);
  }
}

async function restart() {
  for (let count = 0; !isOver(); count += 1) {
    await wait(restartMs);
    if (!isOver()) await restless.restart(count % 2 === 0 ? 'SIGKILL' : 'SIGTERM');
  }
}

const samples = [];
async function sample() {
  const began = Date.now();
  while (!isOver()) {
    await wait(sampleMs);
    const echoes = await Promise.all(probes.map((probe) => probe.echoes(ECHOES)));
    const own = echoes.flat().toSorted((one, other) => one - other);
    const [server, before] = await Promise.all([steady.figures(), bridge.figures()]);
    const times = { p50: percentile(own, 0.5), p99: percentile(own, 0.99) };
    samples.push({ minute: (Date.now() - began) / 60_000, server, bridge: before, ...times });
    const mb = (bytes) => (bytes / 2 ** 20).toFixed(1);
    console.log(
      `${samples.at(-1).minute.toFixed(1).padStart(6)} min  server ${mb(server.heapUsed)} MB live, ${mb(server.rss)} resident, ${server.handles} handles; ` +
        `bridge ${mb(before.heapUsed)} live, ${mb(before.rss)} resident, ${before.handles} handles; p50 ${times.p50.toFixed(1)} ms; ` +
        `${counts.visits} visits, ${restless.restarts} restarts, ${faults.length} faults`,
    );
  }
}

console.log(`${minutes} min, ${values.visitors} visitors, seed ${values.seed}.`);
await Promise.all([sample(), restart(), ...Array.from({ length: Number(values.visitors) }, (_, at) => visitor(at))]);
await Promise.all(probes.map((probe) => probe.close()));
await Promise.all([bridge, steady, restless].map((part) => part.stop()));
rmSync(folder, { recursive: true, force: true });

const MB = 2 ** 20;
const series = (of) => samples.map((one) => ({ x: one.minute, y: of(one) }));
/** Handles that come and go with the visits of a moment; one that is left behind by each visit is a hundred in two minutes. */
const HANDLES = { most: 0.2, least: 2 * Number(values.visitors) };
const SERIES = [
  { name: 'server, live memory', unit: 'MB', of: ({ server }) => server.heapUsed / MB, most: 0.1, least: 2 },
  { name: 'bridge, live memory', unit: 'MB', of: ({ bridge: one }) => one.heapUsed / MB, most: 0.1, least: 2 },
  { name: 'server, resident memory', unit: 'MB', of: ({ server }) => server.rss / MB, most: 0.15, least: 15 },
  { name: 'bridge, resident memory', unit: 'MB', of: ({ bridge: one }) => one.rss / MB, most: 0.15, least: 15 },
  { name: 'server, handles', unit: 'handles', of: ({ server }) => server.handles, ...HANDLES },
  { name: 'bridge, handles', unit: 'handles', of: ({ bridge: one }) => one.handles, ...HANDLES },
  { name: 'latency of an echo, p50', unit: 'ms', of: ({ p50 }) => p50, most: 0.5, least: 5 },
];
const verdicts = SERIES.map(({ name, unit, of, ...limits }) => ({ name, unit, ...judge(series(of), limits) }));
const number = (value) => (value === undefined ? '–' : value.toFixed(2));
for (const { name, unit, isFlat, added, middle, limit, reason } of verdicts)
  console.log(
    `${isFlat ? 'flat ' : 'grows'}  ${name}: ${reason ?? `middle ${number(middle)} ${unit}, its slope adds ${number(added)} (at most ${number(limit)})`}`,
  );
for (const fault of faults.slice(0, 10)) console.log(`fault  ${fault}`);
console.log(
  `${counts.visits} visits, ${counts.survived} of them to a server that was restarted ${restless.restarts} times; ${faults.length} faults, ` +
    `${verdicts.filter(({ isFlat }) => isFlat).length} of ${verdicts.length} series flat.`,
);

if (values.save) {
  const panel = (title, unit, ...own) => ({
    title,
    unit,
    series: own.map(({ label, of }) => ({ label, points: series(of) })),
  });
  const panels = [
    panel('Live memory', 'MB', { label: 'server', of: SERIES[0].of }, { label: 'bridge', of: SERIES[1].of }),
    panel('Resident memory', 'MB', { label: 'server', of: SERIES[2].of }, { label: 'bridge', of: SERIES[3].of }),
    panel('Handles', 'number', { label: 'server', of: SERIES[4].of }, { label: 'bridge', of: SERIES[5].of }),
    panel('Latency of an echo', 'ms', { label: 'p50', of: ({ p50 }) => p50 }, { label: 'p99', of: ({ p99 }) => p99 }),
  ];
  saveRun({ minutes, counts, restarts: restless.restarts, faults: faults.length, verdicts, panels });
}
process.exitCode = faults.length === 0 && verdicts.every(({ isFlat }) => isFlat) ? 0 : 1;
