import { describe, expect, it } from 'vitest';
import { CELLS, killIn, randomFrom, type KilledCell } from '../programs/killed/rounds.mjs';

/** Printed with every failure; `npm run chaos:bridge -- --seed <n>` runs all cells with 200 kills. */
const SEED = Number(process.env['SEED'] ?? Date.now() % 1_000_000);
const KILLS = 5;

/** Eight of the 24 cells, by the seed: each victim, over each carrier. */
function chosen(): KilledCell[] {
  const random = randomFrom(SEED);
  const shuffled = CELLS.map((cell) => ({ cell, at: random() }))
    .toSorted((one, other) => one.at - other.at)
    .map(({ cell }) => cell);
  const kindOf = ({ victim, carrier }: KilledCell): string => `${victim} ${carrier}`;
  const first = shuffled.filter((cell, at) => shuffled.findIndex((one) => kindOf(one) === kindOf(cell)) === at);
  return [...first, ...shuffled.filter((cell) => !first.includes(cell))].slice(0, 8);
}

describe.concurrent(`processes that are killed, seed ${SEED}`, () => {
  it.each(chosen())(
    'the $victim: $down client, $up server over $carrier',
    async (cell) => {
      const outcomes = await killIn(cell, { kills: KILLS, seed: SEED });
      expect(Object.values(outcomes).reduce((sum, count) => sum + count, 0)).toBeGreaterThanOrEqual(KILLS);
    },
    180_000,
  );
});
