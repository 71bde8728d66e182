// Kills upstreams, bridges and clients in the middle of calls, questions and tasks, and checks what the others are told.
// npm run chaos:bridge -- [--kills 200] [--seed 1] [--cell 3] [--at-once 2]
import { parseArgs } from 'node:util';
import { CELLS, killIn } from '../packages/gateway/test/programs/killed/rounds.mjs';

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '200' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    cell: { type: 'string' },
    'at-once': { type: 'string', default: '3' },
  },
});
const seed = Number(values.seed);
const cells = values.cell === undefined ? CELLS : [CELLS[Number(values.cell)]];
const each = Math.ceil(Number(values.kills) / cells.length);
const totals = {};
const faults = [];
const left = cells.map((cell, at) => ({ cell, seed: seed + at }));
const began = Date.now();

async function work() {
  for (let next = left.shift(); next !== undefined; next = left.shift())
    try {
      const outcomes = await killIn(next.cell, { kills: each, seed: next.seed });
      for (const [kind, count] of Object.entries(outcomes)) {
        const of = `${next.cell.victim} killed, ${kind}`;
        totals[of] = (totals[of] ?? 0) + count;
      }
    } catch (error) {
      faults.push(error.message);
      console.error(error.message);
    }
}

await Promise.all(Array.from({ length: Number(values['at-once']) }, work));
console.log({
  seed,
  kills: each * cells.length,
  seconds: Math.round((Date.now() - began) / 1000),
  totals,
  faults: faults.length,
});
process.exit(faults.length > 0 ? 1 : 0);
