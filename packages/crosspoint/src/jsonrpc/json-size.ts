/**
 * How many characters of JSON a decoded value has, roughly: without what escapes add. Counts no further than `limit`, and does not recurse: a value may be
 * nested as deep as a message is long.
 */
export function jsonSize(value: unknown, limit: number = Number.POSITIVE_INFINITY): number {
  const open: unknown[] = [value];
  let size = 0;
  while (open.length > 0 && size <= limit) {
    const next = open.pop();
    if (typeof next === 'string') size += next.length + 3;
    else if (typeof next !== 'object' || next === null) size += 5;
    else if (Array.isArray(next)) {
      size += 3;
      for (const item of next as unknown[]) open.push(item);
    } else {
      size += 3;
      for (const [key, member] of Object.entries(next)) {
        size += key.length + 3;
        open.push(member);
      }
    }
  }
  return size;
}
