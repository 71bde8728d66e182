import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PACKAGES, entriesOf } from '../../../scripts/packages.mjs';
import { pack, type Packed } from '../../crosspoint/test/packaging/packed.ts';
import { proves } from '../../crosspoint/test/requirements/proves.ts';

const specifiers = PACKAGES.filter(({ name }) => name === '@crosspoint/sdk').flatMap((one) =>
  entriesOf(one).map(({ specifier }) => specifier),
);

let packed: Packed;
beforeAll(() => {
  packed = pack('@crosspoint/sdk');
}, 120_000);
afterAll(() => packed.remove());

const load = (how: string): string => `const found = {};
  for (const entry of ${JSON.stringify(specifiers)})
    found[entry] = Object.keys(${how}).filter((name) => name !== '__esModule').sort();
  console.log(JSON.stringify(found));`;

describe('the package as published', () => {
  it('loads every path by import and by require(), with the same exports, in an application that lists nothing else', () => {
    const imported = JSON.parse(packed.run(load('await import(entry)'), '--input-type=module')) as object;
    const required = JSON.parse(packed.run(load('require(entry)'), '--input-type=commonjs', '--no-warnings')) as object;
    expect(Object.keys(imported).length).toBeGreaterThan(60);
    expect(required).toEqual(imported);
  });

  proves('L-SDK-001').it('brings zod, whose schemas it exports', () => {
    const code = `const { CallToolResultSchema } = await import('@crosspoint/sdk/types.js');
      console.log(CallToolResultSchema.safeParse({ content: [] }).success, CallToolResultSchema.safeParse({ content: 1 }).success);`;
    expect(packed.run(code, '--input-type=module').trim()).toBe('true false');
  });

  it('has one copy of each class: that of crosspoint', () => {
    const code = `const { UnauthorizedError } = await import('@crosspoint/sdk/client/auth.js');
      console.log(UnauthorizedError === (await import('crosspoint/client')).UnauthorizedError);`;
    expect(packed.run(code, '--input-type=module').trim()).toBe('true');
  });

  it('offers nothing beside the paths', () => {
    for (const path of ['internal/types/base.js', 'chunks/x.js', 'dist/types.js'])
      expect(() => packed.run(`await import('@crosspoint/sdk/${path}')`, '--input-type=module')).toThrow(
        /ERR_(?:PACKAGE_PATH_NOT_EXPORTED|MODULE_NOT_FOUND)/,
      );
  });

  it('pins crosspoint to its own version', () => {
    const { version, dependencies } = JSON.parse(packed.read('package.json')) as {
      version: string;
      dependencies: Record<string, string>;
    };
    expect(dependencies['crosspoint']).toBe(version);
  });
});
