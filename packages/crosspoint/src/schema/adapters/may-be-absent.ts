import { libraryOf, type SchemaSide } from '@crosspoint/json-schema/internal';
import { canValidate, type StandardTyped } from '../standard-schema.ts';

/**
 * Whether a member with this schema may be missing on that side. Known libraries are asked through their own definitions: merely trying
 * `undefined` would call a coerced string optional, since it turns `undefined` into text.
 */
export function mayBeAbsent(schema: StandardTyped, side: SchemaSide): boolean {
  return libraryOf(schema)?.mayBeAbsent(schema, side) ?? acceptsUndefined(schema, side);
}

function acceptsUndefined(schema: StandardTyped, side: SchemaSide): boolean {
  if (!canValidate(schema)) return false;
  try {
    const result = schema['~standard'].validate(undefined);
    if (result instanceof Promise) {
      result.catch(() => undefined);
      return false;
    }
    return result.issues === undefined && (side === 'input' || result.value === undefined);
  } catch {
    return false;
  }
}
