import { isJsonObject, type JsonObject } from '../jsonrpc/message.ts';

/** Merges `added` into `base`, object by object. Neither is changed. */
export function mergeCapabilities<T extends object>(base: T, added: T): T {
  const merged = { ...base } as JsonObject;
  for (const [key, value] of Object.entries(added)) {
    const before = merged[key];
    if (value !== undefined)
      merged[key] = isJsonObject(before) && isJsonObject(value) ? mergeCapabilities(before, value) : value;
  }
  return merged as T;
}
