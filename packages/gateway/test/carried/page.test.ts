import { readFileSync, readdirSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { closeAll } from '../carriers.ts';
import { DRIVERS } from './drivers.ts';
import { FURTHER } from './further-drivers.ts';
import { codesIn, rowsUnder } from './page.ts';

afterEach(closeAll);

const CARRIED = rowsUnder('What is carried');
const LOST = rowsUnder('What cannot be carried');
const ALL = { ...DRIVERS, ...FURTHER };

describe('the table of what a bridge carries', () => {
  const folder = new URL('../requirements/', import.meta.url);
  const cited = new Set(
    readdirSync(folder).flatMap((name) =>
      [...readFileSync(new URL(name, folder), 'utf8').matchAll(/proves\(\s*'([^']+)'/g)].flatMap(([, ids = '']) =>
        ids.split(', '),
      ),
    ),
  );

  it.each(CARRIED)('%s: names requirements, and tests cite them', (...cells) => {
    expect(cells).toHaveLength(4);
    const ids = (cells[3] ?? '').split(', ');
    expect(ids.length).toBeGreaterThan(0);
    expect(ids.filter((id) => !cited.has(id))).toEqual([]);
  });

  it('names every requirement about bridges but those of what cannot be carried', () => {
    const named = new Set(CARRIED.flatMap((cells) => (cells[3] ?? '').split(', ')));
    const ids = [
      ...Array.from({ length: 34 }, (_, index) => 36 + index),
      ...Array.from({ length: 7 }, (_, index) => 76 + index),
    ];
    const missing = ids.map((number) => `M-IOP-${String(number).padStart(3, '0')}`).filter((id) => !named.has(id));
    expect(missing).toEqual(['M-IOP-046', 'M-IOP-055', 'M-IOP-081']);
  });
});

describe('the table of what it cannot carry', () => {
  it('has a driver for every row, and a row for every driver', () => {
    expect(LOST.map(([what]) => what).toSorted()).toEqual(Object.keys(ALL).toSorted());
  });

  it.each(LOST)('%s', async (what, client = '', server = '') => {
    const seen = await ALL[what]?.();
    expect({ client: seen?.client ?? [], server: seen?.server ?? [] }).toEqual({
      client: codesIn(client),
      server: codesIn(server),
    });
  });
});
