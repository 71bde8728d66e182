import type { Library } from './conversion.ts';
import { isValibotSchema, valibot } from './valibot-to-json.ts';
import { isZod3Schema, zod3 } from './zod3-to-json.ts';
import { isZod4Schema, zod4 } from './zod4-to-json.ts';

/** The library that a schema is of; `undefined` for one that is not known here. */
export function libraryOf(schema: unknown): Library | undefined {
  if (isZod4Schema(schema)) return zod4;
  if (isZod3Schema(schema)) return zod3;
  return isValibotSchema(schema) ? valibot : undefined;
}
