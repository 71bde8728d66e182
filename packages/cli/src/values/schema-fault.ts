import { compileSchema, describeIssues, type JsonSchema } from '@crosspoint/json-schema';
import type { JsonObject } from '@crosspoint/host';

/** Why a value does not fit a schema, in words; `undefined` when it does. A schema that cannot be used says nothing. */
export function schemaFault(schema: object, value: JsonObject): string | undefined {
  let compiled: ReturnType<typeof compileSchema>;
  try {
    compiled = compileSchema(schema as JsonSchema);
  } catch {
    return undefined;
  }
  const result = compiled.validate(value);
  return result.ok ? undefined : describeIssues(result.issues);
}
