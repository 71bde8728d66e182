import { readFileSync, readdirSync } from 'node:fs';
import { join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { PACKAGES, entriesOf, isInternal, manifestOf } from '../../../scripts/packages.mjs';
import {
  arrowFaults,
  crowdedFaults,
  cycleFaults,
  reachedFrom,
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

const ITEM = 'inbox/item.ts';
const DECISION = 'consent/decision.ts';
const EVENT = 'audit/event.ts';
const LISTING = 'catalogue/listing.ts';
const SECRETS = 'secrets/secret-store.ts';
const SAMPLING = 'context/sampling.ts';
const CONTEXT = 'context/server-context.ts';
const TRACING = 'tracing/tracing.ts';
const HOST_EVENT = 'host-event.ts';
const CALLER = 'calls/tool-caller.ts';

/** Folder → what its files may import beside each other. What the folders have in common is types; `host.ts` joins them. */
const ARROWS: Readonly<Record<string, Arrows>> = {
  values: { values: [] },
  audit: { values: ['values'] },
  inbox: { values: ['values'], types: [DECISION, EVENT] },
  consent: { values: ['values'], types: [ITEM, EVENT] },
  catalogue: { values: ['values'] },
  config: { values: ['values'], types: [ITEM, SECRETS] },
  secrets: { values: ['values'] },
  servers: { values: ['values', 'config'], types: [ITEM, EVENT, LISTING, TRACING] },
  context: { values: ['values', 'tracing'], types: [ITEM, EVENT, LISTING] },
  apps: { values: ['values'], types: [ITEM, EVENT] },
  skills: { values: [] },
  models: { values: ['values', 'catalogue'], types: [SAMPLING, CONTEXT] },
  search: { values: ['values', 'catalogue', 'consent'], types: ['config/server-entry.ts'] },
  agent: {
    values: ['values', 'catalogue', 'consent', 'context', 'calls', 'models', 'servers'],
    types: [ITEM, EVENT, 'inbox/inbox.ts'],
  },
  calls: { values: ['values', 'catalogue', 'consent', 'context', 'servers'], types: [ITEM, EVENT] },
  tracing: { values: ['values'], types: [EVENT, CALLER, HOST_EVENT] },
  timeline: { values: ['values', 'tracing', 'audit', 'config'], types: [CALLER, HOST_EVENT] },
  gate: { values: ['values', 'config', 'consent', 'servers'], types: [ITEM, EVENT] },
  '': {
    values: [
      'values',
      'audit',
      'inbox',
      'consent',
      'catalogue',
      'config',
      'secrets',
      'servers',
      'context',
      'apps',
      'calls',
      'gate',
      'tracing',
    ],
    types: ['agent/run.ts', 'models/model.ts', 'timeline/timeline.ts'],
  },
};

it('has imports that follow its table of arrows, and no cycle', () => {
  expect(files.length).toBeGreaterThan(8);
  expect(arrowFaults(files, ARROWS)).toEqual([]);
  expect(cycleFaults(files)).toEqual([]);
});

it('stands on the public entries of crosspoint but the server, and on the packages that its manifest names', () => {
  const [own] = PACKAGES.filter(({ name }) => name === '@crosspoint/host');
  const published = PACKAGES.filter(({ name }) => name === 'crosspoint').flatMap(entriesOf);
  const entries = published
    .map(({ specifier }) => specifier)
    .filter((name) => !isInternal(name) && !/\/server(?:\/|$)/.test(name));
  const { dependencies, peerDependencies } = manifestOf(own as (typeof PACKAGES)[number]) as Record<string, object>;
  const needed = Object.keys({ ...dependencies, ...peerDependencies }).filter((name) => name !== 'crosspoint');
  const isAllowed = (specifier: string): boolean =>
    /^(?:\.|node:)/.test(specifier) ||
    entries.includes(specifier) ||
    needed.some((name) => `${specifier}/`.startsWith(`${name}/`));
  const specifiers = new Set(files.flatMap(({ imports }) => imports.map(({ specifier }) => specifier)));
  expect([...specifiers].filter((specifier) => !isAllowed(specifier))).toEqual([]);
});

it('loads nothing of the timeline with its main entry', () => {
  const loaded = reachedFrom(files, 'index.ts');
  expect(loaded).toContain('host.ts');
  expect(loaded.filter((path) => path.startsWith('timeline/'))).toEqual([]);
});

it('has small files and folders, no eval, no shell, and names no revision', () => {
  expect(shapeFaults(files)).toEqual([]);
  expect(crowdedFaults(files)).toEqual([]);
  expect(unsafeCodeFaults(files)).toEqual([]);
  expect(revisionNameFaults(files, ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'])).toEqual([]);
});
