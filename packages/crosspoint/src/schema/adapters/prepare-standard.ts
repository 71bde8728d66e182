import type { ParseResult, Schema } from '../schema.ts';
import { canValidate, type StandardIssue, type StandardResult, type StandardTyped } from '../standard-schema.ts';
import { describeIssue, type ValidationIssue, type SchemaSide } from '@crosspoint/json-schema/internal';
import { standardToJson } from './standard-to-json.ts';

const maxIssues = 10;

/** Prepares a Standard Schema. Throws `TypeError` for one that cannot validate by itself. */
export function prepareStandard(schema: StandardTyped, side: SchemaSide): Schema {
  const json = standardToJson(schema, side);
  if (!canValidate(schema))
    throw new TypeError(
      `A schema of "${schema['~standard'].vendor}" that cannot validate needs a validator for its JSON Schema: ` +
        "import { fromJsonSchema } from 'crosspoint/schema'.",
    );
  const standard = schema['~standard'];
  return {
    json,
    parse: (value) => {
      const result = standard.validate(value);
      return result instanceof Promise ? result.then(toParseResult) : toParseResult(result);
    },
  };
}

function toParseResult(result: StandardResult<unknown>): ParseResult<unknown> {
  if (result.issues === undefined) return { ok: true, value: result.value };
  return { ok: false, issues: result.issues.slice(0, maxIssues).map(toIssue) };
}

function toIssue(issue: StandardIssue): ValidationIssue {
  // Copied to a plain array: in some libraries `path` is a subclass of Array, and its `map` would make another one.
  const path = Array.from(issue.path ?? [], (part) => {
    const key = typeof part === 'object' ? part.key : part;
    return typeof key === 'symbol' ? String(key) : key;
  });
  return { path, message: describeIssue(path, issue.message) };
}
