import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { PROGRAMS, withProgram } from './programs.ts';

/** Bytes after minifying and compressing, with everything the program may need: zod is 22 kB of a server's, logging in 20 kB of an HTTP client's. */
const BUDGETS = [
  { program: 'HTTP server', gzip: 98_350 },
  { program: 'stdio server', gzip: 82_650 },
  { program: 'HTTP client', gzip: 88_900 },
  { program: 'stdio client', gzip: 68_600 },
] as const;

async function bundled(code: string): Promise<number> {
  return withProgram(code, async (path) => {
    const { outputFiles } = await build({
      entryPoints: [path],
      bundle: true,
      minify: true,
      write: false,
      format: 'esm',
      platform: 'node',
      logLevel: 'silent',
    });
    return gzipSync(outputFiles[0]?.contents ?? '', { level: 9 }).length;
  });
}

describe('what ends up in a bundle', () => {
  it.each(BUDGETS)('a minimal $program takes no more than $gzip bytes', async ({ program, gzip }) => {
    const bytes = await bundled(PROGRAMS[program]);
    expect(bytes).toBeGreaterThan(10_000);
    expect(bytes).toBeLessThanOrEqual(gzip);
  });
});
