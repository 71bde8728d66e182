import { expect, it } from 'vitest';
import { homeOf } from '../../src/place/home.ts';
import { keychainName } from '../../src/place/user-secrets.ts';

it('has a name of its own in the keychain for a folder of its own', () => {
  expect(keychainName(homeOf({}))).toBe('crosspoint');
  const [one, two] = ['/a b', '/c'].map((folder) => keychainName(homeOf({ CROSSPOINT_HOME: folder })));
  expect(one).toMatch(/^crosspoint-[0-9a-f]{16}$/);
  expect(one).not.toBe(two);
});
