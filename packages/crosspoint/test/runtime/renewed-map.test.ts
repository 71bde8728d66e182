import * as fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { RenewedMap } from '../../src/runtime/renewed-map.ts';

const anyStep = fc.record({ what: fc.constantFrom('set', 'delete'), key: fc.integer({ min: 0, max: 60 }) });

describe('a map that is renewed', () => {
  it('holds what a map would hold, in the same order', () => {
    fc.assert(
      fc.property(fc.array(anyStep, { maxLength: 300 }), (steps) => {
        const renewed = new RenewedMap<number, object>();
        const map = new Map<number, object>();
        for (const { what, key } of steps) {
          if (what === 'set') {
            const value = {};
            renewed.set(key, value);
            map.set(key, value);
          } else expect(renewed.delete(key)).toBe(map.delete(key));
          expect(renewed.size).toBe(map.size);
          expect(renewed.get(key)).toBe(map.get(key));
        }
        expect([...renewed]).toEqual([...map]);
      }),
    );
  });

  it('lets everything be taken away while it is gone through', () => {
    const renewed = new RenewedMap<number, object>();
    for (let key = 0; key < 200; key += 1) renewed.set(key, {});
    for (const [key] of renewed) renewed.delete(key);
    expect(renewed.size).toBe(0);
  });

  it('is copied once for at least 32 deletions, and copies no more entries than were deleted', () => {
    const copied: number[] = [];
    class CountedMap<K, V> extends Map<K, V> {
      constructor(entries?: ReadonlyMap<K, V>) {
        super(entries ?? []);
        if (entries !== undefined) copied.push(entries.size);
      }
    }
    vi.stubGlobal('Map', CountedMap);
    try {
      const renewed = new RenewedMap<number, object>();
      for (let key = 0; key < 10_000; key += 1) {
        renewed.set(key, {});
        if (key >= 100) renewed.delete(key - 100);
      }
    } finally {
      vi.unstubAllGlobals();
    }
    expect(copied.length).toBeGreaterThan(90);
    expect(copied.length).toBeLessThanOrEqual(9900 / 32);
    expect(copied.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(9900 + 100);
  });
});
