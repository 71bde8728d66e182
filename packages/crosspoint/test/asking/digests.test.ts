import { createHash, hkdfSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { deriveKey } from '../../src/server/asking/derive-key.ts';
import { hexOf, plainSha256, sha256 } from '../../src/server/asking/sha256.ts';

const bytes = (length: number): Uint8Array => Uint8Array.from({ length }, (_, index) => (index * 167 + length) % 256);
const ofNode = (data: Uint8Array): string => createHash('sha256').update(data).digest('hex');

/** Every length around the ends of blocks, and some that take many. */
const LENGTHS = [...Array.from({ length: 300 }, (_, length) => length), 4095, 4096, 100_000];

describe('SHA-256', () => {
  it.each([
    ['', 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
    ['abc', 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
    [
      'abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq',
      '248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1',
    ],
  ])('gives what its standard says for %j, with and without Node', (text, expected) => {
    const data = new TextEncoder().encode(text);
    expect(hexOf(plainSha256(data))).toBe(expected);
    expect(hexOf(sha256(data))).toBe(expected);
  });

  it('without Node is the same as with it, whatever the length', () => {
    for (const length of LENGTHS) expect(hexOf(plainSha256(bytes(length))), String(length)).toBe(ofNode(bytes(length)));
  });

  it('reads a part of a larger buffer, and gives bytes that are its own', () => {
    const part = bytes(500).subarray(100, 200);
    const first = plainSha256(part);
    const kept = hexOf(first);
    expect(kept).toBe(ofNode(part));
    plainSha256(bytes(64));
    expect(hexOf(first)).toBe(kept);
  });

  // The engine may round a root either way in its last bit; none of the constants is so near to a whole number that it would matter.
  it('has constants that no rounding changes', () => {
    const primes: number[] = [];
    for (let n = 2; primes.length < 64; n += 1) if (primes.every((prime) => n % prime !== 0)) primes.push(n);
    const roots = [...primes.slice(0, 8).map((prime) => Math.sqrt(prime)), ...primes.map((prime) => Math.cbrt(prime))];
    for (const root of roots) {
      const behind = ((root % 1) * 2 ** 32) % 1;
      expect(Math.min(behind, 1 - behind)).toBeGreaterThan(1e-3);
    }
  });
});

it('keys are derived as HKDF says', () => {
  for (const length of [32, 33, 63, 64, 65, 200]) {
    const info = `state of day ${length}`;
    const expected = Buffer.from(hkdfSync('sha256', bytes(length), '', info, 32)).toString('hex');
    expect(hexOf(deriveKey(bytes(length), info))).toBe(expected);
  }
});
