import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { IdTable } from '../../src/peer/id-table.ts';
import type { RequestId } from '../../src/jsonrpc/message.ts';

const ODD_IDS = ['', '0', 'a', '__proto__', -1, -8, 1.5, 8.5, 2 ** 31, -(2 ** 31), 2 ** 32, 2 ** 53, 1e300];

/** Ids that count up, that share a place at any length of the table, and that no client should choose. */
const IDS: readonly RequestId[] = [
  ...Array.from({ length: 40 }, (_, index) => index),
  ...Array.from({ length: 20 }, (_, index) => index * 4096),
  ...ODD_IDS,
];
const anyStep = fc.record({
  what: fc.constantFrom('set', 'set', 'delete', 'clear'),
  id: fc.constantFrom(...IDS),
});

const byId = (entries: Iterable<readonly [RequestId, object]>): unknown =>
  [...entries].sort(([a], [b]) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));

/** Opens `count` requests with the ids that `idOf` gives, and closes them in the same order. */
function openAndClose(table: IdTable<object>, count: number, idOf: (index: number) => RequestId): number {
  for (let index = 0; index < count; index += 1) table.set(idOf(index), {});
  const most = table.places;
  for (let index = 0; index < count; index += 1) table.delete(idOf(index));
  return most;
}

describe('a table of what is open', () => {
  it('holds what a map would hold, whatever is added and taken away', () => {
    fc.assert(
      fc.property(fc.array(anyStep, { maxLength: 120 }), (steps) => {
        const table = new IdTable<object>();
        const map = new Map<RequestId, object>();
        for (const { what, id } of steps) {
          if (what === 'set') {
            const value = {};
            table.set(id, value);
            map.set(id, value);
          } else if (what === 'delete') {
            table.delete(id);
            map.delete(id);
          } else if (map.size > 30) {
            table.clear();
            map.clear();
          }
          expect(table.size).toBe(map.size);
          expect(table.get(id)).toBe(map.get(id));
        }
        expect(byId(table.entries())).toEqual(byId(map));
        for (const id of IDS) {
          expect(table.get(id)).toBe(map.get(id));
          expect(table.has(id)).toBe(map.has(id));
        }
      }),
    );
  });

  it('lets everything be taken away while it is gone through', () => {
    const table = new IdTable<object>();
    for (const id of [1, 2, 3, 'a']) table.set(id, {});
    for (const [id] of table.entries()) table.delete(id);
    expect(table.size).toBe(0);
  });

  it('needs one place for requests that come one after the other', () => {
    const table = new IdTable<object>();
    for (let id = 1; id < 10_000; id += 1) expect(openAndClose(table, 1, () => id)).toBe(1);
  });

  it('has no more places after a million requests, 64 at a time, than after the first', () => {
    const table = new IdTable<object>();
    const first = openAndClose(table, 64, (index) => index);
    for (let id = 64; id < 1_000_000; id += 64) openAndClose(table, 64, (index) => id + index);
    expect(first).toBeLessThanOrEqual(1 + 128);
    expect(table.places).toBe(first);
  });

  it('keeps its places when one request stays open while others come and go', () => {
    const table = new IdTable<object>();
    for (let id = 0; id < 100_000; id += 1) {
      table.set(id, {});
      if (id >= 32 && id !== 32 + 7) table.delete(id - 32);
    }
    expect(table.has(7)).toBe(true);
    expect(table.size).toBe(33);
    expect(table.places).toBeLessThanOrEqual(1 + 128);
  });

  it.each([
    { ids: 'all of which share a place', idOf: (index: number) => index * 2 ** 20 },
    { ids: 'which are huge', idOf: (index: number) => 2 ** 52 + index * 4096 },
    { ids: 'which are negative', idOf: (index: number) => -index * 4096 },
    { ids: 'which are fractions', idOf: (index: number) => index / 2 ** 20 },
    { ids: 'which are texts', idOf: (index: number) => `id-${index}` },
  ])('has at most four places for each open request, with ids $ids', ({ idOf }) => {
    for (const count of [2, 16, 100, 1000]) {
      const table = new IdTable<object>();
      expect(openAndClose(table, count, idOf)).toBeLessThanOrEqual(1 + Math.max(8, 4 * count));
      expect(table.size).toBe(0);
    }
  });

  it('has at most 4,097 places, and gives most of them back when nothing is open', () => {
    const table = new IdTable<object>();
    expect(openAndClose(table, 20_000, (index) => index)).toBe(4097);
    expect(table.places).toBe(1);
    const keeping = new IdTable<object>(256);
    openAndClose(keeping, 200, (index) => index);
    expect(keeping.places).toBe(257);
    openAndClose(keeping, 300, (index) => index);
    expect(keeping.places).toBe(1);
  });
});
