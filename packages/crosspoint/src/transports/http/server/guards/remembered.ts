/** Most texts, and longest text, that are cached. Clients send the same few headers; others are parsed each time. */
const MAX_TEXTS = 100;
const MAX_LENGTH = 256;

/** Caches the results of a function of a header. */
export function remembered<T>(read: (header: string | undefined) => T): (header: string | undefined) => T {
  const known = new Map<string | undefined, T>();
  return (header) => {
    const found = known.get(header);
    if (found !== undefined) return found;
    const value = read(header);
    if (known.size >= MAX_TEXTS) known.clear();
    if (header === undefined || header.length <= MAX_LENGTH) known.set(header, value);
    return value;
  };
}
