import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { redact } from '../../src/protocol/redaction/redact.ts';
import { redactText } from '../../src/protocol/redaction/redact-text.ts';

const letters = 'abcdefghijklmnopqrstuvwxyzABCDEFGH0123456789';
/** In parts, so that no scanner of repositories takes an example for a leak. */
const token = (prefix: string, length = 36): string => prefix + letters.slice(0, length);
const pem = (label: string, body = 'MIIEvQIBADANBgkqhkiG9w0BAQEFAASC'): string =>
  `-----BEGIN ${label}-----\n${body}\n-----END ${label}-----`;

describe('text that is masked', () => {
  it.each([
    ['pass=hunter2', 'pass=[redacted]'],
    ['db_pass: hunter2', 'db_pass: [redacted]'],
    ['{"dbPass":"hunter2","port":5}', '{"dbPass":"[redacted]","port":5}'],
    ['pwd=hunter2;host=x', 'pwd=[redacted];host=x'],
    ['auth.key = abc123', 'auth.key = [redacted]'],
    ['the api key: abc123 works', 'the api key: [redacted] works'],
    ['Mcp-Session-Id: 1868a90c-b2', 'Mcp-Session-Id: [redacted]'],
    ['session_id=1868a90c&x=1', 'session_id=[redacted]&x=1'],
    ['connect.sid=s%3Aabc; Path=/', 'connect.sid=[redacted]; Path=/'],
    ['Cookie: JSESSIONID=abc; theme=dark\nnext: 1', 'Cookie: [redacted]\nnext: 1'],
    ['Set-Cookie: a=b; Path=/', 'Set-Cookie: [redacted]'],
    ['Authorization: Basic dXNlcjpwYXNz', 'Authorization: Basic [redacted]'],
    ['Authorization: Digest username="bob", response="abc"', 'Authorization: Digest [redacted]'],
    ['curl -H "Authorization: abc" https://a.b', 'curl -H "Authorization: [redacted]" https://a.b'],
    ['Authorization: abc', 'Authorization: [redacted]'],
    ['"authorization": "Bearer abc def"', '"authorization": "Bearer [redacted]"'],
    ['sent bearer abcdefgh12 to it', 'sent bearer [redacted] to it'],
    ['password="two words" next=1', 'password="[redacted]" next=1'],
    [String.raw`password="a\"b" next=1`, 'password="[redacted]" next=1'],
    [String.raw`{\"password\":\"two words\",\"n\":1}`, String.raw`{\"password\":\"[redacted]\",\"n\":1}`],
    ["headers['x-api-key'] = 'abc'", "headers['x-api-key'] = '[redacted]'"],
    ["'password' => 'x y'", "'password' => '[redacted]'"],
    ['password=abc token=def', 'password=[redacted] token=[redacted]'],
    ['password: [redacted]', 'password: [redacted]'],
    ['AccountKey=abc==;EndpointSuffix=x', 'AccountKey=[redacted];EndpointSuffix=x'],
    ['https://bob:pa@ss@host/x', 'https://[redacted]@host/x'],
    ['redis://:pw@host', 'redis://[redacted]@host'],
    [`${pem('RSA PRIVATE KEY')} and ${pem('PRIVATE KEY')}.`, '[redacted] and [redacted].'],
    [`a ${pem('PRIVATE KEY').slice(0, 50)}`, 'a [redacted]'],
    [
      '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----',
      '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----',
    ],
  ])('%s', (text, shown) => {
    expect(redactText(text)).toBe(shown);
    expect(redactText(shown), 'masked twice').toBe(shown);
  });

  it.each([
    token('AIza', 35),
    token('ya29.a0', 30),
    token('hf_', 34),
    token('ghp_'),
    token('gho_'),
    token('github_pat_'),
    token('glpat-', 20),
    token('xoxb-'),
    token('xapp-'),
    token('sk_live_', 24),
    token('rk_live_', 24),
    token('sk-ant-'),
    token('npm_'),
    token('pypi-'),
    token('GOCSPX-', 28),
    token('SG.', 22),
    token('whsec_', 32),
    token('gsk_', 40),
    ['AKIA', 'IOSFODNN7EXAMPLE'].join(''),
    ['ASIA', 'IOSFODNN7EXAMPLE'].join(''),
    `${token('eyJ', 20)}.${token('eyJ', 20)}.${letters}`,
    `${token('eyJ', 20)}.${token('eyJ', 20)}`,
  ])('the token %s, wherever it stands', (secret) => {
    for (const [before, after] of [
      ['', ''],
      ['got ', ' today'],
      ['("', '")'],
      ['-', '/x'],
      ['a=', '&b=1'],
    ] as const)
      expect(redactText(before + secret + after)).toBe(`${before}[redacted]${after}`);
  });
});

describe('text that stays as it is', () => {
  it.each([
    'passenger: 3',
    'compass: north',
    'bypass=1',
    'monkey: 3',
    'keyboard: us',
    'key: value',
    'primaryKey: id',
    'publicKey: abc',
    'author: Bob',
    'oauth: on',
    'acid: 7',
    'maxTokens: 100',
    'tokens-per-minute: 5',
    'the token bucket is full',
    'the process id: 12',
    'process_id=12',
    'Bearer authentication is used',
    'basic understanding of things',
    'https://example.com:8080/a@b',
    '{"url":"http://localhost:3000","mail":"a@b.c"}',
    'Error: ENOENT: no such file',
    'skip_this_and_that',
    'risk-free-something',
    'credentials: { "user": 1 }',
    '2026-07-28T10:00:00Z',
    '',
  ])('%s', (text) => {
    expect(redactText(text)).toBe(text);
  });
});

describe('values', () => {
  it.each([
    [
      { pass: 'x', pwd: 'y', passenger: 'z' },
      { pass: '[redacted]', pwd: '[redacted]', passenger: 'z' },
    ],
    [{ auth: { key: 'x', kind: 'basic' } }, { auth: { key: '[redacted]', kind: 'basic' } }],
    [{ session: { id: 'x', user: 'bob' } }, { session: { id: '[redacted]', user: 'bob' } }],
    [
      { 'Mcp-Session-Id': 'x', sessionId: 'y' },
      { 'Mcp-Session-Id': '[redacted]', sessionId: '[redacted]' },
    ],
    [
      { private_key: pem('PRIVATE KEY'), public_key: 'p' },
      { private_key: '[redacted]', public_key: 'p' },
    ],
    [
      { credentials: { user: 'u' }, cookies: ['a'] },
      { credentials: '[redacted]', cookies: '[redacted]' },
    ],
    [{ text: `x ${pem('PRIVATE KEY')}` }, { text: 'x [redacted]' }],
    [{ auth: 'x' }, { auth: '[redacted]' }],
    [
      { token: null, secret: undefined, monkey: 3, key: 'k' },
      { token: null, secret: undefined, monkey: 3, key: 'k' },
    ],
  ])('%j', (value, shown) => {
    expect(redact(value)).toEqual(shown);
  });
});

it('masks what was masked before to the same text, whatever the text is', () => {
  const words = ['token', 'password', 'api key', 'Authorization', 'cookie', 'sid', 'auth.key', 'x', 'a1B2c3D4'];
  const marks = ['=', ': ', ':', '"', "'", '\\"', '\\', ' ', '\n', ';', '&', '{', '[', '}', ']', '@', '://', '`', '=>'];
  const forms = ['-----BEGIN PRIVATE KEY-----', '-----END PRIVATE KEY-----', 'eyJabcdefgh.', '[redacted]'];
  const piece = fc.constantFrom(...words, ...marks, ...forms);
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const masked = redactText(pieces.join(''));
      expect(redactText(masked)).toBe(masked);
    }),
    { numRuns: 5000 },
  );
});
