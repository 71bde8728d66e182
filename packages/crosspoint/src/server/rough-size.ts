/** What a value takes in memory beside its texts. */
const VALUE_BYTES = 16;

/** About how many bytes a value from JSON takes: enough to tell what is large. */
export function roughSize(value: unknown): number {
  let bytes = 0;
  const open: unknown[] = [value];
  while (open.length > 0) {
    const next = open.pop();
    bytes += VALUE_BYTES;
    if (typeof next === 'string') bytes += next.length;
    else if (Array.isArray(next)) for (const item of next as unknown[]) open.push(item);
    else if (typeof next === 'object' && next !== null)
      for (const [name, member] of Object.entries(next)) {
        bytes += name.length;
        open.push(member);
      }
  }
  return bytes;
}
