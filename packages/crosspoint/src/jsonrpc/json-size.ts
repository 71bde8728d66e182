/**
 * Estimates the number of characters of a decoded value's JSON; escapes are not counted. Stops counting beyond `limit`. Does not recurse: a value may
 * be nested as deep as a message is long.
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
