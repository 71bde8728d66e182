// The packages of this repository, in the order in which they are built. Building, checking, packing and the reference all go by this list.
import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..');

/**
 * @typedef {object} Package
 * @property {string} name as it is published
 * @property {string} folder absolute
 * @property {boolean} isNeutral whether it must compile without Node's types, but for the files that its tsconfig.neutral.json leaves out
 */

/** @type {readonly Package[]} */
export const PACKAGES = [
  {
    name: '@crosspoint/json-schema',
    folder: join(ROOT, 'packages', 'json-schema'),
    isNeutral: true,
  },
  {
    name: 'crosspoint',
    folder: join(ROOT, 'packages', 'crosspoint'),
    isNeutral: true,
  },
  {
    name: '@crosspoint/recording',
    folder: join(ROOT, 'packages', 'recording'),
    isNeutral: true,
  },
  {
    name: '@crosspoint/apps',
    folder: join(ROOT, 'packages', 'apps'),
    isNeutral: true,
  },
  {
    name: '@crosspoint/skills',
    folder: join(ROOT, 'packages', 'skills'),
    isNeutral: true,
  },
  {
    name: '@crosspoint/authorization-server',
    folder: join(ROOT, 'packages', 'authorization-server'),
    isNeutral: true,
  },
  {
    name: '@crosspoint/openapi',
    folder: join(ROOT, 'packages', 'openapi'),
    isNeutral: true,
  },
  {
    name: '@crosspoint/sdk',
    folder: join(ROOT, 'packages', 'sdk'),
    isNeutral: false,
  },
  {
    name: '@crosspoint/host',
    folder: join(ROOT, 'packages', 'host'),
    isNeutral: false,
  },
  {
    name: '@crosspoint/gateway',
    folder: join(ROOT, 'packages', 'gateway'),
    isNeutral: false,
  },
  {
    name: 'create-crosspoint',
    folder: join(ROOT, 'packages', 'create'),
    isNeutral: false,
  },
  {
    name: '@crosspoint/cli',
    folder: join(ROOT, 'packages', 'cli'),
    isNeutral: false,
  },
];

export const manifestOf = ({ folder }) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));

/**
 * The entries of a package: the specifier that programs import, and the source of each relative to `src/`, without its extension. A pattern in
 * `exports` stands for every source that no other pattern excludes.
 * @param {Package} one
 * @returns {{ specifier: string, source: string }[]}
 */
export function entriesOf(one) {
  const { name, exports } = manifestOf(one);
  const closed = Object.keys(exports).filter((key) => exports[key] === null);
  const isClosed = (path) => closed.some((key) => `./${path}`.startsWith(key.slice(0, -1)));
  return Object.entries(exports).flatMap(([key, target]) => {
    const file = target?.default ?? target;
    if (!file?.endsWith('.js')) return [];
    if (!key.includes('*')) return [{ specifier: `${name}${key.slice(1)}`, source: sourceOf(file) }];
    return sourcesIn(one)
      .filter((source) => !isClosed(source))
      .map((source) => ({ specifier: `${name}/${source}.js`, source }));
  });
}

/** Aliases for tests that run on sources: each entry of a package stands for its source, so that a class exists once. */
export const sourceAliases = () =>
  PACKAGES.flatMap((one) =>
    entriesOf(one).map(({ specifier, source }) => ({
      find: new RegExp(`^${specifier.replaceAll('.', String.raw`\.`)}$`),
      replacement: join(one.folder, 'src', `${source}.ts`),
    })),
  );

/**
 * Whether an entry is for the packages of this list alone, which pin each other's version: it is in no reference, and no program imports it.
 * @param {string} specifier
 */
export const isInternal = (specifier) => /^(?:@crosspoint\/)?[\w-]+\/internal(?:\/|$)/.test(specifier);

/**
 * The sources, relative to `src/`, of the files that a name of the package's own (`#…`) may stand for.
 * @param {Package} one
 * @returns {string[]}
 */
export function importsOf(one) {
  const targets = Object.values(manifestOf(one).imports ?? {}).flatMap((conditions) => Object.values(conditions));
  return targets.filter((target) => target.startsWith('./dist/')).map(sourceOf);
}

const sourceOf = (target) => target.slice('./dist/'.length, -'.js'.length);

function sourcesIn({ folder }) {
  return readdirSync(join(folder, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => path.slice(0, -'.ts'.length).replaceAll(sep, '/'))
    .sort();
}
