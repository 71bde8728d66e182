import { prepareStandard } from '../adapters/prepare-standard.ts';
import { isRawShape, prepareShape } from '../adapters/raw-shape.ts';
import { isSchemaObject, type JsonSchemaObject, type SchemaSide } from '@crosspoint/json-schema/internal';
import type { AnySchema, Schema, SchemaInput, SchemaOutput } from '../schema.ts';
import { isStandardTyped } from '../standard-schema.ts';
import { definedPreparation } from './preparations.ts';

/** The input schema of a tool without parameters: an empty object. It has `properties`, because some APIs of models refuse a schema without them. */
export const zeroParameters: JsonSchemaObject = Object.freeze({
  type: 'object',
  properties: Object.freeze({}),
  additionalProperties: false,
});

const prepared: Readonly<Record<SchemaSide, WeakMap<object, Schema>>> = { input: new WeakMap(), output: new WeakMap() };

/**
 * Turns a Standard Schema, or an object of them, into a JSON Schema and a parser, once per object and side.
 * Throws `TypeError` for a value that is no schema or has no JSON Schema, and `SchemaError` for a schema of `fromJsonSchema` that is invalid under its
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
  if (isStandardTyped(input)) return definedPreparation(input)?.() ?? prepareStandard(input, side);
  if (!isSchemaObject(input)) {
    const got = input === null ? 'null' : Array.isArray(input) ? 'an array' : `a ${typeof input}`;
    throw new TypeError(`Expected a Standard Schema, or an object of them; got ${got}.`);
  }
  if (isRawShape(input)) return prepareShape(input, side);
  const mixed = Object.entries(input).find(([, member]) => isStandardTyped(member));
  if (mixed !== undefined) {
    throw new TypeError(
      `Member "${mixed[0]}" is a schema but not all members are: this is not an object of schemas, and no JSON Schema.`,
    );
  }
  throw new TypeError(
    "This looks like a JSON Schema. Give it as a schema that can validate: import { fromJsonSchema } from 'crosspoint/schema'; " +
      'then fromJsonSchema({ … }).',
  );
}
