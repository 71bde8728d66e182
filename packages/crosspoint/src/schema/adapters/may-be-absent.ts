import type { SchemaSide } from '../schema.ts';
import { canValidate, type StandardTyped } from '../standard-schema.ts';
import { isValibotSchema, valibot } from './valibot-to-json.ts';
import { isZod3Schema, zod3 } from './zod3-to-json.ts';
import { isZod4Schema, zod4MayBeAbsent } from './zod4-to-json.ts';

/**
 * Whether a member with this schema may be missing on that side. Known libraries are asked through their own definitions: merely trying
 * `undefined` would call a coerced string optional, since it turns `undefined` into text.
 */
export function mayBeAbsent(schema: StandardTyped, side: SchemaSide): boolean {
  if (isZod4Schema(schema)) return zod4MayBeAbsent(schema, side);
  if (isZod3Schema(schema)) return zod3.mayBeAbsent(schema, side);
  if (isValibotSchema(schema)) return valibot.mayBeAbsent(schema, side);
  return acceptsUndefined(schema, side);
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
