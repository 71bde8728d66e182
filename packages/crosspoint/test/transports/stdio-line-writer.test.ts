import { PassThrough, Writable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { LineWriter } from '../../src/transports/stdio/line-writer.ts';
import { StdioServerTransport } from '../../src/transports/stdio/server.ts';
import { proves } from '../requirements/proves.ts';

function written(perTurn = false): { writer: LineWriter; writes: string[]; full: { isFull: boolean } } {
  const writes: string[] = [];
  const full = { isFull: false };
  const writer = new LineWriter(new Writable(), {
    write: (text) => (writes.push(text), !full.isFull),
    perTurn: () => perTurn,
  });
  return { writer, writes, full };
}

/** After everything that is queued for this turn of the event loop. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const line = (length: number): string => 'x'.repeat(length - 1);

describe('the writes that lines leave in', () => {
  test('short lines of one tick are one', async () => {
    const { writer, writes } = written();
    void writer.send('a');
    void Promise.resolve().then(() => writer.send('b'));
    await turn();
    expect(writes).toEqual(['a\nb\n']);
  });

  test('short lines of several ticks are several, or one where those of a turn are joined', async () => {
    const joined = written(true);
    const { writer, writes } = written();
    for (const text of ['a', 'b'])
      setImmediate(() => {
        void writer.send(text);
        void joined.writer.send(text);
      });
    await turn();
    await turn();
    expect(writes).toEqual(['a\n', 'b\n']);
    expect(joined.writes).toEqual(['a\nb\n']);
  });

  test('a line that no others are expected with leaves at the end of its tick, wherever lines are joined', async () => {
    let isBusy = false;
    const writes: string[] = [];
    const writer = new LineWriter(new Writable(), { write: (text) => writes.push(text) > 0, perTurn: () => isBusy });
    void writer.send('alone');
    await new Promise<void>((resolve) => process.nextTick(resolve));
    expect(writes).toEqual(['alone\n']);
    isBusy = true;
    void writer.send('one of many');
    await new Promise<void>((resolve) => process.nextTick(resolve));
    expect(writes).toEqual(['alone\n']);
    await turn();
    expect(writes).toEqual(['alone\n', 'one of many\n']);
  });

  test('many lines are several, so that the reader has something to do while the rest is made', async () => {
    const { writer, writes } = written();
    for (let count = 0; count < 64; count++) void writer.send(line(128));
    expect(writes.map((text) => text.length)).toEqual([4096, 4096]);
    void writer.send('last');
    await turn();
    expect(writes.map((text) => text.length)).toEqual([4096, 4096, 5]);
  });

  test('where the stream is full there is no hurry, and fewer of them', async () => {
    const { writer, writes, full } = written();
    full.isFull = true;
    for (let count = 0; count < 1024; count++) void writer.send(line(128));
    await turn();
    expect(writes.map((text) => text.length)).toEqual([4096, 65_536, 61_440]);
  });

  test('a long line is not joined to anything', async () => {
    const { writer, writes } = written();
    void writer.send('before');
    void writer.send(line(100_000));
    void writer.send('after');
    await turn();
    expect(writes.map((text) => text.length)).toEqual([7, 99_999, 7]);
    expect(writes[2]).toBe('\nafter\n');
  });

  test('held lines leave when they are released', async () => {
    const { writer, writes } = written();
    writer.hold();
    void writer.send('a');
    void writer.send('b');
    await turn();
    expect(writes).toEqual([]);
    writer.release(true);
    expect(writes).toEqual(['a\nb\n']);
    await turn();
    expect(writes).toHaveLength(1);
  });

  test('or with others of that tick', async () => {
    const { writer, writes } = written();
    writer.hold();
    void writer.send('a');
    writer.release(false);
    void Promise.resolve().then(() => writer.send('b'));
    await turn();
    expect(writes).toEqual(['a\nb\n']);
  });

  proves('L-STDIO-004').test('no line holds a character that some readers take for its end', async () => {
    const { writer, writes } = written();
    void writer.send('"a\u2028"');
    void writer.send('"b\u2029"');
    await turn();
    expect(writes).toEqual(['"a\\u2028"\n"b\\u2029"\n']);
  });
});

describe('the answers of a server', () => {
  const request = (id: number): string => `{"jsonrpc":"2.0","id":${id},"method":"m"}\n`;

  async function serving(isSlow: (id: unknown) => boolean) {
    const writes: string[] = [];
    const input = new PassThrough();
    const output = new Writable({
      decodeStrings: false,
      write: (chunk, _encoding, done) => (writes.push(chunk as string), done()),
    });
    const transport = new StdioServerTransport(input, output);
    transport.onmessage = (message) => {
      const id = (message as { id: number }).id;
      const answer = (): void => void transport.send({ jsonrpc: '2.0', id, result: {} });
      if (isSlow(id)) void Promise.resolve().then(answer);
      else answer();
    };
    await transport.start();
    const ids = (): unknown[][] =>
      writes.map((text) =>
        text
          .trimEnd()
          .split('\n')
          .map((line) => (JSON.parse(line) as { id: unknown }).id),
      );
    return { input, ids, transport };
  }

  test('to one chunk leave in one write as soon as it has been read', async () => {
    const { input, ids, transport } = await serving(() => false);
    // The first listener is the transport's own.
    let seen: unknown[][] = [];
    input.on('data', () => (seen = ids()));
    input.write(request(1) + request(2));
    await turn();
    expect(seen).toEqual([[1, 2]]);
    expect(ids()).toEqual([[1, 2]]);
    await transport.close();
  });

  test('wait for those that come in the same tick', async () => {
    const { input, ids, transport } = await serving((id) => id === 1);
    input.write(request(1) + request(2));
    await turn();
    expect(ids()).toEqual([[2, 1]]);
    input.write(request(3));
    await turn();
    expect(ids()).toEqual([[2, 1], [3]]);
    await transport.close();
  });
});
