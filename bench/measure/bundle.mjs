import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

const PROGRAMS = join(dirname(fileURLToPath(import.meta.url)), '..', 'programs');

/** Schema libraries that a peer can use and no program here does; its bundle cannot be made unless they are external. */
const UNUSED = ['effect', 'sury', 'arktype', 'valibot', '@valibot/to-json-schema', '@cfworker/json-schema'];

/** Bundles a program as for Node, minified, and gives its size in KB, plain and compressed. */
export async function bundleSize(program) {
  const { outputFiles } = await build({
    entryPoints: [join(PROGRAMS, `${program}.mjs`)],
    bundle: true,
    minify: true,
    platform: 'node',
    format: 'esm',
    external: program.startsWith('fastmcp/') ? UNUSED : [],
    write: false,
    logLevel: 'silent',
  });
  const { contents } = outputFiles[0];
  return { kb: contents.length / 1000, gzipKb: gzipSync(contents, { level: 9 }).length / 1000 };
}
