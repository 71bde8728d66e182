/** The four bytes of an IPv4 address; `undefined` for what is none. */
export function parseV4(text: string): number[] | undefined {
  if (!/^\d{1,3}(?:\.\d{1,3}){3}$/.test(text)) return undefined;
  const bytes = text.split('.').map(Number);
  return bytes.every((byte) => byte <= 255) ? bytes : undefined;
}

/** The sixteen bytes of an IPv6 address; `undefined` for what is none. */
export function parseV6(text: string): number[] | undefined {
  if (!/^[0-9a-f:.]{2,45}$/i.test(text) || !text.includes(':')) return undefined;
  const tail = text.slice(text.lastIndexOf(':') + 1);
  const four = tail.includes('.') ? parseV4(tail) : [];
  if (four === undefined) return undefined;
  const head = four.length > 0 ? text.slice(0, -tail.length).replace(/([^:]):$/, '$1') : text;
  const halves = head.split('::');
  if (halves.length > 2) return undefined;
  const [left, right] = halves.map(groups);
  if (left === undefined || (halves.length === 2 && right === undefined)) return undefined;
  const after = [...(right ?? []), ...four];
  const missing = 16 - left.length - after.length;
  if (halves.length === 2 ? missing < 0 : missing !== 0) return undefined;
  return [...left, ...Array.from({ length: missing }, () => 0), ...after];
}

function groups(text: string): number[] | undefined {
  if (text === '') return [];
  const parts = text.split(':');
  if (!parts.every((part) => /^[0-9a-f]{1,4}$/i.test(part))) return undefined;
  return parts.flatMap((part) => {
    const value = Number.parseInt(part, 16);
    return [value >> 8, value & 0xff];
  });
}

const MAPPED = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff];

/**
 * What stands for one party in the network: an IPv4 address, also one that is mapped into IPv6, or the network of 64 bits of an IPv6 address, since whoever
 * has one of its addresses has all of them. `undefined` for what is no address.
 */
export function partyOf(text: string): string | undefined {
  if (parseV4(text) !== undefined) return text;
  const bytes = parseV6(text.replace(/%.*$/, ''));
  if (bytes === undefined) return undefined;
  if (MAPPED.every((byte, index) => byte === bytes[index])) return bytes.slice(12).join('.');
  const network = [0, 2, 4, 6].map((at) => (((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0)).toString(16));
  return `${network.join(':')}::/64`;
}
