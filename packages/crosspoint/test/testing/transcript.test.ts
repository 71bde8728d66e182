import { describe, expect, it } from 'vitest';
import { revisions } from '../../src/revisions/index.ts';
import { McpServer, text } from '../../src/server/index.ts';
import { connectLinked, matchTranscript, some } from '../../src/testing/index.ts';
import { matchValue } from '../../src/testing/match-value.ts';
import type { TranscriptExpectation } from '../../src/testing/transcript.ts';

const LINES = [
  '→ {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add","arguments":{"a":1,"b":[1,2]}}}',
  '← {"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":1}}',
  '← {"jsonrpc":"2.0","id":1,"result":{"content":[]}}',
  '→ {"jsonrpc":"2.0","id":2,"method":"ping"}',
  '← {"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"no"}}',
];

const fault = (...expected: TranscriptExpectation[]): string => {
  const matched = matchTranscript(LINES, expected);
  return matched.ok ? 'it matches' : matched.message;
};

describe('a transcript', () => {
  it('matches what says at least so much of each message', () => {
    expect(
      matchTranscript(LINES, [
        {
          sent: {
            method: 'tools/call',
            params: { name: 'add', arguments: { b: [1, some.number] } },
            id: some.same('call'),
          },
        },
        '← notifications/progress',
        { received: { id: some.same('call'), result: { content: some.array } } },
        '→ ping',
        { received: { error: { code: -32_601, message: some.matching(/^n/) } } },
      ]),
    ).toEqual({ ok: true });
  });

  it('matches across gaps', () => {
    expect(fault('…')).toBe('it matches');
    expect(fault('…', '← error')).toBe('it matches');
    expect(fault('→ tools/call', '…', '← result', '…')).toBe('it matches');
    expect(fault('…', '→ tools/call', '…', '→ ping', '…', '← error', '…')).toBe('it matches');
    expect(fault('…', '→ ping')).toContain('there is more than was expected');
  });

  it('says which expectation is not met, where and why, and shows all', () => {
    expect(
      fault('→ tools/call', '← notifications/progress', { received: { result: { content: [1] } } }, '…').split('\n'),
    ).toEqual([
      'The transcript does not match: expectation 3 is not met.',
      '  expected ← {"result":{"content":[1]}}',
      '  because result.content: expected [1], got []',
      '',
      `  ${LINES[0]}`,
      `  ${LINES[1]}`,
      `✗ ${LINES[2]}`,
      `  ${LINES[3]}`,
      `  ${LINES[4]}`,
    ]);
  });

  it('says what went the other way, what is missing and what is too much', () => {
    expect(fault('← tools/call', '…')).toContain('because it went the other way');
    expect(fault('…', '← error', '→ ping')).toContain('✗ (the end)');
    expect(fault('→ tools/call')).toContain('because nothing more was expected');
    expect(
      fault({ sent: { id: some.same('x') } }, '…', { received: { id: some.same('x'), error: some.value } }),
    ).toContain('expected');
  });

  it('refuses an expectation that is none', () => {
    expect(() => fault('tools/call')).toThrow('"tools/call" is no expectation');
  });

  it.each(revisions.map(({ id }) => id))('is what a recorder of a linked client wrote, in %s', async (revision) => {
    const server = new McpServer({ name: 's', version: '1' });
    server.registerTool('hi', {}, () => text('hi'));
    const { client, recorder, close } = await connectLinked(server, { revision });
    await client.callTool({ name: 'hi' });
    const expected = [
      '…',
      { sent: { method: 'tools/call', id: some.same('id') } },
      { received: { id: some.same('id'), result: some.object } },
    ];
    expect(matchTranscript(recorder, expected)).toEqual({ ok: true });
    expect(matchTranscript(recorder.text, expected)).toEqual({ ok: true });
    await close();
  });
});

describe('matching a value', () => {
  it.each([
    [{ a: 1 }, { a: 1, b: 2 }, true],
    [{ a: undefined }, { b: 2 }, true],
    [{ a: undefined }, { a: 1 }, false],
    [[1, 2], [1, 2, 3], false],
    [{ a: some.string }, { a: 'x' }, true],
    [{ a: some.string }, { a: 1 }, false],
    [{ a: some.boolean }, { a: false }, true],
    [some.value, undefined, false],
    [{ a: expect.any(Number) as unknown }, { a: 1 }, true],
    [{ a: expect.any(Number) as unknown }, { a: 'x' }, false],
    [[some.same('x'), some.same('x')], [{ q: 1 }, { q: 1 }], true],
    [[some.same('x'), some.same('x')], [{ q: 1 }, { q: 2 }], false],
    [null, null, true],
    [{}, [], false],
    [{ a: {} }, { a: null }, false],
  ])('%j against %j: %s', (pattern, value, ok) => {
    expect(matchValue(pattern, value).ok).toBe(ok);
  });
});
