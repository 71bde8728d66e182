import type { ClientCapabilities, ServerCapabilities } from '../../types.ts';

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Merges the second into the first, capability by capability; `undefined` members of the second are ignored. Neither is changed. */
export function mergeCapabilities(
  base: ServerCapabilities,
  additional: Partial<ServerCapabilities>,
): ServerCapabilities;
export function mergeCapabilities(
  base: ClientCapabilities,
  additional: Partial<ClientCapabilities>,
): ClientCapabilities;
export function mergeCapabilities(base: object, additional: object): object {
  const merged: Record<string, unknown> = { ...base };
  for (const [name, value] of Object.entries(additional)) {
    if (value === undefined) continue;
    const before = merged[name];
    merged[name] = isObject(before) && isObject(value) ? { ...before, ...value } : value;
  }
  return merged;
}
