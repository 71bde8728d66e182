import type { JSONRPCBatch, JSONRPCMessage, JSONRPCNotification, JsonObject } from './message.ts';

const texts = new WeakMap<object, string>();

/** Line separators (U+2028, U+2029) that JSON allows in a string, but at which some line readers end a line. */
const SEPARATORS = /[\u2028\u2029]/g;

/** Escapes the separators: the same JSON, on one line for every reader. */
export function oneLine(text: string): string {
  // Two plain searches are cheaper than one with an expression, and free for text within the first 256 characters of Unicode.
  if (!text.includes('\u2028') && !text.includes('\u2029')) return text;
  return text.replace(SEPARATORS, (separator) => (separator === '\u2028' ? '\\u2028' : '\\u2029'));
}

/**
 * Keeps the JSON text of a result that will be sent many times (a list, a discover answer), or of a notification for many connections. The object must
 * not change afterwards. Byte transports send the kept text; memory transports pass the object.
 */
export function keepText<T extends JsonObject | JSONRPCNotification>(value: T): T {
  texts.set(value, oneLine(toText(value)));
  return value;
}

/** One line of JSON. Throws what `JSON.stringify` throws for cycles, BigInt and nesting beyond the stack. */
export function serialise(message: JSONRPCMessage | JSONRPCBatch): string {
  return oneLine(jsonText(message));
}

/** The JSON text of a message, not yet escaped: the caller passes it, or many joined texts at once, through `oneLine`. */
export function jsonText(message: JSONRPCMessage | JSONRPCBatch): string {
  if ('result' in message) {
    const kept = texts.get(message.result);
    if (kept !== undefined) return `{"jsonrpc":"2.0","id":${toText(message.id)},"result":${kept}}`;
  } else if (!('id' in message)) {
    return texts.get(message) ?? toText(message);
  }
  // Serialised in one piece: a text that is joined afterwards is copied once more, and may be long.
  return toText(message);
}

/** A function of its own, so that a profile shows the cost of serialising. */
function toText(value: unknown): string {
  return JSON.stringify(value);
}

/** Tells whether `serialise` gives a text. It serialises the whole message to find out: for failing paths only. */
export function isSerialisable(message: JSONRPCMessage | JSONRPCBatch): boolean {
  try {
    serialise(message);
    return true;
  } catch {
    return false;
  }
}
