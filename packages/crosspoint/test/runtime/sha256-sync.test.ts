import { createHash, hkdfSync, randomBytes } from 'node:crypto';
import { hkdf } from '@noble/hashes/hkdf.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { describe, expect, it } from 'vitest';
import { deriveKeySync, sha256Sync, toHex } from '../../src/runtime/sha256-sync.ts';

/** Every length around the ends of two blocks, and some long ones. */
const LENGTHS = [...Array.from({ length: 140 }, (_, length) => length), 1000, 4096, 65_537, 1_000_003];

describe('SHA-256 without an await', () => {
  it.each([
    ['', 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
    ['abc', 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
    [
      'abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq',
      '248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1',
    ],
  ])('of "%s" is what FIPS 180-4 says', (text, expected) => {
    expect(toHex(sha256Sync(new TextEncoder().encode(text)))).toBe(expected);
  });

  it('is what Node and noble have, for every length', () => {
    for (const length of LENGTHS) {
      const data = new Uint8Array(randomBytes(length));
      const expected = createHash('sha256').update(data).digest('hex');
      expect(toHex(sha256Sync(data))).toBe(expected);
      expect(toHex(sha256(data))).toBe(expected);
    }
  });

  it('derives the keys that Node and noble derive', () => {
    for (const length of [32, 33, 63, 64, 65, 200]) {
      const [secret, purpose] = [new Uint8Array(randomBytes(length)), new Uint8Array(randomBytes(length - 30))];
      const expected = toHex(new Uint8Array(hkdfSync('sha256', secret, new Uint8Array(0), purpose, 32)));
      expect(toHex(deriveKeySync(secret, purpose))).toBe(expected);
      expect(toHex(hkdf(sha256, secret, undefined, purpose, 32))).toBe(expected);
    }
  });
});
