import type { JsonObject } from '../../jsonrpc/message.ts';
import { TransportError } from '../../protocol/errors.ts';

/** A schema for results, as zod has it. Nothing else of a schema library is used. */
export interface ResultSchema<T = unknown> {
  parse(value: unknown): T;
}

export function isResultSchema(value: unknown): value is ResultSchema {
  return typeof value === 'object' && value !== null && 'parse' in value && typeof value.parse === 'function';
}

/** The result as the schema reads it. A result that does not fit was still given: the error carries it. */
export function readWith<T>(schema: ResultSchema<T>, method: string, result: JsonObject): T {
  try {
    return schema.parse(result);
  } catch (error) {
    throw new TransportError(
      'invalid-result',
      `The result of ${method} does not fit the given schema.`,
      { method, result },
      { cause: error },
    );
  }
}
