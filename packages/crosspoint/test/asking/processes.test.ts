import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Client, InputRequiredError } from '../../src/client/index.ts';
import { StdioClientTransport } from '../../src/transports/stdio/client.ts';
import { compileSources } from '../fixtures/stdio/compiled.ts';
import { newestHandshake, stateless } from './linked.ts';

const program = fileURLToPath(new URL('./programs/shapes.mjs', import.meta.url));
let compiled: ReturnType<typeof compileSources>;

beforeAll(() => {
  compiled = compileSources();
}, 60_000);
afterAll(() => compiled.remove());

interface Ended {
  code: number | null;
  out: string;
  err: string;
}

function run(...args: string[]): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [program, compiled.folder, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
    const ended: Ended = { code: null, out: '', err: '' };
    child.stdout.setEncoding('utf8').on('data', (text: string) => (ended.out += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (ended.err += text));
    child.on('error', reject);
    child.on('close', (code) => resolve({ ...ended, code }));
  });
}

const shopProgram = fileURLToPath(new URL('./programs/shop.mjs', import.meta.url));

describe('a call that is asked by one process and answered by another', () => {
  const folder = mkdtempSync(join(tmpdir(), 'shop-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  async function node(charges: string, key: string): Promise<Client> {
    const client = new Client(
      { name: 'c', version: '1' },
      { revisions: [stateless.id], capabilities: { elicitation: {} }, inputRequired: 'manual' },
    );
    await client.connect(
      new StdioClientTransport({
        command: process.execPath,
        args: [shopProgram, compiled.folder, charges],
        env: { ASKING_KEY: key },
        stderr: 'ignore',
      }),
    );
    return client;
  }

  it(
    'goes on when the first is gone, with nothing shared but the key, and has charged once',
    { timeout: 60_000 },
    async () => {
      const charges = join(folder, 'charges');
      const key = 'a key that both processes have in common';
      const first = await node(charges, key);
      const asked = await first.callTool({ name: 'buy' }).catch((error: unknown) => error as InputRequiredError);
      if (!(asked instanceof InputRequiredError)) throw new Error(`Nothing was asked: ${JSON.stringify(asked)}`);
      await first.close();
      const answers = Object.fromEntries(
        Object.keys(asked.asks).map((name) => [name, { action: 'accept', content: { place: 'Rome' } }]),
      );
      const retry = { answers, ...(asked.state !== undefined && { state: asked.state }) };
      const stranger = await node(charges, 'a key that nobody else has, as long as it must be');
      await expect(stranger.callTool({ name: 'buy' }, { retry })).rejects.toThrow('The requestState is refused');
      await stranger.close();
      const second = await node(charges, key);
      const { content } = await second.callTool({ name: 'buy' }, { retry });
      await second.close();
      const sent = JSON.parse((content[0] as { text: string }).text) as {
        chargedBy: number;
        sentBy: number;
        to: string;
      };
      expect(sent.to).toBe('Rome');
      expect(sent.sentBy).not.toBe(sent.chargedBy);
      expect(readFileSync(charges, 'utf8').trim().split('\n')).toHaveLength(1);
    },
  );
});

const SHAPES = [
  'all helpers',
  'raw, in order',
  'raw, in reverse',
  'helpers, in order',
  'helpers, in reverse',
  'helper awaited later',
  'never awaited',
  'roots and sampling, unawaited',
  'a step beside a question',
  'resources held in finally',
];

describe('a process in which questions are asked', () => {
  it.each(SHAPES)('goes on and holds nothing: %s', { timeout: 60_000 }, async (shape) => {
    const [suspended, live, left] = await Promise.all([
      run(shape, stateless.id, 'answer'),
      run(shape, newestHandshake.id, 'answer'),
      run(shape, newestHandshake.id, 'leave'),
    ]);
    // Node remarks on a promise that is looked at late; that is all it does.
    expect({ ...suspended, err: suspended.err.replaceAll(/^\(.*\n/gm, '') }).toEqual({
      code: 0,
      out: 'ok, held 0\n',
      err: '',
    });
    expect(live).toEqual({ code: 0, out: 'ok, held 0\n', err: '' });
    // A client that leaves in the middle of a question takes nobody with it.
    expect(left).toMatchObject({ code: 0, out: expect.stringMatching(/^(left|ok), held 0\n$/) as string });
  });

  it('still ends by a rejection that is not ours, before and after asking', { timeout: 60_000 }, async () => {
    const [plain, after] = await Promise.all([
      run('not ours', stateless.id, 'answer'),
      run('helpers, in reverse', stateless.id, 'then fail'),
    ]);
    expect(plain.code).toBe(1);
    expect(plain.err).toContain('not ours');
    expect(after).toMatchObject({ code: 1, out: 'ok, held 0\n', err: expect.stringContaining('not ours') as string });
  });
});
