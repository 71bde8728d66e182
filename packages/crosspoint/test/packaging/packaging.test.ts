import { isBuiltin } from 'node:module';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { importsOf, readSource } from '../architecture/source-text.ts';
import { pack, type Packed } from './packed.ts';

let packed: Packed;
beforeAll(() => {
  packed = pack();
}, 120_000);
afterAll(() => packed.remove());

/** `@scope/name/path` and `name/path` belong to `@scope/name` and `name`. */
const packageOf = (specifier: string): string =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');

const withoutDot = (target: string): string => target.replace('./', '');

/** The entries that are code, with their files. */
function entries(): [string, { readonly require: string; readonly default: string }][] {
  return Object.entries(packed.manifest.exports).flatMap(([entry, target]) =>
    target === null || typeof target === 'string' ? [] : [[entry, target]],
  );
}

function foreignImports(files: readonly string[]): Set<string> {
  const specifiers = files.flatMap((file) =>
    importsOf(readSource(packed.read(file))).map(({ specifier }) => specifier),
  );
  return new Set(specifiers.filter((specifier) => !specifier.startsWith('.') && !isBuiltin(specifier)).map(packageOf));
}

/** The names of each entry's exports, which are the same by either way. An entry of types alone has none. */
function loadBothWays(entries: readonly (readonly [string, string])[]): Record<string, string[]> {
  const specifiers = JSON.stringify(entries.map(([entry]) => `crosspoint${entry.slice(1)}`));
  const imported = packed.run(
    `const found = {}; for (const entry of ${specifiers}) found[entry] = Object.keys(await import(entry)).sort(); console.log(JSON.stringify(found));`,
    '--input-type=module',
  );
  const required = packed.run(
    `const found = {}; for (const entry of ${specifiers}) found[entry] = Object.keys(require(entry)).filter((name) => name !== '__esModule').sort(); console.log(JSON.stringify(found));`,
    '--input-type=commonjs',
    '--no-warnings',
  );
  const exports = JSON.parse(imported) as Record<string, string[]>;
  expect(JSON.parse(required)).toEqual(exports);
  for (const [entry, target] of entries)
    if (!/^\s*(?:export \{\};?)?\s*$/.test(packed.read(target.replace('./', ''))))
      expect(exports[`crosspoint${entry.slice(1)}`]?.length, entry).toBeGreaterThan(0);
  return exports;
}

/** Entries that exist for what a peer brings. */
const NEED_A_PEER: readonly string[] = ['./telemetry'];

describe('the package as published', () => {
  it('holds what was built and nothing else', () => {
    const others = packed.files.filter(
      (file) =>
        /\.[a-z]+$/.test(file) && !/^(?:dist\/.+\.(?:c?js|d\.c?ts)|package\.json|README\.md|LICENSE)$/.test(file),
    );
    expect(others).toEqual([]);
  });

  it('has a file and types for every entry of its exports, by import and by require()', () => {
    for (const [, { require, default: module }] of entries()) {
      expect(packed.files).toEqual(expect.arrayContaining([module, module.replace(/\.js$/, '.d.ts')].map(withoutDot)));
      expect(packed.files).toEqual(
        expect.arrayContaining([require, require.replace(/\.cjs$/, '.d.cts')].map(withoutDot)),
      );
    }
  });

  it('has one copy of its code and types: the files for require() name those for import', () => {
    for (const [entry, { require, default: module }] of entries()) {
      const name = module.split('/').at(-1);
      expect(packed.read(withoutDot(require)), entry).toBe(`module.exports = require('./${name}');\n`);
      const types = packed.read(withoutDot(require.replace(/\.cjs$/, '.d.cts')));
      expect(types, entry).toBe(`// @ts-ignore\nexport * from './${name}';\n`);
    }
    const ownCode = packed.files.filter((file) => file.endsWith('.cjs'));
    expect(ownCode).toHaveLength(entries().length);
  });

  it('has lines that can be shown with an error, and names that can be read in a stack', () => {
    const code = packed.files.filter((name) => name.endsWith('.js')).map((file) => packed.read(file));
    // A line that lists what a file imports or exports is as long as it has to be, and is in no stack.
    for (const text of code)
      for (const line of text.split('\n')) if (!/^(?:im|ex)port /.test(line)) expect(line.length).toBeLessThan(4000);
    for (const name of ['class McpServer', 'class Client', 'function callTool'])
      expect(
        code.some((text) => text.includes(name) || text.includes(name.replace(/^class (\w+)$/, '$1 = class'))),
      ).toBe(true);
  });

  it('imports nothing that it does not declare, in code and in types', () => {
    const declared = new Set([
      ...Object.keys(packed.manifest.dependencies),
      ...Object.keys(packed.manifest.peerDependencies ?? {}),
      ...Object.keys(packed.manifest.imports ?? {}),
    ]);
    const undeclared = (files: readonly string[]): string[] =>
      [...foreignImports(files)].filter((name) => !declared.has(name));
    expect(undeclared(packed.files.filter((file) => file.endsWith('.js')))).toEqual([]);
    expect(undeclared(packed.files.filter((file) => file.endsWith('.d.ts')))).toEqual([]);
  });

  it('uses every dependency that it declares', () => {
    const used = foreignImports(packed.files.filter((file) => file.endsWith('.js')));
    expect(Object.keys(packed.manifest.dependencies).filter((name) => !used.has(name))).toEqual([]);
  });

  it('loads every entry by import and by require(), with the same exports, and with its declared dependencies alone unless it is there for a peer', () => {
    const all = entries().map(([entry, { default: module }]) => [entry, module] as const);
    const needsPeers = ([entry]: readonly [string, string]): boolean => NEED_A_PEER.includes(entry);
    const exports = loadBothWays(all.filter((entry) => !needsPeers(entry)));
    expect(Object.keys(exports).length).toBeGreaterThan(5);
    packed.addPeers();
    Object.assign(exports, loadBothWays(all.filter(needsPeers)));
    expect(Object.keys(exports)).toHaveLength(all.length);
  });

  it('offers nothing beside its entries', () => {
    expect(() => packed.run("await import('crosspoint/dist/index.js')", '--input-type=module')).toThrow(
      'ERR_PACKAGE_PATH_NOT_EXPORTED',
    );
  });

  it('starts no timer and opens nothing when it is loaded', () => {
    const code = `for (const entry of ['crosspoint', 'crosspoint/server', 'crosspoint/client', 'crosspoint/server/stdio', 'crosspoint/client/stdio']) await import(entry);
      console.log(JSON.stringify(process.getActiveResourcesInfo().filter((name) => /Timeout|Immediate|Server|Socket|Process/.test(name))));`;
    expect(JSON.parse(packed.run(code, '--input-type=module'))).toEqual([]);
  });
});
