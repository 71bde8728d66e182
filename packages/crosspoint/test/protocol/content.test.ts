import { Buffer } from 'node:buffer';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contentFault, isBase64, isMimeType, resourceContentsFault, text } from '../../src/protocol/content.ts';
import { proves } from '../requirements/proves.ts';

describe('contentFault', () => {
  it.each([
    ['text', { type: 'text', text: '' }],
    ['image', { type: 'image', data: 'AAAA', mimeType: 'image/png' }],
    ['audio', { type: 'audio', data: 'AA==', mimeType: 'audio/wav; rate=8000' }],
    ['embedded text', { type: 'resource', resource: { uri: 'x:y', text: '' } }],
    ['embedded blob', { type: 'resource', resource: { uri: 'x:y', blob: 'AAA=' } }],
    ['link', { type: 'resource_link', uri: 'x:y', name: 'n' }],
    ['a type of tomorrow', { type: 'hologram' }],
  ])('finds nothing wrong with %s', (_what, block) => {
    expect(contentFault(block)).toBeUndefined();
  });

  proves('L-SCHEMA-021').it.each([
    ['text without text', { type: 'text' }],
    ['an image without data', { type: 'image', mimeType: 'image/png' }],
    ['an image without a MIME type', { type: 'image', data: 'AAAA' }],
    ['an embedded resource without resource', { type: 'resource' }],
    ['an embedded resource without uri', { type: 'resource', resource: { text: '' } }],
    ['an embedded resource without text and blob', { type: 'resource', resource: { uri: 'x:y' } }],
  ])('refuses %s', (_what, block) => {
    expect(contentFault(block)).toEqual(expect.any(String));
  });

  proves('L-SCHEMA-022').it.each([
    ['data', { type: 'audio', mimeType: 'audio/wav' }],
    ['a MIME type', { type: 'audio', data: 'AAAA' }],
  ])('refuses audio without %s', (_what, block) => {
    expect(contentFault(block)).toEqual(expect.any(String));
  });

  proves('L-SCHEMA-023').it.each([
    ['name', { type: 'resource_link', uri: 'x:y' }],
    ['uri', { type: 'resource_link', name: 'n' }],
  ])('refuses a link without %s', (_what, block) => {
    expect(contentFault(block)).toEqual(expect.any(String));
  });

  proves('L-PROMPTS-005, M-PRM-005').it.each([
    ['base64url', 'AA-_', 'image/png'],
    ['a data URL', 'data:image/png;base64,AAAA', 'image/png'],
    ['missing padding', 'AAA', 'image/png'],
    ['no MIME type', 'AAAA', 'png'],
    ['an empty MIME type', 'AAAA', ''],
  ])('refuses an image and a sound with %s', (_what, data, mimeType) => {
    expect(contentFault({ type: 'image', data, mimeType })).toEqual(expect.any(String));
    expect(contentFault({ type: 'audio', data, mimeType })).toEqual(expect.any(String));
  });

  it('never throws, whatever it is given', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        contentFault(value);
        resourceContentsFault(value);
        contentFault({ type: 'resource', resource: value });
      }),
    );
  });
});

it('isBase64 accepts what an encoder gives, and nothing with a stray character in it', () => {
  fc.assert(
    fc.property(fc.uint8Array(), (bytes) => {
      const encoded = Buffer.from(bytes).toString('base64');
      expect(isBase64(encoded)).toBe(true);
      expect(isBase64(`${encoded}\n`)).toBe(false);
    }),
  );
  for (const wrong of ['A===', '====', '=AAA', 'AA=A', 'A', 'AAAA=', 'AAAA\n', undefined, 4])
    expect(isBase64(wrong), String(wrong)).toBe(false);
});

it.each([
  ['text/plain', true],
  ['text/html; charset=utf-8', true],
  ['application/vnd.api+json', true],
  ['text', false],
  ['text/', false],
  ['/plain', false],
  ['te xt/plain', false],
])('isMimeType(%s) is %s', (value, valid) => {
  expect(isMimeType(value)).toBe(valid);
});

it('text makes the content of a result', () => {
  expect(text('hello')).toEqual({ content: [{ type: 'text', text: 'hello' }] });
});
