import { describe, expect, it } from 'vitest';
import { isValidExtensionId, isValidMetaKey, metaKeyLabels } from '../../src/protocol/meta.ts';
import { proves } from '../requirements/proves.ts';

describe('isValidMetaKey', () => {
  proves('L-MESSAGES-028, M-BASE-033, M-BASE-034').it.each([
    'com.example/x',
    'io.modelcontextprotocol/logLevel',
    'a/b',
    'a-b.c9/x',
    'com.example/',
    'A.B/C',
  ])('accepts the prefix of %s', (key) => {
    expect(isValidMetaKey(key)).toBe(true);
  });

  proves('L-MESSAGES-028, M-BASE-033, M-BASE-034').it.each([
    '1a.b/x',
    'a-.b/x',
    'a_b/x',
    '/x',
    '.a/x',
    'a./x',
    'a..b/x',
    '-a/x',
    'é/x',
    'a b/x',
    'a/b/c',
  ])('refuses the prefix of %s', (key) => {
    expect(isValidMetaKey(key)).toBe(false);
  });

  proves('L-MESSAGES-029, M-BASE-037').it.each([
    'a',
    '1',
    'a_b.c-d',
    'progressToken',
    'com.example/a_b.c-d',
    'com.example/',
  ])('accepts the name of %s', (key) => {
    expect(isValidMetaKey(key)).toBe(true);
  });

  proves('L-MESSAGES-029, M-BASE-037').it.each([
    '',
    '-a',
    'a.',
    '_a',
    'a_',
    'a b',
    'ä',
    'com.example/-a',
    'com.example/a.',
  ])('refuses the name of "%s"', (key) => {
    expect(isValidMetaKey(key)).toBe(false);
  });

  it('takes time in proportion to the key, however awkward', () => {
    const long = `${'a-'.repeat(50_000)}/x`;
    expect(isValidMetaKey(long)).toBe(false);
    expect(isValidMetaKey('a'.repeat(100_000))).toBe(true);
  });
});

it('gives the labels of a prefix, and none where there is no prefix', () => {
  expect(metaKeyLabels('com.example/x')).toEqual(['com', 'example']);
  expect(metaKeyLabels('x')).toBeUndefined();
});

describe('isValidExtensionId', () => {
  proves('M-VER-005').it.each(['io.modelcontextprotocol/tasks', 'com.example/my-extension'])('accepts %s', (id) => {
    expect(isValidExtensionId(id)).toBe(true);
  });

  proves('M-VER-005').it.each(['tasks', 'com.example/', '/tasks', '1a.b/tasks', 'com.example/-x', ''])(
    'refuses "%s"',
    (id) => {
      expect(isValidExtensionId(id)).toBe(false);
    },
  );
});
