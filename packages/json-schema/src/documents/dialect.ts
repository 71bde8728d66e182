import { isSchemaObject, type JsonSchema } from '../json-schema.ts';
import { UnsupportedDialectError } from '../schema-error.ts';

/** The draft whose rules apply to a schema resource, and the groups of keywords that its meta-schema switches on. */
export interface Dialect {
  readonly draft: 'draft-07' | '2019-09' | '2020-12';
  /** Draft-04 names resources with `id`. */
  readonly idKeyword: '$id' | 'id';
  readonly applicator: boolean;
  readonly validation: boolean;
  readonly unevaluated: boolean;
  readonly assertsFormat: boolean;
}

function wholeDialect(draft: Dialect['draft'], idKeyword: Dialect['idKeyword'] = '$id'): Dialect {
  return { draft, idKeyword, applicator: true, validation: true, unevaluated: true, assertsFormat: false };
}

const draft07 = wholeDialect('draft-07');

export const defaultDialect: Dialect = wholeDialect('2020-12');

/** Dialects by address. Draft-04 and draft-06 are read by the rules of draft-07, which differ from theirs only where the compiler is lenient. */
const known: ReadonlyMap<string, Dialect> = new Map([
  ['http://json-schema.org/draft-04/schema', wholeDialect('draft-07', 'id')],
  ['http://json-schema.org/draft-06/schema', draft07],
  ['http://json-schema.org/draft-07/schema', draft07],
  ['http://json-schema.org/schema', draft07],
  ['https://json-schema.org/draft/2019-09/schema', wholeDialect('2019-09')],
  ['https://json-schema.org/draft/2020-12/schema', defaultDialect],
]);

/** Finds a document by its absolute address among those given. Nothing is ever fetched. */
export type FindDocument = (uri: string) => JsonSchema | undefined;

export function dialectOf(uri: string, find: FindDocument, depth = 0): Dialect {
  const address = uri.replace(/#$/, '');
  const standard =
    known.get(address) ?? known.get(address.replace(/^(https?):/, (_, s) => (s === 'http' ? 'https:' : 'http:')));
  if (standard !== undefined) return standard;
  const meta = find(address);
  if (!isSchemaObject(meta) || typeof meta['$schema'] !== 'string' || depth > 8) throw new UnsupportedDialectError(uri);
  const base = dialectOf(meta['$schema'], find, depth + 1);
  const vocabulary = meta['$vocabulary'];
  return isSchemaObject(vocabulary) && base.draft !== 'draft-07' ? withVocabulary(base, vocabulary, uri) : base;
}

const recognised = [
  'core',
  'applicator',
  'validation',
  'unevaluated',
  'meta-data',
  'content',
  'format',
  'format-annotation',
  'format-assertion',
];

function withVocabulary(base: Dialect, vocabulary: Readonly<Record<string, unknown>>, uri: string): Dialect {
  const prefix = `https://json-schema.org/draft/${base.draft}/vocab/`;
  for (const [name, required] of Object.entries(vocabulary)) {
    const isKnown = name.startsWith(prefix) && recognised.includes(name.slice(prefix.length));
    if (required === true && !isKnown) throw new UnsupportedDialectError(`${uri} (requires the vocabulary ${name})`);
  }
  const has = (name: string): boolean => Object.hasOwn(vocabulary, prefix + name);
  return {
    ...base,
    applicator: has('applicator'),
    validation: has('validation'),
    unevaluated: has(base.draft === '2019-09' ? 'applicator' : 'unevaluated'),
    assertsFormat: has('format-assertion') || vocabulary[`${prefix}format`] === true,
  };
}
