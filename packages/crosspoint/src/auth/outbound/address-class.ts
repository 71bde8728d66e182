import { ipv4Bytes, ipv6Bytes } from '../../runtime/ip-address.ts';

/**
 * Class of a network address for outbound requests. `never`: link-local, cloud metadata, multicast, unspecified and reserved addresses,
 * which are always refused.
 */
export type AddressClass = 'public' | 'loopback' | 'private' | 'never';

type Range = readonly [base: string, bits: number, is: AddressClass];

const V4: readonly Range[] = [
  // Metadata services outside the link-local range: Azure, Alibaba, Oracle.
  ['168.63.129.16', 32, 'never'],
  ['100.100.100.200', 32, 'never'],
  ['192.0.0.192', 32, 'never'],
  ['0.0.0.0', 8, 'never'],
  ['10.0.0.0', 8, 'private'],
  ['100.64.0.0', 10, 'private'],
  ['127.0.0.0', 8, 'loopback'],
  ['169.254.0.0', 16, 'never'],
  ['172.16.0.0', 12, 'private'],
  ['192.0.0.0', 24, 'never'],
  ['192.0.2.0', 24, 'never'],
  ['192.88.99.0', 24, 'never'],
  ['192.168.0.0', 16, 'private'],
  ['198.18.0.0', 15, 'private'],
  ['198.51.100.0', 24, 'never'],
  ['203.0.113.0', 24, 'never'],
  ['224.0.0.0', 3, 'never'],
];

const V6: readonly Range[] = [
  ['::1', 128, 'loopback'],
  // Metadata services of Amazon and Google, inside the private range.
  ['fd00:ec2::254', 128, 'never'],
  ['fd20:ce::254', 128, 'never'],
  ['fc00::', 7, 'private'],
  // Only this eighth of the IPv6 space is allocated; these parts of it are not hosts.
  ['2001:db8::', 32, 'never'],
  ['3fff::', 20, 'never'],
  ['2001::', 32, 'never'],
  ['2000::', 3, 'public'],
];

/** IPv6 ranges that embed an IPv4 address (mapped, NAT64, 6to4, compatible), with the group at which it begins. */
const EMBEDS: readonly [base: string, bits: number, group: number][] = [
  ['::ffff:0:0', 96, 6],
  ['64:ff9b::', 96, 6],
  ['64:ff9b:1::', 48, 6],
  ['2002::', 16, 1],
  ['::', 96, 6],
];

/** Classifies an address as a resolver or a URL writes it; `undefined` when it is no address. */
export function classifyAddress(text: string): AddressClass | undefined {
  // Removes the brackets of a URL and the zone of an interface.
  const [address = ''] = text.replace(/^\[|\]$/g, '').split('%', 1);
  const four = ipv4Bytes(address);
  if (four !== undefined) return classOf(four, V4, ipv4Bytes, 'public');
  const six = ipv6Bytes(address);
  if (six === undefined) return undefined;
  if (within(six, '::1', 128, ipv6Bytes)) return 'loopback';
  const embeds = EMBEDS.find(([base, bits]) => within(six, base, bits, ipv6Bytes));
  if (embeds === undefined) return classOf(six, V6, ipv6Bytes, 'never');
  const inner = six.slice(embeds[2] * 2, embeds[2] * 2 + 4);
  return classOf(inner, V4, ipv4Bytes, 'public');
}

function classOf(
  bytes: readonly number[],
  ranges: readonly Range[],
  parse: (text: string) => number[] | undefined,
  otherwise: AddressClass,
): AddressClass {
  return ranges.find(([base, bits]) => within(bytes, base, bits, parse))?.[2] ?? otherwise;
}

function within(
  bytes: readonly number[],
  base: string,
  bits: number,
  parse: (text: string) => number[] | undefined,
): boolean {
  const start = parse(base) ?? [];
  return start.every((byte, index) => {
    const left = Math.min(8, Math.max(0, bits - index * 8));
    const mask = (0xff << (8 - left)) & 0xff;
    return ((bytes[index] ?? 0) & mask) === (byte & mask);
  });
}
