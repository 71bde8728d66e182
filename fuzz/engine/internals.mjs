/** Parts of the library that no entry exports, made into one file from the sources, so that they can be fuzzed by themselves. */
import { mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const sources = fileURLToPath(new URL('../../packages/crosspoint/src/', import.meta.url));
const folder = fileURLToPath(new URL('../../.cache/fuzz/internals/', import.meta.url));

/** @param {string} path below `src/`, such as `wire/ndjson.ts` */
export async function internal(path) {
  const { build } = await import('esbuild');
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${path.replaceAll(/[/.]/g, '-')}.mjs`);
  const own = `${file}.${process.pid}.mjs`;
  await build({
    entryPoints: [join(sources, path)],
    outfile: own,
    bundle: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    logLevel: 'error',
  });
  // Another process may do the same at the same time.
  renameSync(own, file);
  return import(pathToFileURL(file).href);
}
