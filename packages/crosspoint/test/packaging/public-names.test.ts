import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { exportedDeclarations, type Declared } from './exported-declarations.ts';
import { PACKAGES, entriesOf, isInternal } from '../../../../scripts/packages.mjs';

/** By exported name, which declarations stand for it in the entries that have it. */
const declared = new Map<string, Declared[]>();

beforeAll(() => {
  const [crosspoint] = PACKAGES.filter(({ name }) => name === 'crosspoint');
  if (crosspoint === undefined) throw new Error('The list of packages has no crosspoint.');
  for (const { source } of entriesOf(crosspoint).filter(({ specifier }) => !isInternal(specifier)))
    for (const [name, one] of exportedDeclarations(join(crosspoint.folder, 'dist', `${source}.d.ts`)))
      declared.set(name, [...(declared.get(name) ?? []), one]);
});

describe('the names that programs can import from crosspoint', () => {
  it('are at most 700, over all entries', () => {
    expect(declared.size).toBeGreaterThan(400);
    expect(declared.size).toBeLessThanOrEqual(700);
  });

  it('stand for one class each', () => {
    const homes = ([name, all]: [string, Declared[]]): [string, Set<string>] => [
      name,
      new Set(all.filter(({ isClass }) => isClass).map(({ file, local }) => `${file} ${local}`)),
    ];
    expect([...declared].map(homes).filter(([, files]) => files.size > 1)).toEqual([]);
  });
});
