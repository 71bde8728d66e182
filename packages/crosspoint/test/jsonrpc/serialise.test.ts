import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JSONRPCMessage } from '../../src/jsonrpc/message.ts';
import { isSerialisable, keepText, serialise } from '../../src/jsonrpc/serialise.ts';
import { proves } from '../requirements/proves.ts';

const BREAKS = /[\n\r\u2028\u2029]/;
const awkward = ['a\nb', 'a\rb', 'a\r\nb', 'a\u2028b', 'a\u2029b', '\u2028', '"\\\u2028\\"'];

describe('serialise', () => {
  proves('L-STDIO-004, M-STDIO-001').it.each(awkward)('writes %j as one line that means the same', (value) => {
    const message: JSONRPCMessage = { jsonrpc: '2.0', id: value, method: value, params: { [value]: value } };
    const line = serialise(message);
    expect(line).not.toMatch(BREAKS);
    expect(JSON.parse(line)).toEqual(message);
  });

  it.each(awkward)('writes %j as one line also from kept text', (value) => {
    const result = keepText({ text: value });
    const line = serialise({ jsonrpc: '2.0', id: value, result });
    expect(line).not.toMatch(BREAKS);
    expect(JSON.parse(line)).toEqual({ jsonrpc: '2.0', id: value, result: { text: value } });
  });

  it('survives a reader that ends lines at every separator of Unicode it can meet in JSON', () => {
    const messages: JSONRPCMessage[] = awkward.map((value, id) => ({
      jsonrpc: '2.0',
      id,
      method: 'm',
      params: { value },
    }));
    const input = messages.map((message) => serialise(message)).join('\n');
    expect(input.split(/[\n\r\u2028\u2029]/).map((line) => JSON.parse(line) as unknown)).toEqual(messages);
  });

  it('keeps the meaning of every message, on one line', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme' }),
        fc.dictionary(fc.string({ unit: 'grapheme' }), fc.jsonValue()),
        (id, result) => {
          const plain = serialise({ jsonrpc: '2.0', id, result });
          expect(JSON.parse(plain)).toEqual(JSON.parse(JSON.stringify({ jsonrpc: '2.0', id, result })));
          expect(plain).not.toMatch(BREAKS);
          expect(serialise({ jsonrpc: '2.0', id, result: keepText(result) })).toBe(plain);
        },
      ),
    );
  });

  it('writes a batch as one array', () => {
    expect(
      serialise([
        { jsonrpc: '2.0', method: 'a' },
        { jsonrpc: '2.0', id: 1, result: {} },
      ]),
    ).toBe('[{"jsonrpc":"2.0","method":"a"},{"jsonrpc":"2.0","id":1,"result":{}}]');
  });

  it('throws for what JSON cannot hold, and isSerialisable says so beforehand', () => {
    const cycle: Record<string, unknown> = {};
    cycle['self'] = cycle;
    for (const result of [cycle, { big: 1n }]) {
      expect(() => serialise({ jsonrpc: '2.0', id: 1, result })).toThrow(TypeError);
      expect(isSerialisable({ jsonrpc: '2.0', id: 1, result })).toBe(false);
    }
    expect(isSerialisable({ jsonrpc: '2.0', id: 1, result: {} })).toBe(true);
  });
});
