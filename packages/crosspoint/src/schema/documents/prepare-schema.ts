import { parseWith } from '../adapters/parse-json-schema.ts';
import { prepareStandard } from '../adapters/prepare-standard.ts';
import { isRawShape, prepareShape } from '../adapters/raw-shape.ts';
import { assertValidSchema } from '../assert-valid-schema.ts';
import { compileSchema } from '../compile-schema.ts';
import { isSchemaObject, type JsonSchemaObject } from '../json-schema.ts';
import type { AnySchema, Schema, SchemaInput, SchemaOutput, SchemaSide } from '../schema.ts';
import { isStandardTyped } from '../standard-schema.ts';
import { to202012 } from './to-2020-12.ts';

/** The input schema of a tool without parameters: an empty object. */
export const zeroParameters: JsonSchemaObject = Object.freeze({ type: 'object', additionalProperties: false });

const prepared: Readonly<Record<SchemaSide, WeakMap<object, Schema>>> = { input: new WeakMap(), output: new WeakMap() };

/**
 * Turns any supported kind of schema into a JSON Schema and a parser, once per object and side.
 * Throws `TypeError` for a value that is no schema or has no JSON Schema, and `SchemaError` for a JSON Schema that is invalid under its
 * dialect or cannot be compiled.
 */
export function prepareSchema<T extends AnySchema>(input: T, io: SchemaSide): Schema<SchemaInput<T>, SchemaOutput<T>> {
  let schema = isSchemaLike(input) ? prepared[io].get(input) : undefined;
  if (schema === undefined) {
    schema = prepareFresh(input, io);
    prepared[io].set(input, schema);
  }
  return schema as Schema<SchemaInput<T>, SchemaOutput<T>>;
}

function isSchemaLike(value: unknown): value is object {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}

function prepareFresh(input: unknown, side: SchemaSide): Schema {
  if (isStandardTyped(input)) return prepareStandard(input, side);
  if (!isSchemaObject(input)) {
    const got = input === null ? 'null' : Array.isArray(input) ? 'an array' : `a ${typeof input}`;
    throw new TypeError(`Expected a Standard Schema, a shape of them, or a JSON Schema object; got ${got}.`);
  }
  if (isRawShape(input)) return prepareShape(input, side);
  const mixed = Object.entries(input).find(([, member]) => isStandardTyped(member));
  if (mixed !== undefined) {
    throw new TypeError(
      `Member "${mixed[0]}" is a schema but not all members are: this is neither a shape nor a JSON Schema.`,
    );
  }
  // First, because this step bounds the size and depth on which the conversion relies.
  assertValidSchema(input);
  const parse = parseWith(compileSchema(input));
  return { json: to202012(input), parse };
}
