/* oxlint-disable unicorn/no-thenable -- `then` is a keyword */
import type { JsonSchema } from '../json-schema.ts';

/** The schema of each keyword's value, in one vocabulary or in a draft without vocabularies. */
export type Keywords = Record<string, JsonSchema>;

export const STRING = { type: 'string' };
export const URI = { type: 'string', format: 'uri' };
export const URI_REFERENCE = { type: 'string', format: 'uri-reference' };
export const SCHEMA: readonly string[] = ['object', 'boolean'];
const FLAG = { type: 'boolean', default: false };
const LIST = { type: 'array', items: true };

/** Gives each of these keywords the same schema. */
export function each(keywords: string, schema: JsonSchema): Keywords {
  return Object.fromEntries(keywords.split(' ').map((keyword) => [keyword, schema]));
}

export function objectOf(members: JsonSchema): { type: string; additionalProperties: JsonSchema } {
  return { type: 'object', additionalProperties: members };
}

/** Keywords that hold schemas, in every draft; `self` is how a draft refers to itself, `defs` where it keeps what it names. */
export function applicators(self: JsonSchema, defs: string): Keywords {
  return {
    ...each('contains additionalProperties propertyNames if then else not', self),
    ...each('allOf anyOf oneOf', { $ref: `${defs}schemaArray` }),
    properties: { ...objectOf(self), default: {} },
    patternProperties: { ...objectOf(self), propertyNames: { format: 'regex' }, default: {} },
  };
}

export function schemaArray(self: JsonSchema): JsonSchema {
  return { type: 'array', minItems: 1, items: self };
}

/** Keywords that say what a value must be, in every draft. */
export function assertions(defs: string): Keywords {
  const simpleTypes = { $ref: `${defs}simpleTypes` };
  return {
    ...each('maximum exclusiveMaximum minimum exclusiveMinimum', { type: 'number' }),
    ...each('maxLength maxItems maxProperties', { $ref: `${defs}nonNegativeInteger` }),
    ...each('minLength minItems minProperties', { $ref: `${defs}nonNegativeIntegerDefault0` }),
    multipleOf: { type: 'number', exclusiveMinimum: 0 },
    pattern: { type: 'string', format: 'regex' },
    uniqueItems: FLAG,
    required: { $ref: `${defs}stringArray` },
    const: true,
    enum: LIST,
    type: { anyOf: [simpleTypes, { type: 'array', items: simpleTypes, minItems: 1, uniqueItems: true }] },
  };
}

/** The definitions that `assertions` refers to. */
export const ASSERTED: Keywords = {
  nonNegativeInteger: { type: 'integer', minimum: 0 },
  simpleTypes: { enum: ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'] },
  stringArray: { type: 'array', items: STRING, uniqueItems: true, default: [] },
};

/** Keywords that only annotate, in every draft. */
export const ANNOTATIONS: Keywords = {
  title: STRING,
  description: STRING,
  default: true,
  readOnly: FLAG,
  examples: LIST,
};

export const LATER_ANNOTATIONS: Keywords = { deprecated: FLAG, writeOnly: FLAG };

export const CONTENT: Keywords = { contentMediaType: STRING, contentEncoding: STRING };
