import { compileSchema } from '../compile-schema.ts';
import type { ParseResult, Schema, SchemaSide } from '../schema.ts';
import { canValidate, type StandardIssue, type StandardResult, type StandardTyped } from '../standard-schema.ts';
import { describeIssue, type ValidationIssue } from '../validation-issue.ts';
import { parseWith } from './parse-json-schema.ts';
import { standardToJson } from './standard-to-json.ts';

const maxIssues = 10;

/** A schema that only knows its JSON Schema is validated by that; one that validates is left to do so. */
export function prepareStandard(schema: StandardTyped, side: SchemaSide): Schema {
  const json = standardToJson(schema, side);
  if (!canValidate(schema)) return { json, parse: parseWith(compileSchema(json)) };
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
  // A plain array: some libraries give a subclass, whose own methods would make more of them.
  const path = Array.from(issue.path ?? [], (part) => {
    const key = typeof part === 'object' ? part.key : part;
    return typeof key === 'symbol' ? String(key) : key;
  });
  return { path, message: describeIssue(path, issue.message) };
}
