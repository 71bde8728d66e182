/** A JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;

/** A JSON object; a member that is `undefined` is not there. */
export interface JsonObject {
  readonly [key: string]: Json | undefined;
}

/** A value of the protocol, or a record, as the JSON that it is. Its type says which members it has, not that they are JSON. */
export function asJson(value: object): JsonObject {
  return value as JsonObject;
}

/**
 * The one text of a JSON value, whatever the order in which its members were written: members sorted by their UTF-16 code units, no spaces, as
 * RFC 8785 has it. Two definitions are equal when their texts are.
 */
export function canonicalJson(value: Json): string {
  if (Array.isArray(value)) return `[${value.map((item: Json) => canonicalJson(item)).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const members = Object.keys(value)
    .filter((key) => value[key] !== undefined)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key] ?? null)}`);
  return `{${members.join(',')}}`;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
