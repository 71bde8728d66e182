import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { createMcpHandler, McpServer, text } from 'crosspoint/server';
import { sqliteStore } from 'crosspoint/stores/sqlite';
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as z from 'zod';
import { DatabaseSync } from '../../../crosspoint/test/stores/recommended-driver.ts';
import { agent, type RunResult } from '../../src/agent/index.ts';
import { Host } from '../../src/host.ts';
import type { ModelBlock, ModelProvider, ModelResponse } from '../../src/models/index.ts';

const PROGRAM = fileURLToPath(new URL('../programs/agent-run.mjs', import.meta.url));

/** How often each tool has run, by its name and the key in its arguments. */
const counts = new Map<string, number>();
/** Ends the process whose call has this key, before or after the tool does its work. */
const traps = new Map<string, { readonly when: 'before' | 'after'; readonly spring: () => void }>();

let folder: string;
let http: Server;
let handler: ReturnType<typeof createMcpHandler>;
let url: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'agent-'));
  handler = createMcpHandler(shop());
  http = createServer((request, response) => void handler.node(request, response)).listen(0, '127.0.0.1');
  await once(http, 'listening');
  url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
});

afterAll(async () => {
  http.close();
  await handler.close({ grace: 100 });
  http.closeAllConnections();
  await rm(folder, { recursive: true, force: true });
});

function shop(): McpServer {
  const server = new McpServer({ name: 'shop', version: '1' });
  const counting =
    (tool: string) =>
    ({ key }: { readonly key: string }) => {
      const trap = traps.get(`${tool} ${key}`);
      if (trap?.when === 'before') trap.spring();
      counts.set(`${tool} ${key}`, countOf(tool, key) + 1);
      if (trap?.when === 'after') trap.spring();
      return text(`${tool} ${key} done`);
    };
  const inputSchema = { key: z.string() };
  server.registerTool('pay', { inputSchema }, counting('pay'));
  server.registerTool('read', { inputSchema, annotations: { readOnlyHint: true } }, counting('read'));
  return server;
}

const countOf = (tool: string, key: string): number => counts.get(`${tool} ${key}`) ?? 0;

type Plan = Pick<ModelResponse, 'content' | 'stopReason'>[];

function plan(key: string): Plan {
  const use = (id: string, name: string): ModelBlock => ({
    type: 'tool-use',
    id,
    name,
    input: { key: `${key}-${id}` },
  });
  return [
    { content: [use('1', 'shop__pay'), use('2', 'shop__read')], stopReason: 'tool-use' },
    { content: [use('3', 'shop__pay')], stopReason: 'tool-use' },
    { content: [{ type: 'text', text: 'Bought.' }], stopReason: 'end-turn' },
  ];
}

/** Runs the program to its end, or to the point where it is killed. */
async function killed(key: string, killAt: number): Promise<{ readonly points: number; readonly isKilled: boolean }> {
  const given = { url, file: fileOf(key), id: key, plan: plan(key), killAt };
  const child = spawn(process.execPath, [PROGRAM, JSON.stringify(given)], { stdio: ['ignore', 'pipe', 'pipe'] });
  for (const trap of traps.keys())
    if (trap.includes(` ${key}-`)) traps.set(trap, { when: whenOf(key), spring: () => child.kill('SIGKILL') });
  const [out, err, [code, signal]] = await Promise.all([
    readAll(child.stdout),
    readAll(child.stderr),
    once(child, 'exit'),
  ]);
  if (code !== 0 && signal !== 'SIGKILL') throw new Error(`The program failed: ${err}`);
  return { points: Number(out), isKilled: signal === 'SIGKILL' };
}

const fileOf = (key: string): string => join(folder, `${key}.db`);
const whenOf = (key: string): 'before' | 'after' => (key.startsWith('before') ? 'before' : 'after');

/** Resumes the run in this process, with the same store and the same model. */
async function resumed(key: string): Promise<RunResult> {
  const answers = plan(key);
  const provider: ModelProvider = {
    name: 'planned',
    models: () => [{ name: 'planned-1' }],
    complete: async ({ model, messages }) => {
      const answer = answers[messages.filter(({ role }) => role === 'assistant').length] ?? answers.at(-1);
      const usage = { inputTokens: 1, outputTokens: 1, cachedTokens: 0, cacheWriteTokens: 0 };
      return { model, usage, content: [], stopReason: 'end-turn', ...answer };
    },
  };
  const database = new DatabaseSync(fileOf(key));
  const store = sqliteStore(database);
  const host = new Host({
    name: 'resuming',
    version: '1.0.0',
    store,
    servers: { shop: { url, isTrusted: true } },
    policy: { default: { call: 'allow', start: 'allow' } },
    agent: agent({ models: [provider] }),
  });
  const result = await host.resume(key).result;
  await host.close();
  await store.close();
  database.close();
  return result;
}

/** Each payment was made once, or never and the model was told that its outcome is not known; each use has one result. */
function check(key: string, result: RunResult): void {
  const results = result.messages
    .flatMap(({ content }) => content)
    .flatMap((block) => (block.type === 'tool-result' ? [block] : []));
  expect(results.map(({ toolUseId }) => toolUseId)).toEqual(['1', '2', '3']);
  for (const [at, id] of ['1', '3'].entries()) {
    const words = JSON.stringify(results.filter(({ toolUseId }) => toolUseId === id));
    const isUnknown = words.includes('the outcome of the call is not known');
    expect(isUnknown || words.includes(`pay ${key}-${id} done`), `${key}: ${words} ${at}`).toBe(true);
    const count = countOf('pay', `${key}-${id}`);
    expect(count, `${key}: payment ${id}`).toBeLessThanOrEqual(1);
    if (!isUnknown) expect(count, `${key}: payment ${id}`).toBe(1);
  }
  expect(countOf('read', `${key}-2`), `${key}: reading`).toBeGreaterThanOrEqual(1);
  expect(countOf('read', `${key}-2`), `${key}: reading`).toBeLessThanOrEqual(2);
  expect(JSON.stringify(results)).toContain(`read ${key}-2 done`);
  expect(result).toMatchObject({ reason: 'done', text: 'Bought.' });
}

it('passes every point when it is not killed, and has nothing to do when it is resumed', async () => {
  const { points, isKilled } = await killed('whole', 0);
  expect({ isKilled, hasPoints: points > 30 }).toEqual({ isKilled: false, hasPoints: true });
  const result = await resumed('whole');
  check('whole', result);
  expect(JSON.stringify(result.messages)).not.toContain('not known');
});

it('is killed at every point in turn, and goes on without a tool that runs twice', async () => {
  const { points } = await killed('counted', 0);
  let unknown = 0;
  const at = async (killAt: number): Promise<void> => {
    const key = `point${killAt}`;
    const { isKilled } = await killed(key, killAt);
    const result = await resumed(key);
    // Killed before the first step was written down, it never began.
    if (result.reason === 'failed') {
      expect([killAt <= 1, result.detail]).toEqual([true, expect.stringContaining('There is no run')]);
      return;
    }
    // The order of two calls side by side may differ, so the last points may not be passed.
    expect(isKilled || killAt > points - 3).toBe(true);
    check(key, result);
    if (JSON.stringify(result.messages).includes('not known')) unknown += 1;
  };
  for (let killAt = 1; killAt <= points; killAt += 3)
    await Promise.all([killAt, killAt + 1, killAt + 2].filter((one) => one <= points).map(at));
  expect(unknown).toBeGreaterThan(0);
}, 180_000);

it.each([
  ['before', 'pay', '1'],
  ['after', 'pay', '1'],
  ['before', 'pay', '3'],
  ['after', 'pay', '3'],
  ['after', 'read', '2'],
])('is killed while a tool runs, %s %s does its work', async (when, tool, id) => {
  const key = `${when}-${tool}-${id}`;
  traps.set(`${tool} ${key}-${id}`, { when: whenOf(key), spring: () => {} });
  expect((await killed(key, 0)).isKilled).toBe(true);
  traps.clear();
  const result = await resumed(key);
  check(key, result);
  expect(countOf(tool, `${key}-${id}`)).toBe(tool === 'read' ? 2 : 1);
  if (tool === 'pay') expect(JSON.stringify(result.messages)).toContain('not known');
});
