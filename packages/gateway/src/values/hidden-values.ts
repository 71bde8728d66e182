const MASK = '[hidden]';
/** Shorter values are found by chance in ordinary text. */
const SHORTEST = 6;

/** A function that masks these values wherever they occur in a text. */
export function hiding(values: Iterable<string>): (text: string) => string {
  const hidden = [...new Set(values)]
    .filter((value) => value.trim().length >= SHORTEST)
    // The longest first: a value may be part of another.
    .sort((one, other) => other.length - one.length);
  return (text) => hidden.reduce((masked, value) => masked.replaceAll(value, MASK), text);
}
