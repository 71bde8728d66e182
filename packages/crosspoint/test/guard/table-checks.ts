/** Holds the callbacks that are found in the sources of some packages against the table that says what each is tried with. */
import { describe, expect, it } from 'vitest';
import { callbacks } from './callbacks.ts';
import type { Entry } from './table.ts';

export interface CheckedTable {
  readonly table: Readonly<Record<string, Entry>>;
  /** The names of all drivers. */
  readonly drivers: ReadonlySet<string>;
  /** Whether a source file, by its path below `packages/`, belongs to the table. */
  readonly isOwn: (file: string) => boolean;
  /** Callbacks that the search must find, each in another form. */
  readonly samples: readonly string[];
  /** Drivers that try no callback of the table. */
  readonly extra?: readonly string[];
}

export function checkTable({ table, drivers, isOwn, samples, extra = [] }: CheckedTable): void {
  const found = callbacks().filter(({ file }) => isOwn(file));
  describe('every function that a program can hand to the library', () => {
    it('is found in the sources', () => {
      expect(found.map(({ owner, name }) => `${owner}.${name}`)).toEqual(expect.arrayContaining([...samples]));
    });

    it('is in the table, with what it is tried with or why it is not', () => {
      const missing = found.filter(({ owner, name }) => {
        const entry = table[owner];
        return entry === undefined || (typeof entry !== 'string' && entry[name] === undefined);
      });
      expect(missing).toEqual([]);
    });

    it('is still there when the table names it', () => {
      const names = new Set(found.flatMap(({ owner, name }) => [owner, `${owner}.${name}`]));
      const stale = Object.entries(table).flatMap(([owner, entry]) =>
        typeof entry === 'string' ? [owner] : Object.keys(entry).map((name) => `${owner}.${name}`),
      );
      expect(stale.filter((name) => !names.has(name))).toEqual([]);
    });

    it('is tried with drivers that there are, and every driver tries one', () => {
      const named = Object.values(table).flatMap((entry) =>
        typeof entry === 'string'
          ? []
          : Object.values(entry).flatMap((tried) => (typeof tried === 'string' ? [] : tried)),
      );
      expect(named.filter((name) => !drivers.has(name))).toEqual([]);
      expect([...drivers].filter((name) => !named.includes(name) && !extra.includes(name))).toEqual([]);
    });
  });
}
