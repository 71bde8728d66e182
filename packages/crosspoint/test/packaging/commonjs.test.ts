import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { proves } from '../requirements/proves.ts';
import { pack, type Packed } from './packed.ts';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));

let packed: Packed;
beforeAll(() => {
  packed = pack();
}, 120_000);
afterAll(() => packed.remove());

/** What every program here does: a server and a client in one process, and the sum that the one had from the other. */
const ADD = `
async function main(): Promise<void> {
  const app = new McpServer({ name: 'commonjs', version: '1.0.0' });
  app.registerTool('double', { inputSchema: fromJsonSchema({ type: 'object', properties: { n: { type: 'number' } } }) }, (args) => ({
    content: [{ type: 'text', text: String(Number(args['n']) * 2) }],
  }));
  const [near, far] = InMemoryTransport.createLinkedPair();
  const client = new Client({ name: 'commonjs', version: '1.0.0' });
  await app.connect(near);
  await client.connect(far);
  const result: CallToolResult = await client.callTool({ name: 'double', arguments: { n: 21 } });
  console.log(JSON.stringify(result.content));
  await client.close();
}
void main();
`;
const DONE = '[{"type":"text","text":"42"}]';

const IMPORT_FROM = `import type { CallToolResult } from 'crosspoint';
import { Client } from 'crosspoint/client';
import { fromJsonSchema } from 'crosspoint/schema';
import { McpServer } from 'crosspoint/server';
import { InMemoryTransport } from 'crosspoint/testing';
${ADD}`;

/** The ways in which TypeScript lets a CommonJS project name a package of modules. `scripts/types.mjs` tries them with other versions of TypeScript. */
const PROJECTS = [
  {
    way: 'import()',
    module: 'node16',
    source: `import type { CallToolResult } from 'crosspoint' with { 'resolution-mode': 'import' };
${ADD.replace(
  'async function main(): Promise<void> {',
  `async function main(): Promise<void> {
  const { McpServer } = await import('crosspoint/server');
  const { fromJsonSchema } = await import('crosspoint/schema');
  const { Client } = await import('crosspoint/client');
  const { InMemoryTransport } = await import('crosspoint/testing');`,
)}`,
  },
  {
    way: 'import = require()',
    module: 'node20',
    source: `import server = require('crosspoint/server');
import schema = require('crosspoint/schema');
import client_ = require('crosspoint/client');
import testing = require('crosspoint/testing');
import core = require('crosspoint');
type CallToolResult = core.CallToolResult;
const { McpServer } = server;
const { fromJsonSchema } = schema;
const { Client } = client_;
const { InMemoryTransport } = testing;
${ADD}`,
  },
  ...['node16', 'node18', 'nodenext'].map((module) => ({
    way: 'import … from',
    module,
    source: IMPORT_FROM,
  })),
];

function compile(folder: string, module: string): string {
  const compilerOptions = {
    target: 'ES2022',
    lib: ['ES2023', 'DOM'],
    module,
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    types: ['node'],
    typeRoots: [join(ROOT, 'node_modules', '@types')],
    rootDir: '.',
    outDir: 'out',
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['app.cts'] }));
  const tsc = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
  return spawnSync(process.execPath, [tsc, '-p', folder], { encoding: 'utf8' }).stdout;
}

/** What a program prints when it has ended well. */
function run(file: string): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--no-warnings', file], {
    cwd: packed.folder,
    encoding: 'utf8',
    env: { ...process.env, NODE_OPTIONS: '' },
    timeout: 60_000,
  });
  return status === 0 ? stdout.trim() : `${status}: ${stderr}`;
}

describe('a CommonJS project', () => {
  it.each(PROJECTS)('type-checks and runs with $way under module: $module', { timeout: 120_000 }, (project) => {
    const folder = join(packed.folder, `project-${PROJECTS.indexOf(project)}`);
    mkdirSync(folder);
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'app', type: 'commonjs' }));
    writeFileSync(join(folder, 'app.cts'), project.source);
    expect(compile(folder, project.module)).toBe('');
    const emitted = join(folder, 'out', 'app.cjs');
    expect(readFileSync(emitted, 'utf8')).not.toMatch(/^import /m);
    expect(run(emitted)).toBe(DONE);
  });

  it.each(['cjs', 'esm'] as const)('runs as a bundle in the format %s', { timeout: 60_000 }, async (format) => {
    const entry = join(packed.folder, 'bundled.mts');
    writeFileSync(entry, IMPORT_FROM);
    const outfile = join(packed.folder, `bundle.${format === 'cjs' ? 'cjs' : 'mjs'}`);
    // Code that loads itself by require() is given one where the format has none.
    const banner = {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    };
    const { warnings } = await build({
      entryPoints: [entry],
      outfile,
      bundle: true,
      platform: 'node',
      target: 'node20',
      format,
      logLevel: 'silent',
      ...(format === 'esm' && { banner }),
    });
    expect(warnings.map(({ text }) => text)).toEqual([]);
    expect(readFileSync(outfile, 'utf8')).not.toMatch(/^(?:import|export)\b.*from ["']crosspoint/m);
    expect(run(outfile)).toBe(DONE);
  });
});

describe('zod', () => {
  proves('L-SDK-001').it('is an optional peer, as all peers are, and nothing needs it', () => {
    const loaded = packed.run(
      "for (const entry of ['crosspoint', 'crosspoint/server', 'crosspoint/client']) await import(entry); await import('zod').catch(({ code }) => console.log(code));",
      '--input-type=module',
    );
    expect(loaded.trim()).toBe('ERR_MODULE_NOT_FOUND');
    const { peerDependencies = {}, peerDependenciesMeta = {} } = packed.manifest;
    expect(Object.keys(peerDependencies)).toContain('zod');
    for (const name of Object.keys(peerDependencies))
      expect(peerDependenciesMeta[name], name).toEqual({ optional: true });
  });
});
