import { expect, it } from 'vitest';
import { parseChallenges, writeChallenge } from '../../src/auth/challenge.ts';
import { proves } from '../requirements/proves.ts';

proves('L-AUTH-029, M-AD-008').describe('challenges', () => {
  it.each([
    ['Bearer', [{ scheme: 'bearer', params: {} }]],
    ['Bearer realm="a, b", scope="x y"', [{ scheme: 'bearer', params: { realm: 'a, b', scope: 'x y' } }]],
    ['bearer error=invalid_token', [{ scheme: 'bearer', params: { error: 'invalid_token' } }]],
    ['Bearer  a = "b" , c="d\\"e"', [{ scheme: 'bearer', params: { a: 'b', c: 'd"e' } }]],
    [
      'Basic realm="x", DPoP algs="ES256", Bearer resource_metadata="https://a/b"',
      [
        { scheme: 'basic', params: { realm: 'x' } },
        { scheme: 'dpop', params: { algs: 'ES256' } },
        { scheme: 'bearer', params: { resource_metadata: 'https://a/b' } },
      ],
    ],
    [
      'Negotiate YWJj==, Bearer scope="a"',
      [
        { scheme: 'negotiate', params: {} },
        { scheme: 'bearer', params: { scope: 'a' } },
      ],
    ],
    ['Bearer scope="a", scope="b"', [{ scheme: 'bearer', params: { scope: 'a' } }]],
    ['Bearer scope="unended', [{ scheme: 'bearer', params: {} }]],
    ['=', []],
    ['', []],
  ])('%s', (header, expected) => expect(parseChallenges(header)).toEqual(expected));

  it('are read back as they were written', () => {
    const params = { error: 'insufficient_scope', scope: 'a b', error_description: 'quote " and \\' };
    expect(parseChallenges(writeChallenge('Bearer', params))).toEqual([{ scheme: 'bearer', params }]);
    expect(writeChallenge('Bearer', { a: 'x\r\ny' })).toBe('Bearer a="xy"');
  });

  it('that are too long are no challenges', () =>
    expect(parseChallenges(`Bearer a="${'x'.repeat(20_000)}"`)).toEqual([]));
});
