import type { JsonSchema } from '../json-schema.ts';
import {
  ANNOTATIONS,
  applicators,
  ASSERTED,
  assertions,
  CONTENT,
  objectOf,
  SCHEMA,
  schemaArray,
  STRING,
  URI,
  URI_REFERENCE,
} from './keyword-schemas.ts';

const ADDRESS = 'http://json-schema.org/draft-07/schema#';
const DEFS = '#/definitions/';

/** The meta-schema of draft-07. */
export function draft07(): JsonSchema {
  const self = { $ref: '#' };
  const asserted = assertions(DEFS);
  return {
    $schema: ADDRESS,
    $id: ADDRESS,
    definitions: {
      ...ASSERTED,
      schemaArray: schemaArray(self),
      nonNegativeIntegerDefault0: { allOf: [{ $ref: `${DEFS}nonNegativeInteger` }, { default: 0 }] },
    },
    type: SCHEMA,
    properties: {
      $id: URI_REFERENCE,
      $schema: URI,
      $ref: URI_REFERENCE,
      $comment: STRING,
      ...ANNOTATIONS,
      ...CONTENT,
      format: STRING,
      ...asserted,
      enum: { type: 'array', items: true, minItems: 1, uniqueItems: true },
      ...applicators(self, DEFS),
      additionalItems: self,
      items: { anyOf: [self, { $ref: `${DEFS}schemaArray` }], default: true },
      definitions: { ...objectOf(self), default: {} },
      dependencies: objectOf({ anyOf: [self, { $ref: `${DEFS}stringArray` }] }),
    },
    default: true,
  };
}
