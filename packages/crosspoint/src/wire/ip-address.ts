const V4 = /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)$/;
const V6 = /^[\da-f:.]{2,45}$/i;

/**
 * What stands for one party in the network: an IPv4 address, also one that is mapped into IPv6, or the network of 64 bits of an IPv6 address, since whoever
 * has one of its addresses has all of them. `undefined` for what is no address.
 */
export function partyOf(text: string): string | undefined {
  if (V4.test(text)) return text;
  // Without the zone of an interface.
  const [address = ''] = text.split('%', 1);
  const url = `http://[${address}]`;
  if (!V6.test(address) || !URL.canParse(url)) return undefined;
  const [left = [], right = []] = new URL(url).hostname
    .slice(1, -1)
    .split('::')
    .map((half) => half.split(':').filter((group) => group !== ''));
  const groups = [...left, ...Array.from({ length: 8 - left.length - right.length }, () => '0'), ...right];
  const network = groups.slice(0, 4).join(':');
  return groups.slice(0, 6).join(':') === '0:0:0:0:0:ffff' ? mapped(groups) : `${network}::/64`;
}

function mapped(groups: readonly string[]): string {
  return groups
    .slice(6)
    .map((group) => Number.parseInt(group, 16))
    .flatMap((group) => [group >> 8, group & 0xff])
    .join('.');
}
