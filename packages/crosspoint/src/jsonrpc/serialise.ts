import type { JSONRPCBatch, JSONRPCMessage, JSONRPCNotification, JsonObject } from './message.ts';

const texts = new WeakMap<object, string>();

/** JSON lets these stand in a string as they are, but some line readers end a line at them. */
const SEPARATORS = /[\u2028\u2029]/g;

/** The same JSON without them. */
export function oneLine(text: string): string {
  // Two plain searches are far cheaper than one with an expression, and free for text that is all in the first 256 characters.
  if (!text.includes('\u2028') && !text.includes('\u2029')) return text;
  return text.replace(SEPARATORS, (separator) => (separator === '\u2028' ? '\\u2028' : '\\u2029'));
}

/**
 * Keeps the JSON text of a result that will be sent many times (a list, a discover answer), or of a notification for many. The object must
 * not change afterwards. Byte transports send the kept text; memory transports pass the object.
 */
export function keepText<T extends JsonObject | JSONRPCNotification>(value: T): T {
  texts.set(value, oneLine(toText(value)));
  return value;
}

/** One line of JSON. Throws what `JSON.stringify` throws for cycles, BigInt and nesting beyond the stack. */
export function serialise(message: JSONRPCMessage | JSONRPCBatch): string {
  return oneLine(textOf(message));
}

/** The same where somebody else sees to `oneLine`, for many messages at once. */
export function textOf(message: JSONRPCMessage | JSONRPCBatch): string {
  if ('result' in message) {
    const kept = texts.get(message.result);
    if (kept !== undefined) return `{"jsonrpc":"2.0","id":${toText(message.id)},"result":${kept}}`;
  } else if (!('id' in message)) {
    return texts.get(message) ?? toText(message);
  }
  // All of it at once: what is joined afterwards is copied once more, and may be long.
  return toText(message);
}

/** By itself, so that a profile shows what it costs. */
function toText(value: unknown): string {
  return JSON.stringify(value);
}

/** Whether `serialise` would give a text. Pays for a whole serialisation: for failing paths only. */
export function isSerialisable(message: JSONRPCMessage | JSONRPCBatch): boolean {
  try {
    serialise(message);
    return true;
  } catch {
    return false;
  }
}
