import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { officialFiles, officialNames } from './official-paths.ts';

const require = createRequire(import.meta.url);
const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const paths = [...officialFiles, ...officialNames];

/** The part of the compiler's API that is used here. */
interface Compiler {
  readonly ModuleKind: { readonly CommonJS: number; readonly ESNext: number };
  readonly sys: object;
  // oxlint-disable-next-line max-params -- the shape is given
  resolveModuleName(
    name: string,
    importer: string,
    options: object,
    host: object,
    cache: undefined,
    redirected: undefined,
    mode: number,
  ): { resolvedModule?: { extension: string } };
}

/** The compiler that `attw` brings: newer ones have dropped `node10`. */
let compiler: Compiler;
beforeAll(() => {
  const attw = createRequire(require.resolve('@arethetypeswrong/cli/package.json'));
  compiler = createRequire(attw.resolve('@arethetypeswrong/core'))('typescript') as Compiler;
}, 60_000);

/** `moduleResolution` and `module` by the numbers that the compiler gives them. */
const RESOLUTIONS = [
  { name: 'node10', moduleResolution: 2, module: 1, isEsm: false },
  { name: 'node16 from an ES module', moduleResolution: 3, module: 100, isEsm: true },
  { name: 'node16 from CommonJS', moduleResolution: 3, module: 100, isEsm: false },
  { name: 'bundler', moduleResolution: 100, module: 99, isEsm: true },
] as const;

describe('the paths of the installed official package', () => {
  it('are many', () => {
    expect(paths.length).toBeGreaterThan(60);
    expect(paths).toEqual(expect.arrayContaining(['client', 'server/requestBody.js', 'spec.types.js', 'types.js']));
  });

  it.each(paths)('%s is found by import and by require()', (path) => {
    expect(existsSync(fileURLToPath(import.meta.resolve(`@crosspoint/sdk/${path}`)))).toBe(true);
    expect(existsSync(require.resolve(`@crosspoint/sdk/${path}`))).toBe(true);
  });

  it.each(RESOLUTIONS)('have types for $name', ({ moduleResolution, module, isEsm }) => {
    const importer = join(ROOT, isEsm ? 'program.mts' : 'program.cts');
    const mode = isEsm ? compiler.ModuleKind.ESNext : compiler.ModuleKind.CommonJS;
    const options = { moduleResolution, module };
    const endings = isEsm ? ['.d.ts'] : ['.d.ts', '.d.cts'];
    const hasTypes = (path: string): boolean => {
      const name = `@crosspoint/sdk/${path}`;
      const found = compiler.resolveModuleName(name, importer, options, compiler.sys, undefined, undefined, mode);
      return endings.includes(found.resolvedModule?.extension ?? '');
    };
    expect(paths.filter((path) => !hasTypes(path))).toEqual([]);
  });
});
