// Makes the JavaScript of the packages: one file for each entry, and shared files. A program then loads a handful of files
// instead of hundreds, which is most of its start-up time. Each entry also gets files for require().
// A package is skipped when it has not changed since the last run.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, posix, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { PACKAGES, ROOT, entriesOf, importsOf, manifestOf } from './packages.mjs';

/** Names of functions and lines are kept for stack traces. Source maps would make the package three times as large. */
const KEPT = { function: true, class: true };
const MINIFY = { compress: { keepNames: KEPT }, mangle: { keepNames: KEPT }, codegen: { removeWhitespace: false } };

const OPTIONS = {
  platform: 'neutral',
  treeshake: { moduleSideEffects: false },
  experimental: { attachDebugInfo: 'none' },
};
const OUTPUT = {
  format: 'esm',
  minify: MINIFY,
  comments: { legal: true, annotation: true, jsdoc: false },
};

function filesIn(folder) {
  return existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }) : [];
}

async function generate(input, output) {
  const { rolldown } = await import('rolldown');
  const build = await rolldown({ ...OPTIONS, ...input });
  const made = await build.generate({ ...OUTPUT, ...output });
  await build.close();
  return made.output;
}

/** An entry of functions that are small and pure: it becomes part of the files that need it, so that no server has to find and read another package. */
const SMALL_PARTS = '@crosspoint/json-schema/internal';

/** The bundle of one package: its sources, and its folder. */
class Bundling {
  constructor(one) {
    const { dependencies = {}, peerDependencies = {} } = manifestOf(one);
    // Build-time dependencies are small and pure, and become part of the files: no package of their own to be found and read.
    const kept = [...Object.keys(dependencies), ...Object.keys(peerDependencies)];
    this.name = one.name;
    this.hasSmallParts = kept.includes('@crosspoint/json-schema');
    this.sources = join(one.folder, 'src');
    this.dist = join(one.folder, 'dist');
    this.manifest = join(one.folder, 'package.json');
    this.mark = join(ROOT, '.cache', `bundled-${one.name.replaceAll(/\W+/g, '-')}`);
    this.entries = [...new Set(entriesOf(one).map(({ source }) => source))];
    this.ofPlatforms = importsOf(one);
    this.external = (id) =>
      id.startsWith('node:') ||
      id.startsWith('#') ||
      (id !== SMALL_PARTS && kept.some((name) => id === name || id.startsWith(`${name}/`)));
  }

  inputOf(entries) {
    return Object.fromEntries(entries.map((entry) => [entry, join(this.sources, `${entry}.ts`)]));
  }

  state() {
    const hash = createHash('sha256');
    const inputs = [
      fileURLToPath(import.meta.url),
      this.manifest,
      ...filesIn(this.sources).map((name) => join(this.sources, name)),
      ...(this.hasSmallParts ? [join(ROOT, 'packages', 'json-schema', 'dist', 'internal.js')] : []),
    ];
    for (const path of inputs) hash.update(`${path} ${statSync(path).mtimeMs}\n`);
    return hash.digest('hex');
  }

  isFresh(now) {
    if (!this.entries.every((entry) => existsSync(join(this.dist, `${entry}.js`)))) return false;
    return existsSync(this.mark) && readFileSync(this.mark, 'utf8') === now;
  }

  /** Writes the files after all sources were read, so that a program that starts meanwhile finds either the old files or the new. */
  write(output) {
    const made = new Set();
    for (const { fileName, code, source } of output) {
      const path = join(this.dist, fileName);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, code === undefined ? source : inAscii(code));
      made.add(fileName.replaceAll('/', sep));
    }
    for (const name of filesIn(this.dist))
      if (/\.(?:js(?:\.map)?|cjs|d\.cts)$/.test(name) && !made.has(name)) rmSync(join(this.dist, name));
  }
}

/** Escapes characters beyond ASCII: one character beyond Latin-1 makes Node hold the whole file in two bytes per character, and read it more slowly. */
const inAscii = (code) =>
  code.replaceAll(/[^\0-\x7f]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** The modules that a program loads which imports these entries; with `late` also those that it loads when it comes to need them. */
async function loadedBy(library, entries, { late = false } = {}) {
  const { external } = library;
  const output = await generate({ input: library.inputOf(entries), external }, { minify: false });
  const chunks = new Map(output.map((chunk) => [chunk.fileName, chunk]));
  const loaded = new Set();
  const visited = new Set();
  const visit = (fileName) => {
    const chunk = chunks.get(fileName);
    if (chunk === undefined || visited.has(fileName)) return;
    visited.add(fileName);
    for (const id of Object.keys(chunk.modules)) loaded.add(id);
    chunk.imports.forEach(visit);
    if (late) chunk.dynamicImports.forEach(visit);
  };
  for (const { isEntry, fileName } of output) if (isEntry) visit(fileName);
  return loaded;
}

const IN_SCHEMA = /[\\/]src[\\/]schema[\\/]/;

/** Every file that is loaded costs more than its size. So what the two sides share is one file, and what every server needs another. */
async function chunkGroups(library) {
  const [neutral, client, wholeClient, stdioClient, stdio, server] = await Promise.all([
    loadedBy(library, ['index']),
    loadedBy(library, ['client/index', 'client/stdio']),
    loadedBy(library, ['client/index', 'client/stdio'], { late: true }),
    loadedBy(library, ['client/stdio']),
    loadedBy(library, ['server/stdio']),
    loadedBy(library, ['server/index']),
  ]);
  const ofServers = (id) => stdio.has(id) || server.has(id);
  const isShared = (id) =>
    (wholeClient.has(id) && ofServers(id)) || (neutral.has(id) && (client.has(id) || ofServers(id)));
  // The first that fits takes a module with all that it stands on.
  return [
    { name: 'shared', test: isShared },
    // What clients validate with is for servers that import it.
    { name: 'validator', test: (id) => IN_SCHEMA.test(id) && client.has(id) },
    { name: 'server', test: (id) => stdio.has(id) && server.has(id) },
    { name: 'served', test: (id) => server.has(id), minShareCount: 2 },
    { name: 'client', test: (id) => stdioClient.has(id), minShareCount: 2 },
  ].map((group, index, { length }) => ({ ...group, priority: length - index }));
}

async function bundleLibrary(library) {
  const { external, entries, ofPlatforms, dist: dir } = library;
  return generate(
    { input: library.inputOf([...entries, ...ofPlatforms]), external },
    { dir, chunkFileNames: 'chunks/[name].js', codeSplitting: { groups: await chunkGroups(library) } },
  );
}

async function bundlePlainly(bundling) {
  const { external, entries, dist: dir } = bundling;
  return generate({ input: bundling.inputOf(entries), external }, { dir, chunkFileNames: 'chunks/[name].js' });
}

/** A program whose commands are loaded when they are used: what every command needs is one file, as each further one costs about two milliseconds. */
async function bundleProgram(bundling) {
  const { external, entries, dist: dir } = bundling;
  const loaded = await loadedBy(bundling, entries);
  const isShort = (id) => loaded.has(id) || /[\\/]grammar[\\/]command\.ts$/.test(id);
  const codeSplitting = { groups: [{ name: 'core', test: isShort }] };
  return generate(
    { input: bundling.inputOf(entries), external },
    { dir, chunkFileNames: 'chunks/[name].js', codeSplitting },
  );
}

/** One file for each entry, with all that it needs: for entries that share small functions and no class. */
async function bundleEach(bundling) {
  const { external, entries, dist: dir } = bundling;
  const made = entries.map((entry) => generate({ input: bundling.inputOf([entry]), external }, { dir }));
  return (await Promise.all(made)).flat();
}

const WAYS = { crosspoint: bundleLibrary, '@crosspoint/cli': bundleProgram, '@crosspoint/json-schema': bundleEach };

/**
 * The files of an entry for programs that compile to `require()`: the same module and the same types, so that a program may mix both ways.
 * Compilers that do not know of `require()` of a module (`node16`, `node18`, and `nodenext` before TypeScript 5.8) refuse such a line with TS1479 and still read
 * it. Node 22.12 prints a warning when a program requires a module itself.
 */
function filesForRequire(entry) {
  const module = `./${posix.basename(entry)}.js`;
  return [
    { fileName: `${entry}.cjs`, source: `module.exports = require('${module}');\n` },
    { fileName: `${entry}.d.cts`, source: `// @ts-ignore\nexport * from '${module}';\n` },
  ];
}

/** Also called before the tests, some of which run programs that import the packages by name. */
export async function setup() {
  for (const one of PACKAGES) {
    const bundling = new Bundling(one);
    const now = bundling.state();
    if (bundling.isFresh(now)) continue;
    const files = await (WAYS[one.name] ?? bundlePlainly)(bundling);
    bundling.write([...files, ...bundling.entries.flatMap(filesForRequire)]);
    mkdirSync(dirname(bundling.mark), { recursive: true });
    writeFileSync(bundling.mark, now);
  }
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) await setup();
