import { Writable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { LineWriter } from '../../src/transports/stdio/line-writer.ts';

function written(): { writer: LineWriter; writes: string[]; full: { isFull: boolean } } {
  const writes: string[] = [];
  const full = { isFull: false };
  const writer = new LineWriter(new Writable(), (text) => (writes.push(text), !full.isFull));
  return { writer, writes, full };
}

/** After everything that is queued for this turn of the event loop. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const line = (length: number): string => 'x'.repeat(length - 1);

describe('the writes that lines leave in', () => {
  test('short lines of one tick are one', async () => {
    const { writer, writes } = written();
    writer.send('a');
    void Promise.resolve().then(() => writer.send('b'));
    await turn();
    expect(writes).toEqual(['a\nb\n']);
  });

  test('many lines are several, so that the reader has something to do while the rest is made', async () => {
    const { writer, writes } = written();
    for (let count = 0; count < 64; count++) writer.send(line(128));
    expect(writes.map((text) => text.length)).toEqual([4096, 4096]);
    writer.send('last');
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
    writer.send('before');
    writer.send(line(100_000));
    writer.send('after');
    await turn();
    expect(writes.map((text) => text.length)).toEqual([7, 99_999, 7]);
    expect(writes[2]).toBe('\nafter\n');
  });
});
