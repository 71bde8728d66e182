// Runs the cases of one target, in a process of its own. Started by `engine/supervise.mjs`, which tells it what to do in one message and is told of everything in
// messages: `case` after each replayed input, `found`, `beat` (so that a process that is stuck can be told from a busy one), `done`.
import { setTimeout as pause } from 'node:timers/promises';
import { targets } from '../targets/index.mjs';
import { conduct } from './conduct.mjs';
import { usedBytes } from './memory.mjs';
import { Random } from './random.mjs';
import { Shelf } from './shelf.mjs';
import { shrunk } from './shrink.mjs';
import { fault, signOf } from './verdict.mjs';

const BEAT_MS = 250;
const BATCH = 64;
const WARM_UP = 300;
const MOST_FINDINGS = 10;
/** Kinds of faults that need no waiting: only these are worth shrinking. */
const QUICKLY_SHOWN = ['broken-rule', 'server-error', 'crash', 'wrong-recipient'];
const MIB = 1024 * 1024;
/** Memory beyond this, and beyond twice the start, has grown by more than caches keep. */
const GROWTH = 64 * MIB;
const PATIENCE_MS = 20_000;

const tell = (message) => new Promise((resolve) => (process.connected ? process.send(message, resolve) : resolve()));
const { name, seed, isFresh, from, ms, replay } = await new Promise((resolve) => process.once('message', resolve));
process.on('disconnect', () => process.exit(1));

const target = targets[name];
/** Number of cases run at the same time. */
const lanes = target.lanes ?? 1;
const patienceMs = target.patienceMs ?? PATIENCE_MS;
const shelf = new Shelf(name, { isFresh });
const journal = shelf.journal();
const instance = await target.start();
await tell({ type: 'ready' });

const counts = {};
const count = (what, by = 1) => (counts[what] = (counts[what] ?? 0) + by);
/** Paths of the findings: one file for each kind of fault. */
const findings = [];
const seen = new Set();

/** Of inputs that were run together, those that show a fault on their own; all of them where none does. */
async function foundAmong(batch, faults) {
  if (faults.every((each) => seen.has(signOf(each)))) return;
  if (batch.length === 1) return found(batch[0], faults);
  let isShown = false;
  for (const input of batch) {
    const alone = await conduct(instance, input, patienceMs);
    if (alone.faults.length === 0) continue;
    isShown = true;
    await found(input, alone.faults);
  }
  if (!isShown) await found({ together: batch }, faults, { mayShrink: false });
}

async function found(input, faults, { mayShrink = true } = {}) {
  const fresh = faults.find((each) => !seen.has(signOf(each)));
  for (const each of faults) seen.add(signOf(each));
  if (fresh === undefined) return;
  const sign = signOf(fresh);
  const shows = async (smaller) =>
    (await conduct(instance, smaller, patienceMs)).faults.some((each) => signOf(each) === sign);
  const small = mayShrink && QUICKLY_SHOWN.includes(fresh.kind) ? await shrunk(input, shows) : input;
  const path = shelf.saveFinding({ target: name, faults, input: small });
  findings.push(path);
  await tell({ type: 'found', faults, path });
}

function inputOf(index) {
  const random = new Random(`${seed} ${name} ${index}`);
  if (!isFresh && instance.vary && shelf.kept.length > 0 && random.chance(0.3))
    return instance.vary(random, random.pick(shelf.kept).input);
  return instance.generate(random, index);
}

async function restBetween(input) {
  const faults = [...((await instance.rest?.()) ?? [])];
  for (const each of faults) count(each.kind);
  if (faults.length > 0) await found(input, faults, { mayShrink: false });
}

async function fuzz() {
  const end = performance.now() + ms - (target.settleMs ?? 0);
  let baseline;
  let beat = performance.now();
  let input;
  for (shelf.cursor = from; performance.now() < end && findings.length < MOST_FINDINGS; shelf.cursor += lanes) {
    const batch = Array.from({ length: lanes }, (_, lane) => inputOf(shelf.cursor + lane));
    input = lanes === 1 ? batch[0] : { together: batch };
    journal.note(input);
    const { each, faults } = await conduct(instance, input, patienceMs);
    count('cases', lanes);
    for (const { counts: more } of each) for (const [what, times] of Object.entries(more ?? {})) count(what, times);
    for (const { kind } of faults) count(kind);
    if (faults.length > 0) await foundAmong(batch, faults);
    else for (const [lane, { sign }] of each.entries()) shelf.keep(sign, batch[lane]);
    if (counts.cases % BATCH === 0) await restBetween(input);
    if (baseline === undefined && counts.cases >= WARM_UP) baseline = await usedBytes();
    if (performance.now() - beat > BEAT_MS) {
      beat = performance.now();
      await tell({ type: 'beat', counts, cursor: shelf.cursor });
    }
  }
  if (input !== undefined) await restBetween(input);
  await tell({ type: 'beat', counts, cursor: shelf.cursor });
  await pause(target.settleMs ?? 0);
  const after = await usedBytes();
  if (baseline !== undefined && after > 2 * baseline + GROWTH)
    await found(
      input,
      [
        fault(
          'growth',
          `${Math.round(baseline / MIB)} MiB after ${WARM_UP} cases, ${Math.round(after / MIB)} MiB at the end`,
        ),
      ],
      { mayShrink: false },
    );
  return { baseline, after };
}

async function replayAll() {
  for (const { file, input } of replay) {
    journal.note({ file });
    const { faults } = await conduct(instance, input, patienceMs);
    await tell({ type: 'case', file, faults });
  }
  const faults = (await instance.rest?.()) ?? [];
  if (faults.length > 0) await tell({ type: 'case', file: 'afterwards', faults });
  return {};
}

const memory = await (replay === undefined ? fuzz() : replayAll());
if (replay === undefined) shelf.save();
await instance.stop?.();
journal.close();
await tell({
  type: 'done',
  counts,
  cursor: shelf.cursor,
  kept: shelf.kept.length,
  memory,
  peakRss: process.resourceUsage().maxRSS * 1024,
});
process.exit(0);
