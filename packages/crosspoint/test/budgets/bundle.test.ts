import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { PROGRAMS, withProgram } from './programs.ts';

/** Bytes after minifying and compressing, with everything the program may need: zod is 22 kB of a server's, logging in 20 kB of an HTTP client's. */
const BUDGETS = [
  { program: 'HTTP server', gzip: 96_400 },
  { program: 'stdio server', gzip: 80_000 },
  { program: 'HTTP client', gzip: 89_200 },
  { program: 'stdio client', gzip: 68_600 },
] as const;

async function bundled(code: string, platform: 'node' | 'neutral' = 'node'): Promise<Uint8Array> {
  return withProgram(code, async (path) => {
    const { outputFiles } = await build({
      entryPoints: [path],
      bundle: true,
      minify: true,
      write: false,
      format: 'esm',
      platform,
      external: ['node:*'],
      logLevel: 'silent',
    });
    return outputFiles[0]?.contents ?? new Uint8Array();
  });
}

describe('what ends up in a bundle', () => {
  it.each(BUDGETS)('a minimal $program takes no more than $gzip bytes', async ({ program, gzip }) => {
    const bytes = gzipSync(await bundled(PROGRAMS[program]), { level: 9 }).length;
    expect(bytes).toBeGreaterThan(10_000);
    expect(bytes).toBeLessThanOrEqual(gzip);
  });

  it.each([
    ['node', false],
    ['neutral', true],
  ] as const)('a bundle for %s has the cryptography of its platform', async (platform, isOfTheWeb) => {
    const code = new TextDecoder().decode(await bundled(PROGRAMS['HTTP server'], platform));
    expect(code.includes('crypto.subtle.importKey')).toBe(isOfTheWeb);
    expect(code.includes('#platform')).toBe(false);
  });
});
