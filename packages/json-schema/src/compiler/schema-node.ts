import type { Dialect } from '../documents/dialect.ts';
import { isSchemaObject, type JsonSchema, type JsonSchemaObject } from '../json-schema.ts';
import { SchemaError } from '../schema-error.ts';
import type { PatternMatcher } from '../pattern/compile-pattern.ts';
import type { Check } from './check.ts';

/** One schema object while it is compiled, as its keywords see it. */
export interface SchemaNode {
  readonly schema: JsonSchemaObject;
  readonly dialect: Dialect;
  readonly assertsFormat: boolean;
  subschema(schema: unknown, keyword: string): Check;
  pattern(source: string): PatternMatcher;
}

/** Compiles the keywords of one family, if the schema uses any of them. */
export type KeywordCompiler = (node: SchemaNode) => readonly Check[];

export function invalid(keyword: string, expected: string): SchemaError {
  return new SchemaError('invalid-schema', `\`${keyword}\` must be ${expected}`);
}

export function readNumber(node: SchemaNode, keyword: string): number | undefined {
  const value = node.schema[keyword];
  if (value === undefined) return undefined;
  if (typeof value !== 'number' || !Number.isFinite(value)) throw invalid(keyword, 'a number');
  return value;
}

/** A limit such as `minLength`. Fractions without effect (`2.0`) are the same number in JSON. */
export function readCount(node: SchemaNode, keyword: string): number | undefined {
  const value = readNumber(node, keyword);
  if (value !== undefined && (value < 0 || !Number.isInteger(value))) throw invalid(keyword, 'a non-negative integer');
  return value;
}

export function readStrings(value: unknown, keyword: string): readonly string[] {
  if (!Array.isArray(value) || !value.every((item) => typeof item === 'string'))
    throw invalid(keyword, 'an array of strings');
  return value;
}

export function readMap(node: SchemaNode, keyword: string): readonly (readonly [string, JsonSchema])[] {
  const value = node.schema[keyword];
  if (value === undefined) return [];
  if (!isSchemaObject(value)) throw invalid(keyword, 'an object');
  return Object.entries(value) as [string, JsonSchema][];
}

export function readList(node: SchemaNode, keyword: string): readonly Check[] | undefined {
  const value = node.schema[keyword];
  if (value === undefined) return undefined;
  if (!Array.isArray(value)) throw invalid(keyword, 'an array of schemas');
  return value.map((item) => node.subschema(item, keyword));
}

export function readOne(node: SchemaNode, keyword: string): Check | undefined {
  const value = node.schema[keyword];
  return value === undefined ? undefined : node.subschema(value, keyword);
}
