import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
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
    const [suspended, live, left] = await Promise.all([run(shape, stateless.id, 'answer'), run(shape, newestHandshake.id, 'answer'), run(shape, newestHandshake.id, 'leave')]);
    // Node remarks on a promise that is looked at late; that is all it does.
    expect({ ...suspended, err: suspended.err.replaceAll(/^\(.*\n/gm, '') }).toEqual({ code: 0, out: 'ok, held 0\n', err: '' });
    expect(live).toEqual({ code: 0, out: 'ok, held 0\n', err: '' });
    // A client that leaves in the middle of a question takes nobody with it.
    expect(left).toMatchObject({ code: 0, out: expect.stringMatching(/^(left|ok), held 0\n$/) as string });
  });

  it('still ends by a rejection that is not ours, before and after asking', { timeout: 60_000 }, async () => {
    const [plain, after] = await Promise.all([run('not ours', stateless.id, 'answer'), run('helpers, in reverse', stateless.id, 'then fail')]);
    expect(plain.code).toBe(1);
    expect(plain.err).toContain('not ours');
    expect(after).toMatchObject({ code: 1, out: 'ok, held 0\n', err: expect.stringContaining('not ours') as string });
  });
});
