import type { JsonSchema, JsonSchemaObject } from '../json-schema.ts';
import {
  ANNOTATIONS,
  applicators,
  ASSERTED,
  assertions,
  CONTENT,
  each,
  LATER_ANNOTATIONS,
  objectOf,
  SCHEMA,
  schemaArray,
  STRING,
  URI,
  URI_REFERENCE,
  type Keywords,
} from './keyword-schemas.ts';

interface Vocabulary {
  readonly properties: Keywords;
  readonly $defs?: Keywords;
}

/** A draft whose meta-schema consists of vocabularies, each a document of its own. */
interface Draft {
  readonly name: string;
  /** The keyword that lets a reference in one document mean the whole meta-schema. */
  readonly anchor: JsonSchema & object;
  readonly vocabularies: Readonly<Record<string, Vocabulary>>;
  /** The vocabulary that is understood but not required. */
  readonly optional?: string;
  /** Keywords of earlier drafts, which belong to no vocabulary. */
  readonly former: Keywords;
}

const DEFS = '#/$defs/';
const ID_PATTERN = '^[^#]*#?$';

/** How the parts of a meta-schema refer to the whole, and to the document of a vocabulary. */
interface References {
  readonly self: JsonSchema;
  readonly to: (vocabulary: string) => string;
}

const baseOf = (name: string): string => `https://json-schema.org/draft/${name}/`;
const inOther = (vocabulary: string): string => `meta/${vocabulary}`;
const within: References = { self: { $ref: '#' }, to: () => '' };

function joined({ name, vocabularies, former }: Draft): JsonSchemaObject {
  const parts = Object.values(vocabularies);
  return {
    $schema: `${baseOf(name)}schema`,
    type: SCHEMA,
    properties: Object.assign({}, former, ...parts.map(({ properties }) => properties)),
    $defs: Object.assign({}, ...parts.map(({ $defs }) => $defs)),
  };
}

function documents({ name, anchor, vocabularies, optional, former }: Draft): JsonSchema[] {
  const base = baseOf(name);
  const head = (path: string, vocabulary: Record<string, boolean>): object => ({
    $schema: `${base}schema`,
    $id: base + path,
    $vocabulary: Object.fromEntries(Object.entries(vocabulary).map(([key, value]) => [`${base}vocab/${key}`, value])),
    ...anchor,
    type: SCHEMA,
  });
  const names = Object.keys(vocabularies);
  const whole = head('schema', Object.fromEntries(names.map((key) => [key, key !== optional])));
  return [
    { ...whole, allOf: names.map((key) => ({ $ref: `meta/${key}` })), properties: former },
    ...names.map((key) => ({ ...head(`meta/${key}`, { [key]: true }), ...vocabularies[key] })),
  ];
}

/** The vocabularies that both drafts share; `self` is a document's reference to the whole meta-schema. */
function shared(self: JsonSchema, format: string): Record<string, Vocabulary> {
  return {
    validation: {
      properties: {
        ...assertions(DEFS),
        maxContains: { $ref: `${DEFS}nonNegativeInteger` },
        minContains: { $ref: `${DEFS}nonNegativeInteger`, default: 1 },
        dependentRequired: objectOf({ $ref: `${DEFS}stringArray` }),
      },
      $defs: { ...ASSERTED, nonNegativeIntegerDefault0: { $ref: `${DEFS}nonNegativeInteger`, default: 0 } },
    },
    'meta-data': { properties: { ...ANNOTATIONS, ...LATER_ANNOTATIONS } },
    [format]: { properties: { format: STRING } },
    content: { properties: { ...CONTENT, contentSchema: self } },
  };
}

/** Keywords of earlier drafts (`definitions`, `dependencies`), as later drafts still read them. */
function former({ self, to }: References): Record<'definitions' | 'dependencies', JsonSchema & object> {
  return {
    definitions: { ...objectOf(self), default: {} },
    dependencies: objectOf({ anyOf: [self, { $ref: `${to('validation')}${DEFS}stringArray` }] }),
  };
}

function draft201909(references: References): Draft {
  const { self } = references;
  const core = {
    ...each('$ref $recursiveRef', URI_REFERENCE),
    $id: { ...URI_REFERENCE, pattern: ID_PATTERN },
    $schema: URI,
    $anchor: { type: 'string', pattern: '^[A-Za-z][-A-Za-z0-9.:_]*$' },
    $recursiveAnchor: { type: 'boolean', default: false },
    $vocabulary: { ...objectOf({ type: 'boolean' }), propertyNames: URI },
    $comment: STRING,
    $defs: { ...objectOf(self), default: {} },
  };
  const applicator = {
    ...applicators(self, DEFS),
    ...each('additionalItems unevaluatedItems unevaluatedProperties', self),
    items: { anyOf: [self, { $ref: `${DEFS}schemaArray` }] },
    dependentSchemas: objectOf(self),
  };
  return {
    name: '2019-09',
    anchor: { $recursiveAnchor: true },
    vocabularies: {
      core: { properties: core },
      applicator: { properties: applicator, $defs: { schemaArray: schemaArray(self) } },
      ...shared(self, 'format'),
    },
    optional: 'format',
    former: former(references),
  };
}

function draft202012(references: References): Draft {
  const { self, to } = references;
  const anchor = { $ref: `${DEFS}anchorString` };
  const reference = { $ref: `${DEFS}uriReferenceString` };
  const core = {
    ...each('$ref $dynamicRef', reference),
    ...each('$anchor $dynamicAnchor', anchor),
    $id: { ...reference, pattern: ID_PATTERN },
    $schema: { $ref: `${DEFS}uriString` },
    $vocabulary: { ...objectOf({ type: 'boolean' }), propertyNames: { $ref: `${DEFS}uriString` } },
    $comment: STRING,
    $defs: objectOf(self),
  };
  const named = {
    anchorString: { type: 'string', pattern: '^[A-Za-z_][-A-Za-z0-9._]*$' },
    uriString: URI,
    uriReferenceString: URI_REFERENCE,
  };
  const applicator = {
    ...applicators(self, DEFS),
    prefixItems: { $ref: `${DEFS}schemaArray` },
    items: self,
    dependentSchemas: { ...objectOf(self), default: {} },
  };
  const { definitions, dependencies } = former(references);
  const deprecated = true;
  return {
    name: '2020-12',
    anchor: { $dynamicAnchor: 'meta' },
    vocabularies: {
      core: { properties: core, $defs: named },
      applicator: { properties: applicator, $defs: { schemaArray: schemaArray(self) } },
      unevaluated: { properties: each('unevaluatedItems unevaluatedProperties', self) },
      ...shared(self, 'format-annotation'),
    },
    former: {
      definitions: { ...definitions, deprecated },
      dependencies: { ...dependencies, deprecated, default: {} },
      $recursiveAnchor: { $ref: `${to('core')}${DEFS}anchorString`, deprecated },
      $recursiveRef: { $ref: `${to('core')}${DEFS}uriReferenceString`, deprecated },
    },
  };
}

/** The meta-schemas of 2019-09 and 2020-12, with the vocabularies they consist of. */
export function publishedInParts(): JsonSchema[] {
  return [
    ...documents(draft201909({ self: { $recursiveRef: '#' }, to: inOther })),
    ...documents(draft202012({ self: { $dynamicRef: '#meta' }, to: inOther })),
  ];
}

/** The same two as one document each, which names the address of the published one as its `$schema`. */
export function joinedParts(): JsonSchemaObject[] {
  return [joined(draft201909(within)), joined(draft202012(within))];
}
