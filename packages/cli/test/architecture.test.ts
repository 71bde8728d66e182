import { readFileSync, readdirSync } from 'node:fs';
import { join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import {
  arrowFaults,
  crowdedFaults,
  readFiles,
  revisionNameFaults,
  shapeFaults,
  unsafeCodeFaults,
  type Arrows,
} from '../../crosspoint/test/architecture/rules.ts';
import { VERSION } from '../src/version.ts';

const src = fileURLToPath(new URL('../src/', import.meta.url));
const files = readFiles(
  readdirSync(src, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => ({ path: path.split(sep).join('/'), text: readFileSync(join(src, path), 'utf8') })),
);

/** Folder → what its files may import beside each other. */
const ARROWS: Readonly<Record<string, Arrows>> = {
  errors: { values: [], types: ['output/output.ts'] },
  output: { values: [] },
  grammar: { values: ['errors', 'output'], types: ['context.ts'] },
  place: { values: ['errors', ''] },
  values: { values: ['errors'], types: ['output/io.ts'] },
  configuration: {
    values: ['errors', 'place', 'target', 'values'],
    types: ['grammar/command.ts', 'grammar/parse.ts'],
  },
  target: { values: ['errors', 'place'], types: ['grammar/command.ts', 'grammar/parse.ts', 'place/home.ts'] },
  answering: { values: ['errors', 'output'] },
  server: {
    values: ['errors', 'place', 'target', 'keeper'],
    types: ['answering/answerer.ts', 'grammar/command.ts', 'grammar/parse.ts'],
  },
  keeper: {
    values: ['errors', 'place', ''],
    types: [
      'grammar/command.ts',
      'grammar/parse.ts',
      'server/open-server.ts',
      'server/local-server.ts',
      'server/operations.ts',
    ],
  },
  doctor: { values: ['errors', 'place', ''] },
  commands: {
    // The root for the version alone: commands know the others by their context.
    values: [
      'errors',
      'output',
      'doctor',
      'grammar',
      'place',
      'values',
      'target',
      'configuration',
      'answering',
      'server',
      'keeper',
      '',
    ],
    types: ['context.ts'],
  },
  '': { values: ['errors', 'output', 'grammar', 'place', 'answering', 'server', 'commands'] },
};

it('has imports that follow its table of arrows', () => {
  expect(files.length).toBeGreaterThan(8);
  expect(arrowFaults(files, ARROWS)).toEqual([]);
});

it('has small files and folders, no eval, no shell', () => {
  expect(shapeFaults(files)).toEqual([]);
  expect(crowdedFaults(files)).toEqual([]);
  expect(unsafeCodeFaults(files)).toEqual([]);
});

it('names the revisions in the help alone', () => {
  const code = files.filter(({ path }) => path !== 'grammar/global-options.ts');
  expect(revisionNameFaults(code, ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'])).toEqual([]);
});

it('has the version of its manifest', () => {
  const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string };
  expect(VERSION).toBe(manifest.version);
});
