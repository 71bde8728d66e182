/** The four bytes of an IPv4 address in its usual spelling; `undefined` for anything else. */
export function ipv4Bytes(text: string): number[] | undefined {
  const parts = text.split('.', 5);
  const isAddress =
    parts.length === 4 && parts.every((part) => /^(?:0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255);
  return isAddress ? parts.map(Number) : undefined;
}

/** The sixteen bytes of an IPv6 address, without brackets and zone; `undefined` for anything else. */
export function ipv6Bytes(text: string): number[] | undefined {
  if (!/^[0-9a-f:.]{2,45}$/i.test(text) || !text.includes(':')) return undefined;
  const tail = text.slice(text.lastIndexOf(':') + 1);
  const four = tail.includes('.') ? ipv4Bytes(tail) : [];
  if (four === undefined) return undefined;
  const head = four.length > 0 ? text.slice(0, -tail.length).replace(/([^:]):$/, '$1') : text;
  const halves = head.split('::');
  if (halves.length > 2) return undefined;
  const [left, right] = halves.map(groupBytes);
  if (left === undefined || (halves.length === 2 && right === undefined)) return undefined;
  const after = [...(right ?? []), ...four];
  const missing = 16 - left.length - after.length;
  if (halves.length === 2 ? missing < 1 : missing !== 0) return undefined;
  return [...left, ...Array.from({ length: missing }, () => 0), ...after];
}

function groupBytes(text: string): number[] | undefined {
  if (text === '') return [];
  const parts = text.split(':');
  if (!parts.every((part) => /^[0-9a-f]{1,4}$/i.test(part))) return undefined;
  return parts.flatMap((part) => {
    const value = Number.parseInt(part, 16);
    return [value >> 8, value & 0xff];
  });
}

/**
 * The network address by which one party is counted: an IPv4 address (also one mapped into IPv6), or the 64-bit network of an IPv6 address, since a party
 * with one address of it has them all. `undefined` for a text that is no address.
 */
export function partyOf(text: string): string | undefined {
  if (ipv4Bytes(text)) return text;
  // The zone of an interface (`%eth0`) is dropped.
  const bytes = ipv6Bytes(text.split('%', 1)[0] ?? '');
  if (bytes === undefined) return undefined;
  const groups = Array.from({ length: 8 }, (_, at) =>
    (((bytes[2 * at] ?? 0) << 8) | (bytes[2 * at + 1] ?? 0)).toString(16),
  );
  const isMapped = groups.slice(0, 6).join(':') === '0:0:0:0:0:ffff';
  return isMapped ? bytes.slice(12).join('.') : `${groups.slice(0, 4).join(':')}::/64`;
}
