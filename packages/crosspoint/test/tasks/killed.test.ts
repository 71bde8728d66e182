import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { createClient } from '@redis/client';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { META, send, stateless } from '../http/serving.ts';
import { hasRedis, startRedis, type PrivateRedis } from '../stores/redis-server.ts';
import { ended } from './bench.ts';

const isInstalled = await hasRedis();
if (!isInstalled) console.log('redis-server is not installed here: what needs Redis is skipped.');

const PROGRAM = fileURLToPath(new URL('../fixtures/tasks/node.mjs', import.meta.url));
const meta = META({ extensions: { 'io.modelcontextprotocol/tasks': {} } });
const PATIENCE_MS = 30_000;

interface Started {
  readonly port: number;
  kill(): Promise<void>;
}

let redis: PrivateRedis;
let client: ReturnType<typeof createClient>;
const running: Started[] = [];

beforeAll(async () => {
  if (!isInstalled) return;
  redis = await startRedis();
  client = createClient({ url: redis.url });
  await client.connect();
});
afterEach(async () => {
  for (const one of running.splice(0)) await one.kill();
  await client?.flushAll();
});
afterAll(async () => {
  client?.destroy();
  await redis?.close();
});

async function start(name: string, hang = ''): Promise<Started> {
  const env = { ...process.env, REDIS: redis.url, NODE: name, HANG: hang };
  const child: ChildProcess = spawn(process.execPath, [PROGRAM], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(child.stdout as NodeJS.ReadableStream, 'data')) as [Buffer];
  const started = {
    port: Number(line.toString()),
    async kill() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const gone = once(child, 'exit');
      child.kill('SIGKILL');
      await gone;
    },
  };
  running.push(started);
  return started;
}

async function ask(at: Started, method: string, params: Record<string, unknown>): Promise<any> {
  const { taskId } = params;
  const headers = typeof taskId === 'string' ? { 'mcp-name': taskId } : {};
  const body = await (await send(at, stateless(method, params, { meta, headers }))).json();
  if (body.result === undefined) throw new Error(JSON.stringify(body));
  return body.result;
}

async function look<T>(read: () => Promise<T>, wanted: (value: T) => boolean): Promise<T> {
  const limit = Date.now() + PATIENCE_MS;
  for (;;) {
    const value = await read();
    if (wanted(value)) return value;
    if (Date.now() > limit) throw new Error(`It did not come to it: ${JSON.stringify(value)}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

const did = (): Promise<string[]> => client.lRange('did', 0, -1);

describe.skipIf(!isInstalled)('a node that is killed', () => {
  test('leaves its task to another, which goes on from the last finished step', { timeout: 60_000 }, async () => {
    const first = await start('A', 'two');
    const { taskId } = await ask(first, 'tools/call', { name: 'steps' });
    await look(did, (lines) => lines.includes('A:begins two'));
    const second = await start('B');
    expect(await ask(second, 'tasks/get', { taskId })).toMatchObject({ status: 'working' });
    await first.kill();
    const task = await look(() => ask(second, 'tasks/get', { taskId }), ended);
    expect(task).toMatchObject({ status: 'completed', result: { content: [{ text: 'A,B,B' }] } });
    expect(await did()).toEqual([
      'A:begins one',
      'A:ends one',
      'A:begins two',
      'B:begins two',
      'B:ends two',
      'B:begins three',
      'B:ends three',
    ]);
  });

  test('leaves nothing working for ever: without steps its task has failed', { timeout: 60_000 }, async () => {
    const first = await start('A');
    const { taskId } = await ask(first, 'tools/call', { name: 'stuck' });
    await look(did, (lines) => lines.includes('A:is stuck'));
    await first.kill();
    // Not yet started when the first one died: it finds the task by itself.
    const second = await start('B');
    const task = await look(() => ask(second, 'tasks/get', { taskId }), ended);
    expect(task).toMatchObject({ status: 'failed', statusMessage: expect.stringContaining('no steps') });
    expect(await did()).toEqual(['A:is stuck']);
  });
});
