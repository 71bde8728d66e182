import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { eventFeed } from '../../src/transports/http/client/body.ts';

interface Heard {
  readonly events: unknown[];
  readonly retries: number[];
}

function heard(chunks: readonly Uint8Array[], maxBytes = 1000): Heard {
  const events: unknown[] = [];
  const retries: number[] = [];
  const feed = eventFeed({ maxBytes, onevent: (event) => events.push(event), onretry: (ms) => retries.push(ms) });
  for (const chunk of chunks) feed(chunk);
  return { events, retries };
}

/** The text in pieces that end at these places, which may be within a line end or a character. */
function cut(text: string, places: readonly number[]): Uint8Array[] {
  const bytes = new TextEncoder().encode(text);
  const ends = [...places.map((place) => place % (bytes.length + 1)), bytes.length].sort((a, b) => a - b);
  return ends.map((end, index) => bytes.slice(ends[index - 1] ?? 0, end));
}

it('hands over the same events whatever ends the lines and wherever the chunks end', () => {
  const line = fc.constantFrom('data: a', 'data: bé', 'data:', 'event: x', 'id: 1', ': comment', 'retry: 5', '', '');
  const places = fc.array(fc.nat(200), { maxLength: 8 });
  fc.assert(
    fc.property(fc.array(line, { maxLength: 12 }), fc.constantFrom('\n', '\r\n', '\r'), places, (lines, end, at) => {
      const plain = heard(cut(lines.map((text) => `${text}\n`).join(''), []));
      expect(heard(cut(lines.map((text) => text + end).join(''), at))).toEqual(plain);
    }),
    { numRuns: 500 },
  );
});

it('takes line ends of different kinds, and an empty chunk between two halves of one', () => {
  const chunks = ['data: a\r', '', '\ndata: b\r\r', 'data: c\n\r\n'].map((text) => new TextEncoder().encode(text));
  expect(heard(chunks).events).toEqual([
    expect.objectContaining({ data: 'a\nb' }),
    expect.objectContaining({ data: 'c' }),
  ]);
});

it('refuses an event beyond the limit', () => {
  expect(() => heard([new TextEncoder().encode(`data: ${'a'.repeat(2000)}\r\r`)])).toThrow('larger than the limit');
});
