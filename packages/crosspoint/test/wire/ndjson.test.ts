import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LineSplitter } from '../../src/wire/ndjson.ts';
import type { BadLine } from '../../src/wire/ndjson.ts';
import { proves } from '../requirements/proves.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

function split(chunks: readonly Uint8Array[], limit?: number): { lines: string[]; bad: BadLine[] } {
  const lines: string[] = [];
  const bad: BadLine[] = [];
  const splitter = new LineSplitter({ line: (text) => lines.push(text), badLine: (line) => bad.push(line) }, limit);
  for (const chunk of chunks) splitter.push(chunk);
  splitter.end();
  return { lines, bad };
}

function cut(input: Uint8Array, positions: readonly number[]): Uint8Array[] {
  const ends = [...new Set(positions.map((position) => position % (input.length + 1)))].sort((a, b) => a - b);
  let from = 0;
  return [...ends, input.length].map((end) => {
    const part = input.subarray(from, end);
    from = end;
    return part;
  });
}

const SAMPLE = '{"a":"é😀漢"}\r\n\n{"b":2}\n   \n\ufeff{"c":"\u2028"}\nlast';

describe('lines', () => {
  proves('L-STDIO-003, L-MESSAGES-021').test(
    'input split at every position gives the same lines, multi-byte characters included',
    () => {
      const input = bytes(SAMPLE);
      const expected = { lines: ['{"a":"é😀漢"}', '{"b":2}', '{"c":"\u2028"}', 'last'], bad: [] };
      expect(split([input])).toEqual(expected);
      for (let at = 0; at <= input.length; at++)
        expect(split([input.subarray(0, at), input.subarray(at)])).toEqual(expected);
      expect(split(Array.from(input, (byte) => Uint8Array.of(byte)))).toEqual(expected);
    },
  );

  test('any bytes, any chunking, any limit: the same lines and the same bad lines', () => {
    const piece = fc.oneof(
      fc.json().map(bytes),
      fc.string({ unit: 'binary' }).map(bytes),
      fc.uint8Array({ maxLength: 30 }),
      fc.constantFrom(bytes('\n'), bytes('\r\n'), bytes('\n\n'), bytes('{"id":5,"result":{')),
    );
    const input = fc
      .array(piece, { maxLength: 30 })
      .map((parts) => Uint8Array.from(parts.flatMap((part) => [...part])));
    fc.assert(
      fc.property(input, fc.array(fc.nat(500)), fc.integer({ min: 1, max: 60 }), (whole, positions, limit) => {
        expect(split(cut(whole, positions), limit)).toEqual(split([whole], limit));
        expect(split(cut(whole, positions))).toEqual(split([whole]));
      }),
      { numRuns: 500 },
    );
  });

  test('messages come back as they were written, whatever their text', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue()), fc.array(fc.nat(2000)), (values, positions) => {
        const input = bytes(values.map((value) => `${JSON.stringify({ value })}\n`).join(''));
        const { lines, bad } = split(cut(input, positions));
        expect(bad).toEqual([]);
        expect(lines).toEqual(values.map((value) => JSON.stringify({ value })));
      }),
    );
  });

  test('a line that is not UTF-8 is reported and its neighbours live', () => {
    const input = Uint8Array.from([...bytes('{"a":1}\nab'), 0xff, 0xfe, ...bytes('c\n{"b":2}\n')]);
    const { lines, bad } = split([input]);
    expect(lines).toEqual(['{"a":1}', '{"b":2}']);
    expect(bad).toEqual([{ kind: 'unparsable', reason: 'The line is not valid UTF-8.', start: 'ab\ufffd\ufffdc' }]);
  });

  test('a chunk may be overwritten after push', () => {
    const lines: string[] = [];
    const splitter = new LineSplitter({ line: (text) => lines.push(text), badLine: () => {} });
    const chunk = bytes('abc');
    splitter.push(chunk);
    chunk.fill(0x78);
    splitter.push(bytes('d\n'));
    expect(lines).toEqual(['abcd']);
  });
});

describe('a line over the limit', () => {
  const filler = 'x'.repeat(20_000);
  const cases: [name: string, line: string, id: string | number | undefined, isResponse: boolean][] = [
    ['id first', `{"jsonrpc":"2.0","id":7,"result":{"t":"${filler}"}}`, 7, true],
    ['id last', `{"jsonrpc":"2.0","result":{"t":"${filler}"},"id":7}`, 7, true],
    ['id before the version', `{"result":{"t":"${filler}"},"id":"a\\"b","jsonrpc":"2.0"}`, 'a"b', true],
    ['an error', `{"jsonrpc":"2.0","id":"x","error":{"code":1,"message":"${filler}"}}`, 'x', true],
    ['a request', `{"jsonrpc":"2.0","id":3,"method":"m","params":{"t":"${filler}"}}`, 3, false],
    [
      'a request with everything last',
      `{"params":{"t":"${filler}"},"method":"m","id":3,"jsonrpc":"2.0" } \r`,
      3,
      false,
    ],
    ['a notification', `{"jsonrpc":"2.0","method":"m","params":{"id":9,"t":"${filler}"}}`, undefined, false],
    ['a nested id is data', `{"jsonrpc":"2.0","result":{"id":9,"t":"${filler}","x":{"id":4}}}`, undefined, true],
    [
      'a nested id after skipped values',
      `{"params":{"id":9,"s":"}\\"]"},"id":12,"method":"m","x":"${filler}"}`,
      12,
      false,
    ],
    ['a negative id', `{"id":-4,"result":{"t":"${filler}"}}`, -4, true],
    ['a fraction is no id', `{"id":1.5,"result":{"t":"${filler}"}}`, undefined, true],
    ['a null id', `{"id":null,"error":{"t":"${filler}"}}`, undefined, true],
    ['an escaped key', `{"\\u0069d":5,"result":{"t":"${filler}"}}`, 5, true],
    ['an array', `[{"id":5,"result":{"t":"${filler}"}}]`, undefined, false],
    ['no JSON', filler, undefined, false],
    ['text that looks like the end of a message', `{"result":"${filler}","x":"\\",\\"id\\":8}`, undefined, true],
  ];

  test.each(cases)('%s', (_name, line, id, isResponse) => {
    const input = bytes(`{"before":1}\n${line}\n{"after":1}\n`);
    const expected = {
      lines: ['{"before":1}', '{"after":1}'],
      bad: [{ kind: 'too-large', limit: 10_000, id, isResponse }],
    };
    expect(split([input], 10_000)).toEqual(expected);
    for (const size of [1, 7, 4096, 5000]) {
      expect(
        split(
          cut(
            input,
            Array.from({ length: input.length / size }, (_, index) => index * size),
          ),
          10_000,
        ),
      ).toEqual(expected);
    }
  });

  test('the limit counts bytes, and a line of exactly that many passes', () => {
    expect(split([bytes('éé\n')], 4).lines).toEqual(['éé']);
    expect(split([bytes('ééx\n')], 4).bad).toHaveLength(1);
  });

  test('is dropped in constant memory, in any chunking', () => {
    const splitter = new LineSplitter({ line: () => {}, badLine: () => {} }, 1024 * 1024);
    const chunk = new Uint8Array(64 * 1024).fill(0x61);
    for (let index = 0; index < 64; index++) splitter.push(chunk);
    globalThis.gc?.();
    const before = process.memoryUsage().arrayBuffers;
    for (let index = 0; index < 8000; index++) splitter.push(chunk);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(8 * 1024 * 1024);
  });
});
