import type { JSONRPCBatch, JSONRPCMessage, JsonObject } from './message.ts';

const texts = new WeakMap<JsonObject, string>();

/**
 * Keeps the JSON text of a result that will be sent many times (a list, a discover answer). The object must not change afterwards.
 * Byte transports send the kept text; memory transports pass the object.
 */
export function keepText<T extends JsonObject>(result: T): T {
  texts.set(result, JSON.stringify(result));
  return result;
}

/** One line of JSON. Throws what `JSON.stringify` throws for cycles, BigInt and nesting beyond the stack. */
export function serialise(message: JSONRPCMessage | JSONRPCBatch): string {
  if ('result' in message) {
    const kept = texts.get(message.result);
    if (kept !== undefined) return `{"jsonrpc":"2.0","id":${JSON.stringify(message.id)},"result":${kept}}`;
  }
  return JSON.stringify(message);
}
