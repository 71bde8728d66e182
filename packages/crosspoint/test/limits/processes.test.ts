import { fork, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { META_IDEMPOTENCY_KEY } from '../../src/protocol/meta.ts';
import { compileSources } from '../fixtures/stdio/compiled.ts';
import { send, stateless } from '../http/serving.ts';
import { hasRedis, startRedis, type PrivateRedis } from '../stores/redis-server.ts';

const program = fileURLToPath(new URL('./programs/node.mjs', import.meta.url));
const isInstalled = await hasRedis();
if (!isInstalled) console.log('redis-server is not installed here: what needs Redis is skipped.');

describe.skipIf(!isInstalled)('three processes and one Redis', () => {
  const folder = mkdtempSync(join(tmpdir(), 'limits-'));
  const file = join(folder, 'charges');
  const children: ChildProcess[] = [];
  const ports: number[] = [];
  let redis: PrivateRedis;
  let compiled: ReturnType<typeof compileSources>;

  beforeAll(async () => {
    compiled = compileSources();
    redis = await startRedis();
    await Promise.all(
      [1, 2, 3].map(async () => {
        const child = fork(program, [compiled.folder, redis.url, file], {
          stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
        });
        children.push(child);
        ports.push(
          await new Promise<number>((resolve, reject) => {
            child.stdout?.once('data', (text: Buffer) => resolve(Number(text)));
            child.once('exit', () => reject(new Error('A node ended before it served.')));
          }),
        );
      }),
    );
  }, 120_000);
  afterAll(async () => {
    for (const child of children) child.kill('SIGKILL');
    await redis?.close();
    compiled?.remove();
    rmSync(folder, { recursive: true, force: true });
  }, 60_000);

  const call = async (
    node: number,
    name: string,
    caller: string,
    key?: string,
  ): Promise<{ status: number; text: string }> => {
    const meta = key === undefined ? {} : { [META_IDEMPOTENCY_KEY]: key };
    const request = stateless('tools/call', { name }, { headers: { authorization: caller }, meta });
    const answer = await send({ port: ports[node % ports.length]! }, request);
    const { result } = (await answer.json()) as { result?: { content: { text: string }[] } };
    return { status: answer.status, text: result?.content[0]?.text ?? '' };
  };

  test('carry a call with a key out once, wherever and however often it comes', { timeout: 60_000 }, async () => {
    const answers = await Promise.all(Array.from({ length: 9 }, (_, index) => call(index, 'charge', 'ann', 'k')));
    const later = await Promise.all([0, 1, 2].map((node) => call(node, 'charge', 'ann', 'k')));
    expect(new Set([...answers, ...later].map(({ text }) => text)).size).toBe(1);
    expect(answers[0]?.text).toMatch(/^charged by \d+$/);
    expect(readFileSync(file, 'utf8').trim().split('\n')).toHaveLength(1);
    expect((await call(1, 'charge', 'bob', 'k')).text).toMatch(/^charged by /);
    expect(readFileSync(file, 'utf8').trim().split('\n')).toHaveLength(2);
  });

  test('count a caller together', { timeout: 60_000 }, async () => {
    const answers = await Promise.all(Array.from({ length: 30 }, (_, index) => call(index, 'look', 'ann')));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(12);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(18);
    expect((await call(0, 'look', 'bob')).status).toBe(200);
  });
});
