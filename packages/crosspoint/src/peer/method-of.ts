import { isJsonObject } from '../jsonrpc/message.ts';

/** The part of a schema library that is used here: a schema of a whole message or of a result, with zod's `parse`. */
export interface MessageSchema<T = unknown> {
  parse(value: unknown): T;
}

/**
 * The method a request or notification schema is for. Programs name a method by its string, or by a schema of the whole message whose
 * `method` is a literal; the literal is read structurally, so that no schema library is needed here.
 */
export function methodOf(schemaOrMethod: unknown): string {
  if (typeof schemaOrMethod === 'string') return schemaOrMethod;
  const shape = memberOf(schemaOrMethod, 'shape') ?? memberOf(definitionOf(schemaOrMethod), 'shape');
  const members = typeof shape === 'function' ? (shape as () => unknown)() : shape;
  const literal = memberOf(members, 'method');
  const definition = definitionOf(literal);
  const values = memberOf(definition, 'values');
  const value =
    memberOf(literal, 'value') ?? memberOf(definition, 'value') ?? (Array.isArray(values) ? values[0] : undefined);
  if (typeof value !== 'string')
    throw new TypeError(
      'A handler is registered for a method name, or for a schema whose method is a literal, such as z.object({ method: z.literal("acme/status") }).',
    );
  return value;
}

/** The definition inside a schema: under `_def` in zod 3, `def` in zod 4, and `_zod.def` in its core. */
function definitionOf(schema: unknown): unknown {
  return memberOf(schema, 'def') ?? memberOf(schema, '_def') ?? memberOf(memberOf(schema, '_zod'), 'def');
}

function memberOf(value: unknown, key: string): unknown {
  return isJsonObject(value) || typeof value === 'function'
    ? (value as unknown as Record<string, unknown>)[key]
    : undefined;
}

/** Parses the message with the schema it was registered under; a plain method name leaves it as it is. */
export function parseWith<T>(schemaOrMethod: unknown, message: T): T {
  const parse = memberOf(schemaOrMethod, 'parse');
  return typeof parse === 'function' ? (parse.call(schemaOrMethod, message) as T) : message;
}
