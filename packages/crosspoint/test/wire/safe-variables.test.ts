import { expect, test } from 'vitest';
import { findUnsafeVariable, unsafeVariable } from '../../src/wire/safe-variables.ts';
import { UriTemplate } from '../../src/wire/uri-template.ts';
import { proves } from '../requirements/proves.ts';

test.each([
  'readme.md',
  'a b',
  'é😀',
  '100%',
  '50%25',
  '..a',
  'a..b',
  'a.',
  'v1.2',
  '.hidden',
  'user@example.com:8080',
  'AB:cd',
  '~',
  '',
])('%j is safe', (value) => {
  expect(unsafeVariable(value)).toBeUndefined();
  expect(unsafeVariable(value, true)).toBeUndefined();
});

test.each([
  ['..', '".."'],
  ['.. ', '".."'],
  ['...', '".."'],
  ['%2e%2e', '".."'],
  ['%252e%252e', '".."'],
  ['a%2fb', 'encoded'],
  ['a%5Cb', 'encoded'],
  ['a%252fb', 'encoded'],
  ['a\0b', 'control'],
  ['a\nb', 'control'],
  ['a\x7fb', 'control'],
  ['a\x85b', 'control'],
  ['%00', 'control'],
  ['/etc/passwd', 'absolute'],
  ['\\\\host\\share', 'absolute'],
  ['C:\\x', 'drive'],
  ['c:', 'drive'],
  ['a\\..\\b', '".."'],
  ['a\\b', 'backslash'],
  ['%c0%ae%2e%2f', 'encoded'],
  ['%2525252525252e', 'many times'],
])('%j is refused in any expression', (value, reason) => {
  expect(unsafeVariable(value)).toContain(reason);
  expect(unsafeVariable(value, true)).toContain(reason);
});

test.each(['a/../b', '../a', 'a/..', 'a/.. /b', 'a/%2e%2e/b'])('%j climbs', (value) => {
  expect(unsafeVariable(value, true)).toContain('".."');
});

test('a slash is refused where only an encoded separator can have brought it', () => {
  expect(unsafeVariable('a/b')).toContain('separator');
  expect(unsafeVariable('a/b', true)).toBeUndefined();
});

proves('M-RES-014').test.each([
  ['file:///{+path}', 'file:///docs/a.md', undefined],
  ['file:///{+path}', 'file:///docs/../../etc/passwd', 'path'],
  ['file:///{+path}', 'file:///docs/%2e%2e/%2e%2e/etc/passwd', 'path'],
  ['file:///{+path}', 'file:////etc/passwd', 'path'],
  ['file:///{+path}', 'file:///..%2f..%2fetc%2fpasswd', 'path'],
  ['file:///{name}', 'file:///a%2Fb', 'name'],
  ['file:///{name}', 'file:///a%5Cb', 'name'],
  ['file:///{name}', 'file:///%2e%2e', 'name'],
  ['file://{/path*}', 'file:///a/../b', 'path'],
  ['file://{/path*}', 'file:///a/b', undefined],
])('%s against %s', (source, uri, unsafe) => {
  const template = new UriTemplate(source);
  const variables = template.match(uri);
  expect(variables).not.toBeNull();
  expect(findUnsafeVariable(template, variables ?? {})?.name).toBe(unsafe);
});
