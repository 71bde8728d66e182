import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import {
  arrowFaults,
  crowdedFaults,
  cycleFaults,
  foreignFaults,
  documentFaults,
  mcpWordFaults,
  nodeFaults,
  reachedFrom,
  readFiles,
  revisionNameFaults,
  sameClassFaults,
  shapeFaults,
  unsafeCodeFaults,
  vagueCommentFaults,
} from './architecture/rules.ts';
import { importsOf, readSource } from './architecture/source-text.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const src = join(root, 'packages', 'crosspoint', 'src');
const sourcesIn = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => ({ path: path.split(sep).join('/'), text: readFileSync(join(folder, path), 'utf8') }));
const files = readFiles(sourcesIn(src));
const folders = readdirSync(src, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map((entry) => entry.name);

const REVISION_IDS = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'];

/** Synthetic files, so that each check is seen to fail. */
const given = (tree: Record<string, string>) => readFiles(Object.entries(tree).map(([path, text]) => ({ path, text })));

describe('the scanner', () => {
  const imports = (text: string) =>
    importsOf(readSource(text)).map(({ specifier, typeOnly }) => `${typeOnly ? 'type ' : ''}${specifier}`);

  it.each([
    ["import { a } from './a.ts';", ['./a.ts']],
    ["import {\n  a,\n  type B,\n} from './a.ts';", ['./a.ts']],
    ["import type { A } from './a.ts';", ['type ./a.ts']],
    ["import { type A } from './a.ts';", ['./a.ts']],
    ["import type from './a.ts';", ['./a.ts']],
    ["import a, { b } from 'a';", ['a']],
    ["import * as a from 'node:fs';", ['node:fs']],
    ["import 'effect';", ['effect']],
    ["export { a } from './a.ts'; export type { B } from './b.ts';", ['./a.ts', 'type ./b.ts']],
    ["export * from './a.ts';", ['./a.ts']],
    ["const a = await import('./a.ts');", ['./a.ts']],
    ['import { a } from "./a.ts"', ['./a.ts']],
    ["// import { a } from './a.ts';\n/* import './b.ts' */", []],
    ["const text = `import { a } from './a.ts';`;", []],
    ["const quote = /[\"'`]/; import './a.ts'; // it's", ['./a.ts']],
    ["const half = a / b; import './a.ts'; const c = d / e;", ['./a.ts']],
    ["const t = `a${`b${{}}'`}c`; import './a.ts';", ['./a.ts']],
    ["export const from = 1; const x = 'y';", []],
  ])('reads %j', (text, expected) => {
    expect(imports(text)).toEqual(expected);
  });

  it('finds the imports of the sources', () => {
    const message = files.filter((file) =>
      file.imports.some(({ specifier }) => specifier.endsWith('jsonrpc/message.ts')),
    );
    expect(message.length).toBeGreaterThan(5);
    const relativeImports = files.flatMap((file) =>
      file.imports
        .filter(({ specifier }) => specifier.startsWith('.'))
        .map(({ specifier }) => join(src, file.path, '..', specifier)),
    );
    for (const path of relativeImports) expect(existsSync(path), relative(src, path)).toBe(true);
  });
});

describe('a client over a transport that it is given', () => {
  const OF_HTTP = /^(?:auth|transports\/http)\//;
  /** How any client reads why a transport failed. */
  const FAILURES = 'transports/http/client/http-failure.ts';

  it.each(['client/client.ts', 'client/stdio.ts'])('reaches neither HTTP nor logins: %s', (entry) => {
    const reached = reachedFrom(files, entry);
    expect(reached).toContain('client/engine.ts');
    expect(reached.filter((path) => OF_HTTP.test(path))).toEqual([FAILURES]);
  });

  it('is told apart from one that does', () => {
    const reached = reachedFrom(files, 'client/index.ts');
    expect(reached).toEqual(
      expect.arrayContaining(['transports/http/client/streamable-transport.ts', 'auth/client/oauth-authorizer.ts']),
    );
  });
});

describe('the arrows', () => {
  it('hold', () => {
    expect(arrowFaults(files)).toEqual([]);
  });

  it.each([
    ['jsonrpc/a.ts', '../protocol/b.ts'],
    ['wire/a.ts', '../jsonrpc/message.ts'],
    ['protocol/a.ts', '../revisions/revision.ts'],
    ['peer/a.ts', '../transports/transport.ts'],
    ['peer/deep/a.ts', '../../revisions/revision.ts'],
    ['server/a.ts', '../client/b.ts'],
    ['client/a.ts', '../server/b.ts'],
    ['host/a.ts', '../server/b.ts'],
    ['transports/memory/a.ts', '../../server/b.ts'],
    ['client/calls/cache.ts', '../../revisions/index.ts'],
    ['transports/a.ts', '../revisions/selection.ts'],
    ['new-folder/a.ts', './b.ts'],
    ['client/a.ts', '../../test/b.ts'],
  ])('keep %s from importing %s', (path, specifier) => {
    expect(arrowFaults(given({ [path]: `import { b } from '${specifier}';` }))).toHaveLength(1);
  });

  it.each([
    ['peer/a.ts', "import type { T } from '../transports/transport.ts';"],
    ['peer/a.ts', "import type { R } from '../revisions/revision.ts';"],
    ['client/connecting/negotiate.ts', "import { r } from '../../revisions/index.ts';"],
    ['server/a.ts', "import { r } from '../revisions/selection.ts';"],
    ['client/a.ts', "import type { R } from '../revisions/selection.ts';"],
    ['client/a.ts', "import type { R } from '../revisions/revision.ts'; import j from 'jose';"],
    ['index.ts', "export { a } from './client/index.ts';"],
  ])('let %s say %s', (path, text) => {
    expect(arrowFaults(given({ [path]: text }))).toEqual([]);
  });

  it('let only types through where only types may pass', () => {
    expect(arrowFaults(given({ 'peer/a.ts': "import type { T } from '../transports/memory/pair.ts';" }))).toHaveLength(
      1,
    );
    expect(arrowFaults(given({ 'peer/a.ts': "import { type T } from '../transports/transport.ts';" }))).toHaveLength(1);
  });

  it('lead to no schema library and no web framework', () => {
    expect(foreignFaults(files)).toEqual([]);
    const faults = (text: string) => foreignFaults(given({ 'schema/a.ts': text }));
    expect(faults("import { z } from 'zod';")).toHaveLength(1);
    expect(faults("import type { ZodType } from 'zod/v4';")).toHaveLength(1);
    expect(faults("import { a } from 'zodiac'; import b from './zod.ts';")).toEqual([]);
  });

  it('never run in a circle by value', () => {
    expect(cycleFaults(files)).toEqual([]);
    const circle = {
      'a.ts': "import { b } from './b.ts';",
      'b.ts': "import { c } from './c.ts';",
      'c.ts': "export { a } from './a.ts';",
    };
    expect(cycleFaults(given(circle))).toEqual(['a.ts → b.ts → c.ts → a.ts']);
    expect(cycleFaults(given({ ...circle, 'c.ts': "import type { A } from './a.ts';" }))).toEqual([]);
  });
});

describe('the sources', () => {
  it('import node: only where Node is needed', () => {
    expect(nodeFaults(files)).toEqual([]);
    const fs = "import { readFileSync } from 'node:fs';";
    expect(
      nodeFaults(given({ 'client/a.ts': fs, 'stores/redis.ts': fs, 'wire/a.ts': "await import('node:fs')" })),
    ).toHaveLength(3);
    expect(
      nodeFaults(
        given({
          'transports/http/node.ts': fs,
          'server/files-node.ts': fs,
          'transports/stdio/deep/a.ts': fs,
          'stores/sqlite.ts': fs,
        }),
      ),
    ).toEqual([]);
  });

  it('name a revision only in revisions/', () => {
    expect(revisionNameFaults(files, REVISION_IDS)).toEqual([]);
    const dated = given({
      'client/a.ts': "const id = '2025-11-25';",
      'client/b.ts': '/** Since 2024-11-05. */',
      'client/c.ts': '/** @deprecated until 2027-07-28 */',
    });
    expect(revisionNameFaults(dated, REVISION_IDS)).toEqual([
      'client/a.ts names 2025-11-25',
      'client/b.ts names 2024-11-05',
    ]);
    expect(revisionNameFaults(given({ 'revisions/x/a.ts': "'2025-11-25'" }), REVISION_IDS)).toEqual([]);
  });

  it('neither evaluate text nor start a shell', () => {
    expect(unsafeCodeFaults(files)).toEqual([]);
    for (const text of [
      "eval('1')",
      "new Function('return 1')",
      "Function('return 1')",
      "spawn('ls', { shell: true })",
      "spawn('ls', { shell: '/bin/sh' })",
      'globalThis.eval',
    ])
      expect(unsafeCodeFaults(given({ 'a.ts': text })), text).toHaveLength(1);
    for (const text of [
      '// eval(1)',
      "'eval(1)'",
      'retrieval(1)',
      'spawn(x, { shell: false })',
      'const f: Function = g; isFunction(f)',
    ])
      expect(unsafeCodeFaults(given({ 'a.ts': text })), text).toEqual([]);
  });

  it('keep to the shape of a file', () => {
    expect(shapeFaults(files)).toEqual([]);
    const tree = {
      'a.ts': "export * from './b.ts';",
      'b.ts': 'export default 1;',
      'c.ts': '\n'.repeat(400) + 'x',
      'server/utils.ts': '',
      'x-helper.ts': '',
      'tool-manager.ts': '',
      'd.ts': 'export { a as default };',
    };
    expect(shapeFaults(given(tree))).toHaveLength(7);
    expect(
      shapeFaults(given({ 'a.ts': 'export { a };', 'b.ts': `x${'\n'.repeat(400)}`, 'commonplace.ts': '' })),
    ).toEqual([]);
  });

  it('give every exported class a name of its own', () => {
    expect(sameClassFaults(files)).toEqual([]);
    const tree = {
      'a/c.ts': 'export class Call {}',
      'b/c.ts': 'x\nexport abstract class Call {}',
      'd.ts': 'class Call {}',
    };
    expect(sameClassFaults(given(tree))).toEqual(['a/c.ts and b/c.ts export a class Call']);
  });

  it('have comments that name their subject first', () => {
    const all = readdirSync(join(root, 'packages')).flatMap((name) => sourcesIn(join(root, 'packages', name, 'src')));
    expect(all.length).toBeGreaterThan(1000);
    expect(vagueCommentFaults(all)).toEqual([]);
    for (const text of ['/** What it is. */', '// Nobody asks.', '/*\n * Whoever asks.\n */'])
      expect(vagueCommentFaults(given({ 'a.ts': text })), text).toHaveLength(1);
    expect(vagueCommentFaults(given({ 'a.ts': '/** Says what it is. Nobody asks. */' }))).toEqual([]);
  });

  it('say no word of the protocol in jsonrpc/', () => {
    expect(mcpWordFaults(files)).toEqual([]);
    for (const word of [
      '// a tool',
      'const resources = 1',
      '"prompts/list"',
      'initialize',
      'sampling',
      'elicitation',
      'MCP',
    ])
      expect(mcpWordFaults(given({ 'jsonrpc/a.ts': word })), word).toHaveLength(1);
    expect(mcpWordFaults(given({ 'jsonrpc/a.ts': 'promptly rooted toolbox', 'peer/a.ts': 'tool' }))).toEqual([]);
  });
});

describe('folders', () => {
  it('can be taken in at once', () => {
    expect(crowdedFaults(files)).toEqual([]);
  });

  it('leave the root to documents and configuration', () => {
    const strange = readdirSync(root, { withFileTypes: true })
      .filter((entry) => entry.isFile() && !/^\.|\.(?:md|json)$/.test(entry.name))
      .map((entry) => entry.name);
    expect(strange.sort()).toEqual(['LICENSE', 'vitest.config.ts']);
  });

  it('are counted without the folders in them', () => {
    const many = Array.from({ length: 30 }, (_, index) => ({ path: `peer/a${index}.ts`, text: '' }));
    expect(crowdedFaults([...many, { path: 'peer/inner/b.ts', text: '' }])).toEqual([
      expect.stringMatching(/^peer\/ has 30 files, more than \d+$/),
    ]);
  });
});

describe('ARCHITECTURE.md', () => {
  const path = join(root, 'ARCHITECTURE.md');

  it('is held to the tree by a check that can fail', () => {
    const exists = (name: string) =>
      ['packages/crosspoint/src/peer/peer.ts', 'packages/crosspoint/src/peer/', 'docs/decisions/'].includes(name);
    expect(
      documentFaults(
        '`peer/peer.ts` and `tools/call` and `crosspoint/server` and `docs/decisions/` and `peer/`',
        ['peer'],
        exists,
      ),
    ).toEqual([]);
    expect(documentFaults('`peer/gone.ts`, `src/old/`', ['peer', 'wire'], exists)).toEqual([
      'src/wire/ is not named',
      'peer/gone.ts is named and does not exist',
      'src/old/ is named and does not exist',
    ]);
  });

  it.skipIf(!existsSync(path))(
    'names every folder of src/ and no path that does not exist (there is no ARCHITECTURE.md when this is skipped)',
    () => {
      expect(documentFaults(readFileSync(path, 'utf8'), folders, (name) => existsSync(join(root, name)))).toEqual([]);
    },
  );
});

describe('README.md of the tests', () => {
  const here = 'packages/crosspoint/test';

  it('names every folder of test/ and no path that does not exist', () => {
    const inside = readdirSync(join(root, here), { withFileTypes: true }).filter((entry) => entry.isDirectory());
    const text = readFileSync(join(root, here, 'README.md'), 'utf8');
    const exists = (name: string) => existsSync(join(root, name));
    expect(
      documentFaults(
        text,
        inside.map(({ name }) => name),
        exists,
      ),
    ).toEqual([]);
  });
});
