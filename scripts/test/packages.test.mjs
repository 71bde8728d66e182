import { readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PACKAGES, ROOT, entriesOf, manifestOf } from '../packages.mjs';

/** Members of a manifest that hold an address. None has one until there is a place that is known to exist. */
const ADDRESSES = ['homepage', 'repository', 'bugs', 'funding'];

describe.each(PACKAGES)('$name as people find it', (one) => {
  const manifest = manifestOf(one);

  it('has a description, keywords and a licence, and no address that nobody answers', () => {
    expect(manifest.description.length).toBeGreaterThan(40);
    expect(manifest.keywords.length).toBeGreaterThanOrEqual(5);
    expect(manifest.keywords).toEqual(expect.arrayContaining(['mcp', 'model-context-protocol']));
    expect(manifest.license).toBe('MIT');
    expect(ADDRESSES.filter((member) => member in manifest)).toEqual([]);
  });

  it('has a page that begins with the command that brings it', () => {
    const page = readFileSync(join(one.folder, 'README.md'), 'utf8');
    const [, first = ''] = /^```sh\n([\s\S]*?)^```/m.exec(page) ?? [];
    expect(page.indexOf('```sh')).toBe(page.indexOf('```'));
    expect(first).toContain(one.name === 'create-crosspoint' ? 'npm create crosspoint' : `npm install ${one.name}`);
  });
});

it('lists the sources that entries stand for in tests as the manifests do', () => {
  const [, rows] = readFileSync(join(ROOT, 'tsconfig.sources.json'), 'utf8').split('"paths": ');
  const listed = [...rows.matchAll(/"([^"]+)": \["\.\/([^"]+)\.ts"\]/g)].map(([, specifier, file]) => [
    specifier,
    file,
  ]);
  const sourced = new Set(listed.map(([, file]) => file.split('/src/', 1)[0]));
  const expected = PACKAGES.filter(({ folder }) => sourced.has(relative(ROOT, folder).replaceAll(sep, '/'))).flatMap(
    (one) =>
      entriesOf(one).map(({ specifier, source }) => [
        specifier,
        `${relative(ROOT, one.folder).replaceAll(sep, '/')}/src/${source}`,
      ]),
  );
  expect(listed).toEqual(expected);
  expect(listed.length).toBeGreaterThan(20);
});

describe.each(PACKAGES)('entries of $name', (one) => {
  const { main, types, exports, typesVersions } = manifestOf(one);
  const entries = Object.entries(exports).filter(([, target]) => (target?.default ?? target)?.endsWith('.js'));

  it('have a file for require() beside the module', () => {
    expect(entries.length).toBeGreaterThan(0);
    for (const [entry, target] of entries)
      expect(target, entry).toEqual({ require: target.default?.replace(/\.js$/, '.cjs'), default: target.default });
    expect(main).toBe(exports['.']?.require);
  });

  it('have the same types where exports are not read', () => {
    const ending = /\.js$/;
    const told = { ...(types && { '.': [types] }), ...typesVersions?.['*'] };
    const declared = entries.map(([entry, { default: file }]) => {
      // The path in the place of a pattern's asterisk may have an ending there.
      if (entry.includes('*')) return [entry.slice(2).replace(ending, ''), [file.replace(ending, '')]];
      return [entry.replace('./', ''), [file.replace(ending, '.d.ts')]];
    });
    expect(told).toEqual(Object.fromEntries(declared));
  });
});
