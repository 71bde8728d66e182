import type { JSONRPCBatch, JSONRPCMessage, JsonObject } from './message.ts';

const texts = new WeakMap<JsonObject, string>();

/** JSON lets these stand in a string as they are, but some line readers end a line at them. */
const SEPARATORS = /[\u2028\u2029]/g;

function toLine(value: unknown): string {
  const text = JSON.stringify(value);
  // Two plain searches are far cheaper than one with an expression, and free for text that is all in the first 256 characters.
  if (!text.includes('\u2028') && !text.includes('\u2029')) return text;
  return text.replace(SEPARATORS, (separator) => (separator === '\u2028' ? '\\u2028' : '\\u2029'));
}

/**
 * Keeps the JSON text of a result that will be sent many times (a list, a discover answer). The object must not change afterwards.
 * Byte transports send the kept text; memory transports pass the object.
 */
export function keepText<T extends JsonObject>(result: T): T {
  texts.set(result, toLine(result));
  return result;
}

/** One line of JSON. Throws what `JSON.stringify` throws for cycles, BigInt and nesting beyond the stack. */
export function serialise(message: JSONRPCMessage | JSONRPCBatch): string {
  if ('result' in message) {
    const kept = texts.get(message.result);
    if (kept !== undefined) return `{"jsonrpc":"2.0","id":${toLine(message.id)},"result":${kept}}`;
  }
  return toLine(message);
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
