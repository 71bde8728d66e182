import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { ROOT } from '../docs/doc-blocks.ts';

const FOLDER = join(ROOT, '.cache', 'compile-errors');

const HEAD = `
import { Client } from 'crosspoint/client';
import { McpServer, completable, defineServer, defineTool, inputRequired, text } from 'crosspoint/server';
import { fromJsonSchema } from 'crosspoint/schema';
import * as z from 'zod';
declare const server: McpServer;
declare const client: Client;
declare const failed: boolean;
const sum = { outputSchema: z.object({ sum: z.number() }) };
const shape = { outputSchema: { sum: z.number() } };
const content = [{ type: 'text' as const, text: '3' }];
`;

/** Each statement in a file of its own, with the words of the compiler; without any where it must compile. */
const STATEMENTS: readonly (readonly [statement: string, words?: RegExp])[] = [
  ['completable(z.string(), (value) => [value.toUpperCase()]);'],
  ['completable(z.string().optional(), (value) => [value.toUpperCase()]);'],
  ["completable(z.enum(['a', 'b']), (value) => [value]);"],
  ['completable(z.string(), (value) => [value.toUpper()]);', /'toUpper' does not exist on type 'string'/],

  ["server.registerTool('add', sum, () => ({ structuredContent: { sum: 3 } }));"],
  ["server.registerTool('add', sum, async () => ({ content, structuredContent: { sum: 3 } }));"],
  ["server.registerTool('add', shape, async () => ({ content, structuredContent: { sum: 3 } }));"],
  ["server.registerTool('add', sum, () => ({ isError: true, content }));"],
  [
    "server.registerTool('add', sum, () => (failed ? { ...text('no'), isError: true } : { structuredContent: { sum: 3 } }));",
  ],
  [
    "server.registerTool('add', { outputSchema: fromJsonSchema({ type: 'array' }) }, () => ({ structuredContent: [3] }));",
  ],
  ["server.registerTool('add', {}, () => ({ content, structuredContent: { any: 'thing' } }));"],
  ["server.registerTool('add', { inputSchema: { a: z.number() } }, ({ a }) => text(a.toFixed()));"],
  ["server.registerTool('add', sum, () => inputRequired({ requestState: 'asked' }));"],
  ["server.registerTool('add', {}, async () => (failed ? text('no') : inputRequired({ requestState: 'asked' })));"],
  [
    "server.registerTool('add', { outputSchema: failed ? sum.outputSchema : z.object({ no: z.string() }) }, async () => (failed ? { structuredContent: { sum: 3 } } : { structuredContent: { no: '' } }));",
  ],
  ["server.registerTool('add', sum, () => ({ content }));", /'structuredContent' is missing/],
  ["server.registerTool('add', sum, async () => text('3'));", /'structuredContent' is missing/],
  [
    "server.registerTool('add', sum, () => ({ structuredContent: { sum: '3' } }));",
    /'string' is not assignable to type 'number'/,
  ],
  ["server.registerTool('add', shape, () => ({ structuredContent: {} }));", /'sum' is missing/],
  ["server.registerTool('add', {}, () => 'sunny');", /'string' is not assignable to/],

  [
    "client.setRequestHandler('elicitation/create', async ({ params }) => ({ action: params.message === '' ? 'decline' : 'cancel' }));",
  ],
  ["client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: { name: 'Ada' } }));"],
  ["client.setRequestHandler('acme/anything', ({ params }) => ({ same: params }));"],
  ["client.setRequestHandler('ping', () => ({}));"],
  ["client.setRequestHandler(failed ? 'acme/a' : 'acme/b', () => ({}));"],
  ["client.setRequestHandler('acme/a' as string, () => ({}));"],
  [
    "client.setRequestHandler(z.object({ method: z.literal('acme/a'), params: z.object({ a: z.number() }) }), ({ params }) => ({ a: params.a.toFixed() }));",
  ],
  [
    "client.setRequestHandler('elicitation/creat', () => ({ action: 'decline' }));",
    /not assignable to parameter of type 'ClientRequestName'/,
  ],
  [
    "client.setRequestHandler('elicitation/create', () => ({ action: 'declined' }));",
    /"accept" \| "cancel" \| "decline"/,
  ],

  ["server.server.setRequestHandler('acme/anything', () => ({}));"],
  ["server.server.setRequestHandler('tools/list', () => ({ tools: [] }));"],
  [
    "server.server.setRequestHandler('tools/lst', () => ({ tools: [] }));",
    /not assignable to parameter of type 'ServerRequestName'/,
  ],

  ["client.as<typeof server>().call('add', { a: 1 });", /make the server with defineServer\(\)/],
  ["client.as<typeof server>().prompt('review');", /make the server with defineServer\(\)/],
  ["client.as<typeof server>().read('a://b');", /make the server with defineServer\(\)/],
  [
    "const made = defineServer({ info: { name: 'a', version: '1' }, tools: [defineTool('add', sum, () => ({ structuredContent: { sum: 3 } }))] }); client.as<typeof made>().call('add').then((result) => result.sum.toFixed());",
  ],
  ["new Client({ name: 'a', version: '1' }, { connectMs: 2000 });", /'connectMs' does not exist/],
];

describe('the compiler, on a mistake or on something that looks like one', () => {
  let errors: ReadonlyMap<number, string>;

  beforeAll(() => {
    rmSync(FOLDER, { recursive: true, force: true });
    mkdirSync(FOLDER, { recursive: true });
    for (const [index, [statement]] of STATEMENTS.entries())
      writeFileSync(join(FOLDER, `s${index}.ts`), `${HEAD}\n${statement}\nexport {};\n`);
    const compilerOptions = {
      target: 'ES2023',
      module: 'NodeNext',
      strict: true,
      noEmit: true,
      skipLibCheck: true,
      types: [],
    };
    writeFileSync(join(FOLDER, 'tsconfig.json'), JSON.stringify({ compilerOptions }));
    const { stdout } = spawnSync(
      process.execPath,
      [join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', FOLDER, '--pretty', 'false'],
      {
        encoding: 'utf8',
      },
    );
    const said = new Map<number, string>();
    let at = -1;
    for (const line of stdout.split('\n')) {
      at = Number(/\bs(\d+)\.ts\(/.exec(line)?.[1] ?? at);
      said.set(at, `${said.get(at) ?? ''}${line}\n`);
    }
    errors = said;
  });

  it.each(STATEMENTS.map(([statement, words], index) => ({ index, statement, words })))(
    '$statement',
    ({ index, words }) => {
      const said = errors.get(index)?.trim() ?? '';
      if (words === undefined) expect(said).toBe('');
      else expect(said).toMatch(words);
    },
  );
});
