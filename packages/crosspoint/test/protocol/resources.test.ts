import { expect } from 'vitest';
import { isAbsoluteUri } from '../../src/protocol/resources.ts';
import { proves } from '../requirements/proves.ts';

proves('M-RES-012').it.each([
  'https://example.com/a?b#c',
  'file:///tmp/a%20b',
  'urn:isbn:1',
  'x-my.app+v1:thing',
  'git://host:1/x',
  'a:',
  'http://[::1]/',
])('accepts %s', (uri) => {
  expect(isAbsoluteUri(uri)).toBe(true);
});

proves('M-RES-012').it.each([
  '',
  'a',
  '/tmp/a',
  '//host/a',
  '1a:b',
  '-a:b',
  'my_app:b',
  'a b:c',
  ':a',
  'ä:b',
  'a:b c',
  'a:b\n',
  'a:<b>',
  'a:"',
  'a:\\b',
  'a:{b}',
  'a:%',
  'a:%2',
  'a:%zz',
  'a:`',
  'a:|',
  'a:^',
])('refuses %j', (uri) => {
  expect(isAbsoluteUri(uri)).toBe(false);
});
