import type { JsonObject } from '../../jsonrpc/message.ts';
import { TransportError } from '../../protocol/errors.ts';

/** A schema for results, such as a zod schema; only `parse` is used. */
export interface ResultSchema<T = unknown> {
  parse(value: unknown): T;
}

export function isResultSchema(value: unknown): value is ResultSchema {
  return typeof value === 'object' && value !== null && 'parse' in value && typeof value.parse === 'function';
}

/** Parses a result. A result that does not match is kept in the details of the error. */
export function readWith<T>(schema: ResultSchema<T>, method: string, result: JsonObject): T {
  try {
    return schema.parse(result);
  } catch (error) {
    throw new TransportError(
      'invalid-result',
      `The result of ${method} does not match the given schema.`,
      { method, result },
      { cause: error },
    );
  }
}
