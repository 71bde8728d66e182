// The ways in which people write programs: the same programs, compiled, bundled or rewritten for each, and run.
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { build, transform } from 'esbuild';
import { ROOT } from '../packages.mjs';
import { serve } from '../runtimes/processes.mjs';
import { execute, expectText, node } from './folder.mjs';

const PROGRAMS = join(ROOT, 'scripts', 'first-hour', 'programs');
const NAMES = readdirSync(PROGRAMS).filter((name) => name.endsWith('.ts'));
const READY_MS = 30_000;
const HELLO = '[{"type":"text","text":"Hello, Ada!"}]';

const compilerOptions = {
  target: 'ES2023',
  module: 'nodenext',
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  types: ['node'],
  rootDir: 'src',
  outDir: 'dist',
};

/** Compiles a project beside `node_modules`, and gives the folder of its programs. */
async function compile(folder, { type, options = {} }) {
  mkdirSync(join(folder, 'src'), { recursive: true });
  for (const name of NAMES) writeFileSync(join(folder, 'src', name), readFileSync(join(PROGRAMS, name)));
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, type }));
  const settings = { compilerOptions: { ...compilerOptions, ...options }, include: ['src'] };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(settings));
  await execute([process.execPath, join(folder, '..', 'node_modules/typescript/bin/tsc')], folder);
  return join(folder, 'dist');
}

/** A bundle of modules has no `require`, which packages inside of it may ask for. */
const REQUIRE = "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);";

async function bundle(folder) {
  const options = { module: 'esnext', moduleResolution: 'bundler', noEmit: true };
  const outdir = await compile(folder, { type: 'module', options });
  await build({
    entryPoints: NAMES.map((name) => join(folder, 'src', name)),
    outdir,
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'silent',
    banner: { js: REQUIRE },
  });
  return outdir;
}

/** The programs as people write them in JavaScript. */
async function strip(folder, { format, type }) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, type }));
  for (const name of NAMES) {
    const { code } = await transform(readFileSync(join(PROGRAMS, name), 'utf8'), { loader: 'ts', format });
    writeFileSync(join(folder, `${basename(name, '.ts')}.js`), code);
  }
  return folder;
}

export const WAYS = [
  { name: 'TypeScript, nodenext', prepare: (folder) => compile(folder, { type: 'module' }) },
  { name: 'TypeScript, bundler', prepare: bundle },
  {
    name: 'TypeScript, CommonJS',
    // Unlike nodenext, node16 does not know that modules can be required: it takes the types for require().
    prepare: (folder) => compile(folder, { type: 'commonjs', options: { module: 'node16' } }),
  },
  { name: 'JavaScript, modules', prepare: (folder) => strip(folder, { format: 'esm', type: 'module' }) },
  { name: 'JavaScript, require()', prepare: (folder) => strip(folder, { format: 'cjs', type: 'commonjs' }) },
];

/** Runs the programs in a folder: server and client, HTTP, two nodes on one store, login. */
export async function tryPrograms(programs, redis) {
  const folder = join(programs, '..');
  const at = (name) => join(programs, `${name}.js`);
  expectText(await node([at('client'), at('server')], folder), HELLO);
  expectText(await node([at('http')], folder), HELLO);
  expectText(await node([at('login')], folder), '[true,[{"type":"text","text":"You are ada."}]]');
  const start = (name) =>
    serve([process.execPath, at('node'), name, redis], { cwd: folder, ready: /http:\S+/, limitMs: READY_MS });
  const nodes = await Promise.all(['a', 'b'].map(start));
  try {
    expectText(await node([at('two-nodes'), ...nodes.map(({ match }) => match)], folder), '["node a","node b"]');
  } finally {
    for (const { stop } of nodes) stop();
  }
}
