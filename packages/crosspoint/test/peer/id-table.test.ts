import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { IdTable } from '../../src/peer/id-table.ts';
import type { RequestId } from '../../src/jsonrpc/message.ts';

const anyId = fc.oneof(fc.integer({ min: 0, max: 4 }), fc.constantFrom('', '0', 'a'));
const anyStep = fc.record({ what: fc.constantFrom('set', 'delete', 'clear'), id: anyId });

const byId = (entries: Iterable<readonly [RequestId, object]>): unknown =>
  [...entries].sort(([a], [b]) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));

describe('a table of what is open', () => {
  it('holds what a map would hold, whatever is added and taken away', () => {
    fc.assert(
      fc.property(fc.array(anyStep, { maxLength: 30 }), (steps) => {
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
          } else if (map.size > 4) {
            table.clear();
            map.clear();
          }
          expect(table.size).toBe(map.size);
          expect(byId(table.entries())).toEqual(byId(map));
          for (const each of [0, 1, 2, 3, 4, '', '0', 'a']) {
            expect(table.get(each)).toBe(map.get(each));
            expect(table.has(each)).toBe(map.has(each));
          }
        }
      }),
    );
  });

  it('lets everything be taken away while it is gone through', () => {
    const table = new IdTable<object>();
    for (const id of [1, 2, 3]) table.set(id, {});
    for (const [id] of table.entries()) table.delete(id);
    expect(table.size).toBe(0);
  });
});
