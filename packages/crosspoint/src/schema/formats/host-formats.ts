export function isHostname(text: string): boolean {
  if (text.length === 0 || text.length > 253) return false;
  return text
    .split('.')
    .every((label) => label.length <= 63 && /^[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?$/.test(label));
}

export function isIpv4(text: string): boolean {
  const parts = text.split('.', 5);
  return parts.length === 4 && parts.every((part) => /^(?:0|[1-9][0-9]{0,2})$/.test(part) && Number(part) <= 255);
}

export function isIpv6(text: string): boolean {
  if (text.length > 45) return false;
  const halves = text.split('::');
  if (halves.length > 2) return false;
  const groups = halves.map((half) => (half === '' ? [] : half.split(':')));
  const last = groups.at(-1);
  const ending = last?.at(-1);
  let size = groups.flat().length;
  if (ending?.includes('.') === true) {
    if (!isIpv4(ending)) return false;
    last?.pop();
    size++;
  }
  if (!groups.flat().every((group) => /^[0-9A-Fa-f]{1,4}$/.test(group))) return false;
  return halves.length === 2 ? size < 8 : size === 8;
}
