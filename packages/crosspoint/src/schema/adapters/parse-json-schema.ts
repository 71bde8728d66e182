import type { CompiledSchema } from '@crosspoint/json-schema';
import type { ParseResult } from '../schema.ts';

/** A parser that validates a value and returns it as it came: no defaults are applied and nothing is removed. */
export function parseWith(compiled: CompiledSchema): (value: unknown) => ParseResult<unknown> {
  return (value) => {
    const result = compiled.validate(value);
    return result.ok ? { ok: true, value } : result;
  };
}
