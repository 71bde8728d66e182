import type { Library } from './conversion.ts';
import { isValibotSchema, valibot } from './valibot-to-json.ts';
import { zodOf } from './zod-to-json.ts';

/** The library that a schema is of; `undefined` for one that is not known here. */
export function libraryOf(schema: unknown): Library | undefined {
  return zodOf(schema) ?? (isValibotSchema(schema) ? valibot : undefined);
}
