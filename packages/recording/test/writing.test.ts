import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, createWriteStream, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { recordSession } from '../src/index.ts';
import { until } from '../../crosspoint/test/until.ts';
import { messagesOf, readAll, recorded, request, toServer } from './files.ts';

const FOLDER = mkdtempSync(join(tmpdir(), 'crosspoint-recording-'));
afterAll(() => rmSync(FOLDER, { recursive: true, force: true }));

describe('a file on a disk', () => {
  it('has every line when the writer is closed', async () => {
    const path = join(FOLDER, 'whole.jsonl');
    const file = createWriteStream(path);
    const session = recordSession(file);
    for (let id = 0; id < 5000; id += 1) session.write(toServer(request({ text: 'x'.repeat(100) }, id)));
    expect(await session.close()).toEqual({ lines: 5000, dropped: 0, isComplete: true });
    file.end();
    const { session: read, lines } = await readAll(createReadStream(path));
    expect(messagesOf(lines)).toHaveLength(5000);
    expect(read.end?.isComplete).toBe(true);
  });

  it('can be read after its writer was killed', { timeout: 60_000 }, async () => {
    const program = fileURLToPath(new URL('./programs/endless-writer.mjs', import.meta.url));
    for (let round = 0; round < 3; round += 1) {
      const path = join(FOLDER, `killed-${round}.jsonl`);
      const child = spawn(process.execPath, [program, path], { stdio: ['ignore', 'pipe', 'inherit'] });
      const ended = once(child, 'exit');
      await once(child.stdout, 'data');
      await until(() => readFileSync(path).length > 500_000, 'the file grows');
      child.kill('SIGKILL');
      await ended;
      const { session, lines } = await readAll(createReadStream(path));
      expect(session.end?.isComplete).toBe(false);
      expect(lines.length).toBeGreaterThan(10);
      // The beginning of what was said, without a gap.
      expect(messagesOf(lines).map((message) => (message as { id: number }).id)).toEqual(lines.map((_, at) => at));
    }
  });

  it('that cannot be written ends the recording and nothing else', async () => {
    const errors: Error[] = [];
    const session = recordSession(createWriteStream(join(FOLDER, 'missing', 'a.jsonl')), {
      onerror: (error) => errors.push(error),
    });
    session.write({ kind: 'note', text: 'a' });
    await until(() => errors.length > 0, 'the failure is told');
    session.write({ kind: 'note', text: 'b' });
    expect(session.dropped).toBe(1);
    expect(await session.close()).toMatchObject({ isComplete: false });
    expect(errors).toHaveLength(1);
    expect(errors[0]?.message).toContain('ENOENT');
  });
});

/** A stream of Node that takes nothing until it is told to. */
class Stuck extends Writable {
  text = '';
  #waiting: (() => void) | undefined;
  #isOpen = false;

  constructor() {
    super({ decodeStrings: false });
  }

  override _write(chunk: string, _encoding: string, done: () => void): void {
    this.text += chunk;
    if (this.#isOpen) done();
    else this.#waiting = done;
  }

  release(): void {
    this.#isOpen = true;
    this.#waiting?.();
  }
}

describe('a sink that is too slow', () => {
  it('loses lines beyond the limit, and the file says where and how many', async () => {
    const sink = new Stuck();
    const session = recordSession(sink, { maxQueued: 10_000 });
    for (let id = 0; id < 1000; id += 1) session.write(toServer(request({ text: 'x'.repeat(900) }, id)));
    const lost = session.dropped;
    expect(lost).toBeGreaterThan(980);
    // All that is held: the header, which the stream has, and what fits the limit.
    expect(sink.writableLength).toBeLessThan(1000);
    sink.release();
    await until(() => sink.text.includes('"id":5'), 'the sink has caught up');
    session.write({ kind: 'note', text: 'later' });
    session.write({ kind: 'note', text: 'last' });
    expect(await session.close()).toMatchObject({ dropped: lost, isComplete: true });
    const { session: read, lines } = await readAll(sink.text);
    const kept = 1000 - lost;
    expect(lines[kept]).toMatchObject({ kind: 'dropped', lines: lost });
    expect(lines[kept + 1]).toMatchObject({ kind: 'note', text: 'later' });
    expect(read.end).toEqual({ isComplete: true, torn: undefined, dropped: lost });
    expect(lines.at(-1)).toMatchObject({ kind: 'end', lines: kept + 3, dropped: lost });
  });

  it('does not keep the program from closing', { timeout: 20_000 }, async () => {
    const session = recordSession(() => new Promise(() => {}));
    session.write({ kind: 'note', text: 'a' });
    const before = Date.now();
    expect(await session.close()).toMatchObject({ isComplete: false });
    expect(Date.now() - before).toBeLessThan(10_000);
    session.write({ kind: 'note', text: 'too late' });
    expect(session.dropped).toBe(1);
  });

  it('is given one piece at a time', async () => {
    let open = 0;
    let most = 0;
    const session = recordSession(async () => {
      most = Math.max(most, (open += 1));
      await new Promise((resolve) => setImmediate(resolve));
      open -= 1;
    });
    for (let id = 0; id < 100; id += 1) session.write({ kind: 'note', text: 'x'.repeat(100_000) });
    expect((await session.close()).isComplete).toBe(true);
    expect(most).toBe(1);
  });
});

describe('a line that cannot be written', () => {
  it('is lost, counted and told', async () => {
    const errors: Error[] = [];
    const cycle: Record<string, unknown> = {};
    cycle['self'] = cycle;
    const evil = {
      get method(): string {
        throw new Error('read');
      },
    };
    const bad = [
      { kind: 'end', lines: 0, dropped: 0 },
      { kind: 'message', hop: 'a', to: 'nobody', message: {} },
      { kind: 'session' },
      null,
      toServer(evil),
    ];
    const file = await recorded([...bad, toServer(cycle), { kind: 'note', text: 'good' }] as never, {
      onerror: (error) => errors.push(error),
      maxLine: 10_000,
    });
    const { lines } = await readAll(file);
    expect(lines.map(({ kind }) => kind)).toEqual(['dropped', 'message', 'note', 'end']);
    expect(lines[0]).toMatchObject({ lines: bad.length });
    expect(errors).toHaveLength(bad.length);
    expect(errors[0]?.message).toBe('A line cannot be recorded: lines of kind "end" are the writer\'s own.');
  });

  it('is written without its content where it is too long', async () => {
    const long = 'x'.repeat(20_000);
    const file = await recorded(
      [
        { kind: 'message', hop: 'server', to: 'server', session: 'a', message: request({ text: long }, 7) },
        toServer(request({ text: '\u0001'.repeat(3000) }, 8)),
        toServer({ jsonrpc: '2.0', id: long, method: long }),
        toServer({ jsonrpc: '2.0', id: 9, result: { text: long } }),
        { kind: 'note', text: long },
        { kind: 'acme.a', text: long },
      ],
      { maxLine: 10_000 },
    );
    const { lines } = await readAll(file);
    expect(lines.map(({ cut }) => cut)).toEqual([true, true, true, true, true, true, undefined]);
    expect(lines[0]).toMatchObject({ hop: 'server', session: expect.any(String) as string });
    expect(messagesOf(lines)).toEqual([
      { jsonrpc: '2.0', id: 7, method: 'tools/call' },
      { jsonrpc: '2.0', id: 8, method: 'tools/call' },
      { jsonrpc: '2.0', id: 'x'.repeat(200), method: 'x'.repeat(200) },
      { jsonrpc: '2.0', id: 9 },
    ]);
  });

  it('is cut where it is nested too deep, so that it can be read', async () => {
    let deep: unknown = 'bottom';
    for (let level = 0; level < 50_000; level += 1) deep = level % 2 ? [deep] : { deep };
    const file = await recorded([toServer(request({ deep }))]);
    expect(file).toContain('[too deep]');
    expect((await readAll(file)).lines).toHaveLength(2);
  });
});

it('a line is copied when it is written: later changes do not reach the file', async () => {
  let file = '';
  const session = recordSession((text) => void (file += text));
  const message = { jsonrpc: '2.0' as const, id: 1, method: 'a', params: { text: 'then' } };
  session.write({ kind: 'message', hop: 'client', to: 'server', message });
  message.params.text = 'now';
  await session.close();
  expect(messagesOf((await readAll(file)).lines)).toMatchObject([{ params: { text: 'then' } }]);
});

it('a line is held to its kind by the compiler', async () => {
  const session = recordSession(() => {});
  session.write({ kind: 'acme.any', more: [1] });
  session.write({ kind: 'note', text: 'a', more: 1 });
  // @ts-expect-error a message has a hop and a direction
  session.write({ kind: 'message', message: { jsonrpc: '2.0', method: 'a' } });
  // @ts-expect-error a note has a text
  session.write({ kind: 'note' });
  // @ts-expect-error a kind without a dot belongs to the format
  session.write({ kind: 'any' });
  // @ts-expect-error the last line is the writer's own
  session.write({ kind: 'end', lines: 1, dropped: 0 });
  expect(session.dropped).toBe(3);
  await session.close();
});
