import { UriTemplate as OfficialTemplate } from '@modelcontextprotocol/sdk/shared/uriTemplate.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UriTemplate as NewTemplate } from 'crosspoint/server';
import { UriTemplate } from '../../src/shared/uriTemplate.ts';

const operator = fc.constantFrom('', '+', '#', '.', '/', '?', '&');
const names = fc.array(fc.constantFrom('a', 'b', '$c', 'long_name'), { minLength: 1, maxLength: 3 });
const expression = fc
  .tuple(operator, names, fc.constantFrom('', '*'))
  .map(([sign, list, star]) => `{${sign}${list.join(',')}${star}}`);
const literal = fc.constantFrom('/', 'x', 'n://', '?q', ',', '&', 'a=');
const template = fc.array(fc.oneof(expression, literal), { minLength: 1, maxLength: 6 }).map((parts) => parts.join(''));
const text = fc.array(fc.constantFrom('/', 'x', 'y', ',', '&', '?a=', '&b=', '=', '.', '#', '%20', 'n://'), {
  maxLength: 9,
});
const value = fc.oneof(
  fc.constantFrom('v', 'a b', 'ü/?', '1,2'),
  fc.array(fc.constantFrom('i', 'j k'), { maxLength: 3 }),
);

describe('shared/uriTemplate.js', () => {
  it('fills in what the official one fills in, and names the same variables', () => {
    const variables = fc.dictionary(fc.constantFrom('a', 'b', '$c', 'long_name'), value);
    fc.assert(
      fc.property(template, variables, (written, given) => {
        const [ours, theirs] = [new UriTemplate(written), new OfficialTemplate(written)];
        expect(ours.expand(given)).toBe(theirs.expand(given));
        expect(ours.variableNames).toEqual(theirs.variableNames);
        expect(ours.toString()).toBe(written);
      }),
      { numRuns: 500 },
    );
  });

  it('finds the same variables in a URI', () => {
    fc.assert(
      fc.property(template, text, (written, pieces) => {
        const uri = pieces.join('');
        expect(new UriTemplate(written).match(uri)).toEqual(new OfficialTemplate(written).match(uri));
      }),
      { numRuns: 3000 },
    );
    fc.assert(
      fc.property(template, fc.dictionary(fc.constantFrom('a', 'b', '$c', 'long_name'), value), (written, given) => {
        const uri = new OfficialTemplate(written).expand(given);
        expect(new UriTemplate(written).match(uri)).toEqual(new OfficialTemplate(written).match(uri));
      }),
      { numRuns: 1000 },
    );
  });

  it.each(['{unclosed', '{a}{', '{a'.repeat(3)])('refuses %s', (written) => {
    expect(() => new UriTemplate(written)).toThrow('Unclosed template expression');
  });

  it('reads what the official one reads', () => {
    for (const written of ['{}', '{,}', '}', 'a}b', '{a}'.repeat(10_000)])
      expect(new UriTemplate(written).variableNames).toEqual(new OfficialTemplate(written).variableNames);
    expect(() => new UriTemplate('{a}'.repeat(10_001))).toThrow('too many expressions');
    expect(() => new UriTemplate('a'.repeat(1_000_001))).toThrow('exceeds maximum length');
    expect(() => new UriTemplate('{a}').match('a'.repeat(1_000_001))).toThrow('exceeds maximum length');
  });

  it('takes time in proportion to a URI that fits nothing', () => {
    const spanning = new UriTemplate(`${'{+a}x'.repeat(8)}!`);
    const begin = performance.now();
    expect(spanning.match('x'.repeat(100_000))).toBeNull();
    expect(performance.now() - begin).toBeLessThan(5000);
  });

  it('is a template of the library as well', () => {
    expect(new UriTemplate('a://{b}')).toBeInstanceOf(NewTemplate);
    expect(UriTemplate.isTemplate('a://{b}')).toBe(true);
  });
});
