import { readFileSync, readdirSync } from 'node:fs';
import { join, sep } from 'node:path';
import { expect, it } from 'vitest';
import { PACKAGES, entriesOf, manifestOf } from '../../../../scripts/packages.mjs';
import {
  arrowFaults,
  crowdedFaults,
  cycleFaults,
  foreignFaults,
  nodeFaults,
  readFiles,
  revisionNameFaults,
  shapeFaults,
  unsafeCodeFaults,
  type Arrows,
} from './rules.ts';

const REVISIONS = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'];

/** Holds a package against what holds for every one: arrows between its folders, entries of others alone, small files. */
export function checkPackage(name: string, arrows: Readonly<Record<string, Arrows>>): void {
  const own = PACKAGES.find((one) => one.name === name);
  if (own === undefined) throw new Error(`The list of packages has no ${name}.`);
  const src = join(own.folder, 'src');
  const files = readFiles(
    readdirSync(src, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts'))
      .map((path) => ({ path: path.split(sep).join('/'), text: readFileSync(join(src, path), 'utf8') })),
  );

  it('has imports that follow its table of arrows, and no cycle', () => {
    expect(files.length).toBeGreaterThan(5);
    expect(arrowFaults(files, arrows)).toEqual([]);
    expect(cycleFaults(files)).toEqual([]);
  });

  it('stands on entries of the packages that its manifest names, and on nothing of Node but where a name says so', () => {
    const { dependencies, peerDependencies } = manifestOf(own) as Record<string, object>;
    const needed = Object.keys({ ...dependencies, ...peerDependencies });
    const entries = new Set(PACKAGES.flatMap(entriesOf).map(({ specifier }) => specifier));
    const isOurs = (specifier: string): boolean => PACKAGES.some((one) => `${specifier}/`.startsWith(`${one.name}/`));
    const isAllowed = (specifier: string): boolean =>
      /^(?:\.|node:)/.test(specifier) ||
      (needed.some((one) => `${specifier}/`.startsWith(`${one}/`)) && (!isOurs(specifier) || entries.has(specifier)));
    const specifiers = new Set(files.flatMap(({ imports }) => imports.map(({ specifier }) => specifier)));
    expect([...specifiers].filter((specifier) => !isAllowed(specifier))).toEqual([]);
    expect(nodeFaults(files)).toEqual([]);
    expect(foreignFaults(files)).toEqual([]);
  });

  it('has small files and folders, no eval, no shell, and names no revision', () => {
    expect(shapeFaults(files)).toEqual([]);
    expect(crowdedFaults(files)).toEqual([]);
    expect(unsafeCodeFaults(files)).toEqual([]);
    expect(revisionNameFaults(files, REVISIONS)).toEqual([]);
  });
}
