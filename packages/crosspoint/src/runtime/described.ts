/** The kind of a value in words, for a message to the author of a program: "a string", "undefined", "an array". */
export function described(value: unknown): string {
  if (value === undefined || value === null) return String(value);
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
