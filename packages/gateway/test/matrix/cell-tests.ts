import { expect, it } from 'vitest';
import { unexplained } from './allowed.ts';
import { everyCell, nearest, seeBridged, seeDirectly } from './cells.ts';
import { compare } from './compare.ts';

const LIMIT_MS = 60_000;

/** Tests for these servers: every client, over every carrier, sees of them through a bridge what it sees without. */
export function testCells(servers: readonly string[]): void {
  const cells = everyCell(servers).map((cell) => ({ ...cell, like: nearest(cell) }));
  it.each(cells)(
    'client $client sees server $server over $carrier through a bridge as client $like does without',
    async (cell) => {
      const [direct, bridged] = await Promise.all([seeDirectly(cell), seeBridged(cell)]);
      const found = compare(direct, bridged);
      expect(unexplained(found, cell)).toEqual([]);
    },
    LIMIT_MS,
  );
}
