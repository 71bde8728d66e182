// Makes the JavaScript of the package: one file for each entry of its exports, and what several of them share. A program then loads a
// handful of files instead of hundreds, which is most of what starting it costs. Skipped when the sources have not changed since.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, posix, relative, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const library = join(root, 'packages', 'crosspoint');
const sources = join(library, 'src');
const dist = join(library, 'dist');
const mark = join(root, '.cache', 'bundled');

/** Names of functions and lines stay, for the sake of stack traces. Source maps would make the package three times as large. */
const KEPT = { function: true, class: true };
const MINIFY = { compress: { keepNames: KEPT }, mangle: { keepNames: KEPT }, codegen: { removeWhitespace: false } };

const manifest = () => JSON.parse(readFileSync(join(library, 'package.json'), 'utf8'));

function filesIn(folder) {
  return existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }) : [];
}

function state() {
  const hash = createHash('sha256');
  const inputs = [
    fileURLToPath(import.meta.url),
    join(library, 'package.json'),
    ...filesIn(sources).map((name) => join(sources, name)),
  ];
  for (const path of inputs) hash.update(`${path} ${statSync(path).mtimeMs}\n`);
  return hash.digest('hex');
}

function isFresh(now) {
  const entries = Object.values(manifest().exports).filter((target) => target.endsWith('.js'));
  if (!entries.every((target) => existsSync(join(library, target)))) return false;
  return existsSync(mark) && readFileSync(mark, 'utf8') === now;
}

const entryOf = (target) => target.slice('./dist/'.length, -'.js'.length);
const isOldPath = (entry) => entry.startsWith('compat/');
/** Stands on other entries as they are published, like the old paths, with what little else it needs inside of it. */
const standsApart = (entry) => /^(?:openapi|(?:server|client)\/(?:skills|apps))\//.test(entry);
const inputOf = (entries) => Object.fromEntries(entries.map((entry) => [entry, join(sources, `${entry}.ts`)]));
const OPTIONS = {
  platform: 'neutral',
  treeshake: { moduleSideEffects: false },
  experimental: { attachDebugInfo: 'none' },
};
const OUTPUT = {
  dir: dist,
  format: 'esm',
  minify: MINIFY,
  comments: { legal: true, annotation: true, jsdoc: false },
};

async function generate(input, output) {
  const { rolldown } = await import('rolldown');
  const build = await rolldown({ ...OPTIONS, ...input });
  const made = await build.generate({ ...OUTPUT, ...output });
  await build.close();
  return made.output;
}

/** The modules that a program loads which imports these entries: `early` before its first line runs, `late` when it comes to need them. */
async function loadedBy(entries, external) {
  const output = await generate({ input: inputOf(entries), external }, { minify: false });
  const chunks = new Map(output.map((chunk) => [chunk.fileName, chunk]));
  const early = new Set();
  const visited = new Set();
  const visit = (fileName) => {
    const chunk = chunks.get(fileName);
    if (chunk === undefined || visited.has(fileName)) return;
    visited.add(fileName);
    for (const id of Object.keys(chunk.modules)) early.add(id);
    chunk.imports.forEach(visit);
  };
  for (const { isEntry, fileName } of output) if (isEntry) visit(fileName);
  const late = new Set(output.flatMap(({ modules }) => Object.keys(modules)).filter((id) => !early.has(id)));
  return { early, late };
}

const TASKS = /[\\/]src[\\/]server[\\/](?:tasks|experimental)[\\/]/;

/**
 * Every file that is loaded costs more than its size, and so does every part of one that is not needed. So what the two sides share is one
 * file, what every server needs another, and what only some come to need is in files that are loaded then.
 */
async function chunkGroups(external) {
  const [neutral, client, stdioClient, stdio, server] = await Promise.all([
    loadedBy(['index'], external),
    loadedBy(['client/index', 'client/stdio'], external),
    loadedBy(['client/stdio'], external),
    loadedBy(['server/stdio'], external),
    loadedBy(['server/index'], external),
  ]);
  const ofServers = (id) => stdio.early.has(id) || server.early.has(id);
  const isShared = (id) =>
    (client.early.has(id) && ofServers(id)) || (neutral.early.has(id) && (client.early.has(id) || ofServers(id)));
  const isLate = (id) => stdio.late.has(id) && !server.early.has(id);
  // The first that fits takes a module with all that it stands on.
  return [
    { name: 'shared', test: isShared },
    { name: 'server', test: (id) => stdio.early.has(id) && server.early.has(id) },
    { name: 'served', test: (id) => server.early.has(id), minShareCount: 2 },
    { name: 'asking', test: (id) => isLate(id) && !TASKS.test(id) },
    { name: 'tasks', test: isLate },
    { name: 'client', test: (id) => stdioClient.early.has(id), minShareCount: 2 },
  ].map((group, index, { length }) => ({ ...group, priority: length - index }));
}

/** The old paths import the entries as they are published, so that each class exists once and no entry grows for their sake. */
const PUBLISHED = {
  name: 'published-entries',
  resolveId(specifier, importer) {
    if (importer === undefined || !specifier.startsWith('.')) return null;
    const path = relative(sources, join(dirname(importer), specifier)).replaceAll(sep, '/');
    return isOldPath(path) ? null : { id: `published:${path.replace(/\.ts$/, '.js')}`, external: true };
  },
};

const publishedAmong = (entries) => ({
  ...PUBLISHED,
  resolveId: (specifier, importer) => {
    const found = PUBLISHED.resolveId(specifier, importer);
    return entries.some((entry) => found?.id === `published:${entry}.js`) ? found : null;
  },
});

const nextTo = (chunk) => ({
  ...chunk,
  code: chunk.code.replaceAll(
    /"published:([^"]+)"/g,
    (_, path) => `"${posix.relative(posix.dirname(chunk.fileName), path)}"`,
  ),
});

/** Everything before it is made is read, so that a program that starts meanwhile finds either the old files or the new. */
async function bundle() {
  const { exports, dependencies, peerDependencies } = manifest();
  const entries = Object.values(exports)
    .filter((target) => target.endsWith('.js'))
    .map(entryOf);
  // What is only needed to build is small and pure, and becomes part of the files: no package of its own to be found and read.
  const kept = [...Object.keys(dependencies), ...Object.keys(peerDependencies)];
  const external = (id) => id.startsWith('node:') || kept.some((name) => id === name || id.startsWith(`${name}/`));
  const others = entries.filter((entry) => !isOldPath(entry) && !standsApart(entry));
  const [own, old, apart] = await Promise.all([
    generate(
      { input: inputOf(others), external },
      {
        chunkFileNames: 'chunks/[name].js',
        codeSplitting: { groups: await chunkGroups(external) },
      },
    ),
    generate(
      { input: inputOf(entries.filter(isOldPath)), external, plugins: [PUBLISHED] },
      { chunkFileNames: 'compat/chunks/[name].js' },
    ),
    generate(
      { input: inputOf(entries.filter(standsApart)), external, plugins: [publishedAmong(others)] },
      { chunkFileNames: 'chunks/apart/[name].js' },
    ),
  ]);
  return [...own, ...[...old, ...apart].map(nextTo)];
}

/** One character beyond Latin-1 makes Node hold a whole file in two bytes for each, and read it more slowly. */
const inAscii = (code) =>
  code.replaceAll(/[^\0-\x7f]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);

function write(output) {
  const made = new Set();
  for (const { fileName, code, source } of output) {
    const path = join(dist, fileName);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, code === undefined ? source : inAscii(code));
    made.add(fileName.replaceAll('/', sep));
  }
  for (const name of filesIn(dist)) if (/\.js(?:\.map)?$/.test(name) && !made.has(name)) rmSync(join(dist, name));
}

/** Also called before the tests, some of which run programs that import the package by its name. */
export async function setup() {
  const now = state();
  if (isFresh(now)) return;
  write(await bundle());
  mkdirSync(dirname(mark), { recursive: true });
  writeFileSync(mark, now);
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) await setup();
