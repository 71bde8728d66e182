import { fork, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/jsonrpc/message.ts';
import { compileSources } from '../fixtures/stdio/compiled.ts';
import { META, send, stateless } from '../http/serving.ts';
import { hasRedis, startRedis, type PrivateRedis } from '../stores/redis-server.ts';

const program = fileURLToPath(new URL('./programs/refund-node.mjs', import.meta.url));
const isInstalled = await hasRedis();
if (!isInstalled) console.log('redis-server is not installed here: what needs Redis is skipped.');

let compiled: ReturnType<typeof compileSources>;
beforeAll(() => {
  compiled = compileSources();
}, 120_000);
afterAll(() => compiled?.remove());

describe.each([['sqlite'], ['redis']])('two processes with one store: %s', (kind) => {
  const isThere = kind !== 'redis' || isInstalled;
  const folder = mkdtempSync(join(tmpdir(), 'refunds-'));
  const file = join(folder, 'refunds');
  const children: ChildProcess[] = [];
  const ports: number[] = [];
  let redis: PrivateRedis | undefined;

  async function start(place: string): Promise<number> {
    const child = fork(program, [compiled.folder, kind, place, file], { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
    children.push(child);
    return new Promise((resolve, reject) => {
      child.stdout?.once('data', (line: Buffer) => resolve(Number(line)));
      child.once('exit', () => reject(new Error('A node ended before it served.')));
    });
  }

  beforeAll(async () => {
    if (!isThere) return;
    redis = kind === 'redis' ? await startRedis() : undefined;
    // One after the other: the first makes the tables.
    for (let node = 0; node < 2; node += 1) ports.push(await start(redis?.url ?? join(folder, 'store.db')));
  }, 60_000);
  afterAll(async () => {
    for (const child of children) child.kill('SIGKILL');
    await redis?.close();
    rmSync(folder, { recursive: true, force: true });
  }, 60_000);

  async function refund(node: number, retry: JsonObject = {}): Promise<JsonObject> {
    const meta = META({ elicitation: { form: {} } });
    const request = stateless('tools/call', { name: 'refund', ...retry }, { meta });
    const answer = await send({ port: ports[node % ports.length] ?? 0 }, request);
    const { result, error } = (await answer.json()) as { result?: JsonObject; error?: JsonObject };
    return result ?? { error };
  }

  const refunds = (): string[] => (existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []);

  test.skipIf(!isThere)(
    'refund once what was approved once, wherever and however often that is sent',
    { timeout: 60_000 },
    async () => {
      const { requestState, inputRequests } = await refund(0);
      const [key = ''] = Object.keys(inputRequests as JsonObject);
      const approval = { requestState, inputResponses: { [key]: { action: 'accept', content: { sure: true } } } };
      const together = await Promise.all([0, 1, 2, 3, 4, 5].map((node) => refund(node, approval)));
      const later = [await refund(0, approval), await refund(1, approval), await refund(0, approval)];
      expect(together[0]).toMatchObject({
        content: [{ text: expect.stringMatching(/^Refunded by \d+\.$/) as string }],
      });
      expect(new Set([...together, ...later].map((answer) => JSON.stringify(answer))).size).toBe(1);
      expect(refunds()).toHaveLength(1);
      const declined = { requestState, inputResponses: { [key]: { action: 'decline' } } };
      expect(await refund(1, declined)).toMatchObject({
        error: { message: expect.stringContaining('with other answers') as string },
      });
    },
  );
});
