/** A part of a JSON text: a string with its quotes, a sign, a number or a word. */
export interface JsonToken {
  readonly text: string;
  readonly start: number;
}

/** Sticky, so that a text without end is looked at once and not from each of its quotes. */
const TOKENS = /"(?:[^"\\]|\\.)*"|\/\/[^\n]*|\/\*[\s\S]*?\*\/|[{}[\]:,]|[^\s{}[\]:,"/]+|\s+/gy;

/** The tokens of a JSON text, without its comments and spaces. Ends at the first character that begins none. */
export function jsonTokens(text: string): JsonToken[] {
  return [...text.matchAll(TOKENS)]
    .map(({ 0: token, index }) => ({ text: token, start: index }))
    .filter((token) => !/^(?:\/|\s)/.test(token.text));
}
