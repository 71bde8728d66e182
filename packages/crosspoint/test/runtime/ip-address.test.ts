import { describe, expect, it } from 'vitest';
import { ipv4Bytes, ipv6Bytes, partyOf } from '../../src/runtime/ip-address.ts';
import { isLoopbackName } from '../../src/runtime/loopback.ts';

describe('the bytes of an IPv4 address', () => {
  it.each([
    ['0.0.0.0', [0, 0, 0, 0]],
    ['1.20.99.255', [1, 20, 99, 255]],
  ])('%s', (text, bytes) => expect(ipv4Bytes(text)).toEqual(bytes));

  it.each([
    '',
    '1.2.3',
    '1.2.3.4.5',
    '1.2.3.256',
    '1.2.3.01',
    '01.2.3.4',
    '1.2.3.',
    '1.2.3.x4',
    '1.2.3.4x',
    '1.2.3.0444',
  ])('are not in %j', (text) => expect(ipv4Bytes(text)).toBeUndefined());
});

describe('the bytes of an IPv6 address', () => {
  const hex = (text: string): string | undefined =>
    ipv6Bytes(text)
      ?.map((byte) => byte.toString(16).padStart(2, '0'))
      .join('');

  it.each([
    ['::', '0'.repeat(32)],
    ['::1', `${'0'.repeat(31)}1`],
    ['1::', `0001${'0'.repeat(28)}`],
    ['1:2:3:4:5:6:7:8', '00010002000300040005000600070008'],
    ['1:2:3:4:5:6:7::', '00010002000300040005000600070000'],
    ['::2:3:4:5:6:7:8', '00000002000300040005000600070008'],
    ['ABCD:ef01::99', `abcdef01${'0'.repeat(22)}99`],
    ['::ffff:1.2.3.4', `${'0'.repeat(20)}ffff01020304`],
    ['::1.2.3.4', `${'0'.repeat(24)}01020304`],
    ['64:ff9b::1.2.3.4', `0064ff9b${'0'.repeat(16)}01020304`],
    ['1:2:3:4:5:6:1.2.3.4', '00010002000300040005000601020304'],
  ])('%s', (text, bytes) => expect(hex(text)).toBe(bytes));

  it.each([
    '',
    ':',
    '1',
    '1.2.3.4',
    ':::',
    '1::2::3',
    '1:2:3:4:5:6:7',
    '1:2:3:4:5:6:7:8:9',
    '1:2:3:4:5:6:7:8::',
    '1:2:3:4::5:6:7:8',
    '12345::',
    'g::',
    '::g',
    'x::1',
    '::1x',
    '1:::2',
    '::ffff:1.2.3',
    '::ffff:1.2.3.256',
    '1:2:3:4:5:6:7:1.2.3.4',
    '1:2:3:4:5:1.2.3.4',
    `${'0'.repeat(44)}::`,
  ])('are not in %j', (text) => expect(ipv6Bytes(text)).toBeUndefined());
});

describe('the party behind an address', () => {
  it.each([
    ['93.184.216.34', '93.184.216.34'],
    ['::ffff:93.184.216.34', '93.184.216.34'],
    ['::FFFF:5db8:d822', '93.184.216.34'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::', '2001:db8:1:2::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    // The four bytes are not mapped here: the network of 64 bits counts.
    ['::1.2.3.4', '0:0:0:0::/64'],
    ['1::ffff:1.2.3.4', '1:0:0:0::/64'],
  ])('%s is %s', (text, party) => expect(partyOf(text)).toBe(party));

  it.each(['', 'example.com', '1.2.3', '%eth0'])('is nobody in %j', (text) => expect(partyOf(text)).toBeUndefined());
});

describe('a name of this machine', () => {
  it.each(['localhost', '127.0.0.1', '127.255.0.12', '::1', '[::1]'])('is %s', (name) =>
    expect(isLoopbackName(name)).toBe(true),
  );

  it.each([
    undefined,
    '',
    'localhost.evil.example',
    'evil.localhost',
    '127.0.0.1.evil.example',
    'evil.127.0.0.1',
    '127.0.0',
    '127.0.0.1234',
    '127.0.0.1.1',
    '128.0.0.1',
    '127a0.0.1',
    '127.0.0.x',
    '[::2]',
    '::2',
  ])('is not %s', (name) => expect(isLoopbackName(name)).toBe(false));
});
