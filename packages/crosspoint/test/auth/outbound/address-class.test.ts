import { describe, expect, it } from 'vitest';
import { classifyAddress } from '../../../src/auth/outbound/address-class.ts';

const CASES: readonly (readonly [string, string | undefined])[] = [
  ['93.184.216.34', 'public'],
  ['127.0.0.1', 'loopback'],
  ['127.255.255.254', 'loopback'],
  ['10.1.2.3', 'private'],
  ['172.16.0.1', 'private'],
  ['172.31.255.255', 'private'],
  ['172.32.0.1', 'public'],
  ['192.168.1.1', 'private'],
  ['100.64.0.1', 'private'],
  ['100.128.0.1', 'public'],
  ['169.254.169.254', 'never'],
  ['100.100.100.200', 'never'],
  ['168.63.129.16', 'never'],
  ['0.0.0.0', 'never'],
  ['224.0.0.1', 'never'],
  ['255.255.255.255', 'never'],
  ['2606:2800:220:1:248:1893:25c8:1946', 'public'],
  ['[2606:2800:220:1:248:1893:25c8:1946]', 'public'],
  ['::1', 'loopback'],
  ['[::1]', 'loopback'],
  ['::', 'never'],
  ['fe80::1%eth0', 'never'],
  ['fd12:3456::1', 'private'],
  ['fd00:ec2::254', 'never'],
  ['ff02::1', 'never'],
  ['::ffff:127.0.0.1', 'loopback'],
  ['::ffff:a9fe:a9fe', 'never'],
  ['64:ff9b::a9fe:a9fe', 'never'],
  ['2002:a9fe:a9fe::1', 'never'],
  ['2002:7f00:1::', 'loopback'],
  ['::ffff:93.184.216.34', 'public'],
  ['2001:db8::1', 'never'],
  ['example.com', undefined],
  ['1.2.3', undefined],
  ['1.2.3.256', undefined],
  ['1::2::3', undefined],
  ['12345::', undefined],
];

describe('the class of an address', () => {
  it.each(CASES)('%s is %s', (address, expected) => expect(classifyAddress(address)).toBe(expected));
});
