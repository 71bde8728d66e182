/** Bytes of memory for a value, beside its texts. */
const VALUE_BYTES = 16;

/** Estimates the bytes of a value from JSON: good enough to find large ones. */
export function roughSize(value: unknown): number {
  let bytes = 0;
  const open: object[] = [];
  const count = (found: unknown): void => {
    bytes += VALUE_BYTES;
    if (typeof found === 'string') bytes += found.length;
    else if (typeof found === 'object' && found !== null) open.push(found);
  };
  count(value);
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (Array.isArray(next)) for (const item of next as unknown[]) count(item);
    else
      for (const name of Object.keys(next)) {
        bytes += name.length;
        count((next as Record<string, unknown>)[name]);
      }
  }
  return bytes;
}
