import { describe, expect, it } from 'vitest';
import { cleanFacts, cleanText, shownUrl } from '../../src/timeline/clean-facts.ts';
import type { JsonObject } from '../../src/values/json.ts';

const none = (): string[] => [];
const clean = (facts: object, known = none): JsonObject => cleanFacts(facts as JsonObject, known);

describe('an address', () => {
  it.each([
    ['https://ada:secret@example.com/mcp', 'https://example.com/mcp'],
    ['https://secret@example.com', 'https://example.com'],
    ['https://example.com/a?key=secret&b=2', 'https://example.com/a?key=[redacted]&b=[redacted]'],
    ['https://example.com/a?secret#secret', 'https://example.com/a?[redacted]'],
    ['https://example.com/cb#access_token=secret', 'https://example.com/cb'],
    ['postgres://a:b@secret@db/x', 'postgres://db/x'],
    ['not an address', 'not an address'],
    ['://', '://'],
  ])('%s is shown as %s', (url, shown) => {
    expect(shownUrl(url)).toBe(shown);
    expect(shownUrl(shown)).toBe(shown);
  });
});

describe('facts', () => {
  it('lose the secrets that names, forms and places give away', () => {
    const facts = {
      password: 'hunter22',
      deep: [{ apiKey: 'hunter22', list: [{ key: 'X-Token', value: 'hunter22' }] }],
      env: { GITHUB_TOKEN: 'hunter22', HOME: '/home/ada' },
      text: 'see https://a:hunter22@b.example/x?sig=hunter22 or Basic aHVudGVyMjI= or Bearer hunter22',
      known: 'it is hunter22',
    };
    const text = JSON.stringify(clean(facts, () => ['hunter22']));
    expect(text).not.toContain('hunter22');
    expect(text).not.toContain('aHVudGVyMjI');
    expect(text).toContain('/home/ada');
    const unknown = JSON.stringify(clean({ ...facts, known: '' }));
    expect(unknown).not.toContain('hunter22');
  });

  it('keep counts and words that only look like secrets', () => {
    expect(clean({ inputTokens: 12, maxTokens: 100, status: 200, query: 'a token of love' })).toEqual({
      inputTokens: 12,
      maxTokens: 100,
      status: 200,
      query: 'a token of love',
    });
  });

  it('are bounded, whatever their size and shape', () => {
    const cyclic: Record<string, unknown> = { name: 'x' };
    cyclic['self'] = cyclic;
    const throwing = Object.defineProperty({}, 'x', { enumerable: true, get: () => Promise.reject(new Error('no')) });
    const deep = JSON.parse('[{"a":'.repeat(5000) + '1' + '}]'.repeat(5000)) as object;
    for (const facts of [
      cyclic,
      { deep },
      { many: Array.from({ length: 100_000 }, (_, at) => ({ at })) },
      { text: 'x'.repeat(5_000_000) },
      Object.fromEntries(Array.from({ length: 50_000 }, (_, at) => [`k${at}`, at])),
      { a: 1n, b: Symbol('x'), c: () => 1, d: Number.NaN, e: new Error('E'), f: undefined },
      { thrown: Object.defineProperty({}, 'x', { enumerable: true, get: () => JSON.parse('{') as never }) },
    ])
      expect(JSON.stringify(clean(facts)).length).toBeLessThanOrEqual(4200);
    expect(clean({ throwing: typeof throwing })).toEqual({ throwing: 'object' });
  });

  it('show characters that are not seen', () => {
    expect(cleanText('\u001B[2Jgone \u202Ehidden', none)).toBe('\\u{1b}[2Jgone \\u{202e}hidden');
  });

  it('are not kept where the list of secrets cannot be had', () => {
    const failing = (): string[] => {
      throw new Error('locked');
    };
    expect(clean({ text: 'hunter22' }, failing)).toEqual({ unwritten: true });
  });

  it('do not end in half a secret', () => {
    const secret = 'hunter22-and-more';
    for (let at = 2000; at < 2060; at += 1)
      expect(cleanText('x'.repeat(at) + secret, () => [secret])).not.toContain('hunter2');
  });
});
