import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { surfaceText, typeNameOf } from '../src/commands/gen/surface-text.ts';
import { crosspoint } from './crosspoint.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const ODD = ['--', process.execPath, fileURLToPath(new URL('programs/odd-server.mjs', import.meta.url))];

/** A program that uses every part of the types; a wrong line must be wrong. */
const PROGRAM = `import type { Client } from 'crosspoint/client';
import type { Odd } from './odd.ts';

export async function use(client: Client): Promise<string> {
  const odd = client.as<Odd>();
  const { id } = await odd.call('paint', { colour: 'red', 'line width': 2, points: [[1, 2]], mode: null });
  await odd.call('paint', { colour: 'dark blue', mode: { a: 'b' }, shiny: true, never: 5 });
  await odd.call('grow', { tree: { value: 1, children: [{ value: 2 }] }, pair: { value: 3, tag: 't' }, far: Symbol() });
  await odd.call('grow', { tree: { value: 1 }, whole: { tree: { value: 2 } } });
  const { content } = await odd.call('rest');
  await odd.call('constructor', { __proto: 'x' });
  await odd.prompt('explain', { what: 'a tree' });
  await odd.prompt('hello');
  await odd.read('odd://one');
  await odd.read('odd://\`items\`/7?q=1');
  // @ts-expect-error There is no such colour.
  await odd.call('paint', { colour: 'yellow' });
  // @ts-expect-error The colour is missing.
  await odd.call('paint', {});
  // @ts-expect-error A misspelt name.
  await odd.call('paint', { colour: 'red', shinny: true });
  // @ts-expect-error A point has two numbers.
  await odd.call('paint', { colour: 'red', points: [[1, 2, 3]] });
  // @ts-expect-error There is no such tool.
  await odd.call('erase');
  // @ts-expect-error A value is a number.
  await odd.call('grow', { tree: { value: 1, children: [{ value: 'two' }] } });
  // @ts-expect-error The argument is missing.
  await odd.prompt('explain', {});
  // @ts-expect-error There is no such resource.
  await odd.read('odd://three');
  return \`\${id}\${content.length}\`;
}
`;

it('gen types writes types that compile, find mistakes, and are the same every time', { timeout: 60_000 }, async () => {
  const { run } = crosspoint();
  mkdirSync(join(ROOT, '.cache'), { recursive: true });
  const folder = mkdtempSync(join(ROOT, '.cache', 'gen-types-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'odd.ts');
  const written = await run(['gen', 'types', '--out', file, '--name', 'Odd', ...ODD]);
  expect(written.json()).toEqual({ file, name: 'Odd', tools: 5, prompts: 2, resources: 2, templates: 1 });
  const text = readFileSync(file, 'utf8');
  const again = await run(['gen', 'types', '--name', 'Odd', ...ODD]);
  expect(again.stdout).toBe(text);
  expect(text).not.toMatch(/[\u202E]/);
  writeFileSync(join(folder, 'program.ts'), PROGRAM);
  const compilerOptions = {
    target: 'ES2023',
    lib: ['ES2023', 'DOM'],
    module: 'NodeNext',
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    noEmit: true,
    skipLibCheck: true,
    allowImportingTsExtensions: true,
    types: ['node'],
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  const { stdout } = spawnSync(process.execPath, [tsc, '-p', folder], { encoding: 'utf8' });
  expect(stdout).toBe('');
  // A file of the user's own is not replaced.
  const other = join(folder, 'program.ts');
  const refused = await run(['gen', 'types', '--out', other, ...ODD]);
  expect(refused.code).toBe(1);
  expect(readFileSync(other, 'utf8')).toBe(PROGRAM);
});

it('types of hostile schemas are made in bounded time, whatever they refer to', () => {
  const chain = Object.fromEntries(
    Array.from({ length: 60 }, (_, at) => [
      `D${at}`,
      { anyOf: [{ $ref: `#/$defs/D${at + 1}` }, { $ref: `#/$defs/D${at + 1}` }] },
    ]),
  );
  let deep: object = { type: 'string' };
  for (let at = 0; at < 5000; at += 1) deep = { type: 'object', properties: { a: deep } };
  const inputSchema = {
    type: 'object' as const,
    properties: { chain: { $ref: '#/$defs/D0' }, deep, bad: { $ref: '#/%E0%A4%A' }, list: { enum: [[1]] } },
    $defs: chain,
  };
  const from = performance.now();
  const offers = { server: '1', tools: [{ name: 't', inputSchema }], prompts: [], resources: [], templates: [] };
  const text = surfaceText(offers, typeNameOf('1 server'));
  expect(performance.now() - from).toBeLessThan(2000);
  expect(text).toContain('export type N1Server');
  expect(text).toContain('bad?: unknown;');
});
