import { readFileSync, readdirSync } from 'node:fs';
import { join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { VERSION } from '../src/bridge.ts';
import { PACKAGES, entriesOf, isInternal, manifestOf } from '../../../scripts/packages.mjs';
import {
  arrowFaults,
  crowdedFaults,
  cycleFaults,
  readFiles,
  revisionNameFaults,
  shapeFaults,
  unsafeCodeFaults,
  type Arrows,
} from '../../crosspoint/test/architecture/rules.ts';

const src = fileURLToPath(new URL('../src/', import.meta.url));
const files = readFiles(
  readdirSync(src, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => ({ path: path.split(sep).join('/'), text: readFileSync(join(src, path), 'utf8') })),
);

const SESSIONS = ['upstream/upstream.ts', 'upstream/upstream-session.ts', 'upstream/upstream-sessions.ts'];

/** Folder → folders that its files may import beside each other, and files whose types they may know. `relaying.ts`, `bridge.ts` and the program join them. */
const ARROWS: Readonly<Record<string, Arrows>> = {
  values: { values: [] },
  words: { values: ['values'] },
  matching: { values: ['values', 'words'] },
  upstream: { values: ['values', 'words', 'matching'] },
  calls: { values: ['values', 'words', 'matching', 'upstream'], types: ['tasks/relayed-tasks.ts'] },
  tasks: { values: ['values', 'words', 'matching', 'calls'], types: ['upstream/downstream.ts', ...SESSIONS] },
  changes: { values: [], types: SESSIONS },
  face: { values: ['values', 'words', 'changes'], types: ['calls/reach.ts', 'calls/relay.ts', ...SESSIONS] },
  stdio: { values: ['values', 'words'], types: SESSIONS },
  source: { values: ['values', '', 'upstream'] },
  program: { values: ['', 'values', 'upstream', 'stdio'] },
  '': { values: ['upstream', 'calls', 'tasks', 'face', 'source'] },
};

it('has imports that follow its table of arrows, and no cycle', () => {
  expect(files.length).toBeGreaterThan(8);
  expect(arrowFaults(files, ARROWS)).toEqual([]);
  expect(cycleFaults(files)).toEqual([]);
});

it('needs Node in the pool of processes and in the program alone', () => {
  const withNode = files.filter(({ imports }) =>
    imports.some(({ specifier }) => /^node:|\/stdio$|\/node$/.test(specifier)),
  );
  const folders = new Set(withNode.map(({ path }) => path.split('/')[0]));
  expect([...folders].toSorted()).toEqual(['program', 'stdio']);
  const outside = files.filter(({ path }) => !/^(?:program|stdio)\//.test(path));
  const reaching = outside.filter(({ imports }) =>
    imports.some(({ specifier }) => /\/(?:program|stdio)\//.test(specifier)),
  );
  expect(reaching.map(({ path }) => path)).toEqual([]);
});

it('stands on the public entries of crosspoint, and on the packages that its manifest names', () => {
  const [own] = PACKAGES.filter(({ name }) => name === '@crosspoint/gateway');
  const entries = PACKAGES.filter(({ name }) => name === 'crosspoint').flatMap(entriesOf);
  const { dependencies, peerDependencies } = manifestOf(own as (typeof PACKAGES)[number]) as Record<string, object>;
  const needed = Object.keys({ ...dependencies, ...peerDependencies }).filter((name) => name !== 'crosspoint');
  const allowed = new Set([
    ...entries.map(({ specifier }) => specifier).filter((name) => !isInternal(name)),
    ...needed,
  ]);
  const specifiers = new Set(files.flatMap(({ imports }) => imports.map(({ specifier }) => specifier)));
  expect([...specifiers].filter((one) => !/^(?:\.|node:)/.test(one) && !allowed.has(one))).toEqual([]);
});

it('has small files and folders, no eval, no shell, and names no revision', () => {
  expect(shapeFaults(files)).toEqual([]);
  expect(crowdedFaults(files)).toEqual([]);
  expect(unsafeCodeFaults(files)).toEqual([]);
  expect(revisionNameFaults(files, ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'])).toEqual([]);
});

it('tells clients the version of its manifest', () => {
  const [own] = PACKAGES.filter(({ name }) => name === '@crosspoint/gateway');
  expect(VERSION).toBe(manifestOf(own as (typeof PACKAGES)[number]).version);
});
