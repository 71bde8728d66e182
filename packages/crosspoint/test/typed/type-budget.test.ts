import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
const FOLDER = join(ROOT, '.cache', 'type-budget');

const repeat = (count: number, write: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => write(index)).join('\n');

const registered = (schema: (members: string) => string): string => `
import { McpServer } from 'crosspoint/server';
import { z } from 'zod';
const server = new McpServer({ name: 'many', version: '1.0.0' });
${repeat(
  500,
  (index) => `server.registerTool(
  'add_${index}',
  { description: 'Adds', inputSchema: ${schema('{ a: z.number(), b: z.number() }')}, outputSchema: ${schema('{ sum: z.number() }')} },
  async ({ a, b }) => {
    const sum = a + b;
    return { content: [{ type: 'text', text: String(sum) }], structuredContent: { sum } };
  },
);`,
)}
export {};
`;

/** Each tool has types of its own, and each is called. */
const DEFINED = `
import { Client } from 'crosspoint/client';
import { defineServer, defineTool } from 'crosspoint/server';
import { z } from 'zod';
const server = defineServer({
  info: { name: 'many', version: '1.0.0' },
  tools: [
${repeat(
  100,
  (index) => `defineTool(
  'add_${index}',
  { inputSchema: z.object({ a_${index}: z.number() }), outputSchema: z.object({ sum_${index}: z.number() }) },
  ({ a_${index} }) => ({ structuredContent: { sum_${index}: a_${index} + 1 } }),
),`,
)}
  ],
});
const typed = new Client({ name: 'one', version: '1.0.0' }).as<typeof server>();
${repeat(100, (index) => `export const sum_${index}: number = (await typed.call('add_${index}', { a_${index}: 1 })).sum_${index};`)}
// @ts-expect-error There is no such tool.
await typed.call('add_100', {});
// @ts-expect-error The argument is of another tool.
await typed.call('add_99', { a_98: 1 });
`;

const PROGRAMS = {
  'z-object': registered((members) => `z.object(${members})`),
  shapes: registered((members) => members),
  defined: DEFINED,
};

interface Checked {
  readonly output: string;
  readonly types: number;
  readonly instantiations: number;
}

/** The compiler counts what it makes of the built package, and that depends on nothing but the program. */
function check(name: keyof typeof PROGRAMS): Checked {
  const folder = join(FOLDER, name);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'program.ts'), PROGRAMS[name]);
  const compilerOptions = {
    target: 'ES2023',
    lib: ['ES2023'],
    module: 'NodeNext',
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    types: [],
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['program.ts'] }));
  const { stdout } = spawnSync(
    process.execPath,
    [join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', folder, '--extendedDiagnostics', '--singleThreaded'],
    { encoding: 'utf8' },
  );
  const figure = (title: string): number => Number(new RegExp(`^${title}:\\s*(\\d+)`, 'm').exec(stdout)?.[1]);
  return { output: stdout, types: figure('Types'), instantiations: figure('Instantiations') };
}

describe('what the type checker makes of many tools', () => {
  beforeAll(() => rmSync(FOLDER, { recursive: true, force: true }));

  it.each([
    // Checking structured content against its schema is a fifth of the types of `z-object`, and a tenth of the time. `shapes` took 164,500 instantiations while
    // every shape was taken apart into members that may be left out and members that may not.
    { name: 'z-object', types: 46_500, instantiations: 190_000 },
    { name: 'shapes', types: 27_500, instantiations: 52_000 },
    { name: 'defined', types: 12_300, instantiations: 223_000 },
  ] as const)('$name: no more than its budget, and no error', ({ name, types, instantiations }) => {
    const checked = check(name);
    console.log(`${name}: ${checked.types} types, ${checked.instantiations} instantiations`);
    expect(checked.output.match(/^.*error TS\d+.*$/gm)?.slice(0, 3) ?? []).toEqual([]);
    expect(checked.types).toBeLessThanOrEqual(types);
    expect(checked.instantiations).toBeLessThanOrEqual(instantiations);
  });
});
