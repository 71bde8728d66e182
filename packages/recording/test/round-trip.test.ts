import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JSONRPCMessage } from 'crosspoint/client';
import { isSecretScalarName } from 'crosspoint/internal';
import { HEADER, messagesOf, readAll, recorded, request, toServer } from './files.ts';

const pieces = (file: string, size: number): Uint8Array[] => {
  const bytes = new TextEncoder().encode(file);
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) => bytes.subarray(at * size, (at + 1) * size));
};

describe('a session file', () => {
  it('has a header, the lines in their order with their times, and an end', async () => {
    const hops = { client: { transport: 'http' }, server: { transport: 'stdio' } };
    const by = { name: 'test', version: '1.0.0' };
    const message: JSONRPCMessage = {
      jsonrpc: '2.0',
      method: 'notifications/message',
      params: { data: 'a\u2028b\nc' },
    };
    const file = await recorded(
      [
        { kind: 'connected', hop: 'client', connection: 1 },
        { kind: 'message', hop: 'client', to: 'server', connection: 1, message: request({ name: 'a' }) },
        { kind: 'message', hop: 'server', to: 'client', session: 'the-session-id', message },
        { kind: 'stderr', hop: 'server', text: 'warning' },
        { kind: 'note', text: 'half-time' },
        { kind: 'host.call', tool: 'a', began: 3, at: 7.5 },
        { kind: 'closed', hop: 'client', connection: 1, reason: 'gone' },
      ],
      { hops, by },
    );
    expect(file.endsWith('\n')).toBe(true);
    expect(file.trimEnd().split(/[\n\u2028]/)).toHaveLength(9);
    const { session, lines } = await readAll(file);
    expect(session.header).toMatchObject({ version: '1.0', hops, by });
    expect(Math.abs(Date.now() - Date.parse(session.header.started))).toBeLessThan(60_000);
    expect(lines.map(({ kind }) => kind)).toEqual(
      'connected message message stderr note host.call closed end'.split(' '),
    );
    expect(messagesOf(lines)).toEqual([request({ name: 'a' }), message]);
    expect(lines[1]).toMatchObject({ hop: 'client', to: 'server', connection: 1 });
    expect(lines[5]).toEqual({ kind: 'host.call', at: 7.5, tool: 'a', began: 3 });
    expect(lines.at(-1)).toMatchObject({ lines: 7, dropped: 0 });
    const times = lines.filter(({ kind }) => kind !== 'host.call').map(({ at }) => at);
    expect(times).toEqual([...times].sort((a, b) => a - b));
    expect(session.end).toEqual({ isComplete: true, torn: undefined, dropped: 0 });
  });

  it('is read alike in pieces of every size', async () => {
    const file = await recorded([toServer(request({ text: 'büro €' })), { kind: 'note', text: '𝄞' }]);
    const { lines } = await readAll(file);
    for (const size of [1, 2, 3, 7, 1000]) expect((await readAll(pieces(file, size))).lines).toEqual(lines);
    expect((await readAll(new TextEncoder().encode(file.replaceAll('\n', '\r\n\n')))).lines).toEqual(lines);
  });

  it('is read from a stream of the web', async () => {
    const file = await recorded([{ kind: 'note', text: 'a' }]);
    const { lines } = await readAll(new Blob([file]).stream() as unknown as AsyncIterable<Uint8Array>);
    expect(lines).toHaveLength(2);
  });

  it('keeps random messages as they are, but for secrets', async () => {
    // Names and texts of these characters alone hold no secret that is known by its form.
    const word = fc.string({ unit: fc.constantFrom(...Array.from('abz019 ._"\\\n\u2028ü€\ud800')), maxLength: 12 });
    const name = fc.oneof(word, fc.constantFrom('__proto__', 'toJSON', 'properties', 'type', 'value', 'progressToken'));
    const { value } = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 5 },
        word,
        fc.integer(),
        fc.double({ noNaN: true, noDefaultInfinity: true }).filter((given) => !Object.is(given, -0)),
        fc.boolean(),
        fc.constant(null),
        fc.array(tie('value'), { maxLength: 4 }),
        fc.dictionary(
          name.filter((given) => !isSecretScalarName(given)),
          tie('value'),
          { maxKeys: 5 },
        ),
      ),
    }));
    await fc.assert(
      fc.asyncProperty(fc.array(value, { maxLength: 10 }), async (values) => {
        const messages = values.map((params, id) => ({ jsonrpc: '2.0', id, method: 'acme/any', params }));
        const { lines } = await readAll(await recorded(messages.map(toServer)));
        expect(messagesOf(lines)).toEqual(messages);
      }),
    );
  });

  it('keeps kinds and members that are not known', async () => {
    const later = [
      HEADER.replace('"1.0"', '"1.7"'),
      '{"kind":"http","at":1,"status":200,"nested":{"a":[1]}}',
      '{"kind":"message","at":2,"hop":"x","to":"client","message":{"jsonrpc":"2.0"},"more":true}',
    ].join('\n');
    const { session, lines } = await readAll(`${later}\n`);
    expect(session.header.version).toBe('1.7');
    expect(lines).toEqual([
      { kind: 'http', at: 1, status: 200, nested: { a: [1] } },
      { kind: 'message', at: 2, hop: 'x', to: 'client', message: { jsonrpc: '2.0' }, more: true },
    ]);
    expect(session.end).toMatchObject({ isComplete: false, torn: undefined });
  });
});
