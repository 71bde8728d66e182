/** Clients send the same few headers over and over. What is longer, or one too many, is merely read again. */
const MAX_TEXTS = 100;
const MAX_LENGTH = 256;

/** A function of a header, with what it made of the headers seen lately. */
export function remembered<T>(read: (header: string | undefined) => T): (header: string | undefined) => T {
  const known = new Map<string | undefined, Known<T>>();
  let latest: Known<T> | undefined;
  return (header) => {
    // Most come from the same clients: comparing is cheaper than hashing a header that is a new text each time.
    if (latest !== undefined && latest.header === header) return latest.value;
    const found = known.get(header);
    if (found !== undefined) return (latest = found).value;
    const value = read(header);
    if (known.size >= MAX_TEXTS) known.clear();
    if (header === undefined || header.length <= MAX_LENGTH) known.set(header, { header, value });
    return value;
  };
}

interface Known<T> {
  readonly header: string | undefined;
  readonly value: T;
}
