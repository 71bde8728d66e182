import MiniSearch, { type SearchResult } from 'minisearch';
import type { Catalogue } from '../catalogue/catalogue.ts';
import { synonymsOf } from './synonyms.ts';
import { FIELDS, documentOf, type Field, type ToolDocument } from './tool-document.ts';
import { queryWordsOf, wordsOf } from './words.ts';

/** A tool that fits a query; the higher the score, the better. Scores of different queries cannot be compared. */
export interface Ranked {
  readonly name: string;
  readonly server: string;
  readonly score: number;
}

const FIELD_NAMES = Object.keys(FIELDS) as Field[];
const BOOSTS = Object.fromEntries(FIELD_NAMES.map((field) => [field, FIELDS[field].boost]));
const MAX_QUERY_WORDS = 24;
const MAX_INSTRUCTION_WORDS = 150;
/** A word of the query counts this much where another word for it is found instead. */
const SYNONYM = 0.45;
const LEAST_PREFIX = 3;
const LEAST_FUZZY = 5;
const FUZZY = 0.2;
/** The most that the instructions of a server add to the score of its tools, as a part of that score. */
const MOST_BY_INSTRUCTIONS = 0.15;

/**
 * Tools of a catalogue by their words. It follows the catalogue: at the next query the tools of changed servers are compared with those that are
 * indexed, and the differing ones replaced, so that a change costs what changed.
 */
export class ToolIndex {
  readonly #catalogue: Catalogue;
  readonly #stop: () => void;
  readonly #changed: Set<string>;
  readonly #servers = new Map<string, ReadonlyMap<string, ToolDocument>>();
  readonly #instructions = new Map<string, ReadonlySet<string>>();
  readonly #index = new MiniSearch<ToolDocument>({
    fields: FIELD_NAMES,
    storeFields: ['server'],
    tokenize: (text, field) => wordsOf(text, FIELDS[field as Field]?.most ?? MAX_QUERY_WORDS),
    processTerm: (term) => term,
    autoVacuum: false,
  });

  constructor(catalogue: Catalogue) {
    this.#catalogue = catalogue;
    this.#changed = new Set(catalogue.servers());
    this.#stop = catalogue.watch((server) => this.#changed.add(server));
  }

  /** The tools that fit the query, best first. Equal ones are in the order of their names. */
  rank(query: string): Ranked[] {
    this.#follow();
    const words = queryWordsOf(query, MAX_QUERY_WORDS);
    const asked = new Set(words);
    const others = [...new Set(words.flatMap((word) => [...synonymsOf(word)]))].filter((word) => !asked.has(word));
    const isAsked = (term: string): boolean => asked.has(term);
    const found = this.#index.search([...words, ...others].join(' '), {
      tokenize: (text) => text.split(' '),
      boost: BOOSTS,
      boostTerm: (term) => (isAsked(term) ? 1 : SYNONYM),
      prefix: (term) => isAsked(term) && term.length >= LEAST_PREFIX,
      fuzzy: (term) => (isAsked(term) && term.length >= LEAST_FUZZY ? FUZZY : false),
      weights: { fuzzy: 0.3, prefix: 0.4 },
      bm25: { k: 1.2, b: 0.7, d: 0.2 },
    });
    return found
      .map((result) => this.#scored(result, words))
      .sort((one, other) => other.score - one.score || (one.name < other.name ? -1 : 1));
  }

  /** Ends following the catalogue. */
  close(): void {
    this.#stop();
  }

  /** The score counts the more, the more of the query's words the tool has, be it by another word for it. */
  #scored({ id, score, queryTerms, server }: SearchResult, words: readonly string[]): Ranked {
    const name = id as string;
    const matched = new Set(queryTerms);
    const has = (word: string): number => {
      if (matched.has(word)) return 1;
      return [...synonymsOf(word)].some((other) => matched.has(other)) ? SYNONYM : 0;
    };
    const covered = words.reduce((sum, word) => sum + has(word), 0) / words.length;
    const known = this.#instructions.get(server as string);
    const named = known === undefined ? 0 : words.filter((word) => known.has(word)).length / words.length;
    const own = (score / queryTerms.length) * covered;
    return { name, server: server as string, score: own * (1 + MOST_BY_INSTRUCTIONS * named) };
  }

  #follow(): void {
    for (const server of this.#changed) this.#renew(server);
    this.#changed.clear();
  }

  #renew(server: string): void {
    const before = this.#servers.get(server) ?? new Map<string, ToolDocument>();
    const now = new Map(this.#catalogue.toolsOf(server).map((tool) => [tool.name, documentOf(tool)]));
    for (const [name, document] of before) {
      const after = now.get(name);
      if (after !== undefined && isSame(document, after)) now.set(name, document);
      else this.#index.remove(document);
    }
    for (const [name, document] of now) if (before.get(name) !== document) this.#index.add(document);
    if (now.size > 0) this.#servers.set(server, now);
    else this.#servers.delete(server);
    const { instructions } = this.#catalogue.listingOf(server) ?? {};
    if (instructions === undefined) this.#instructions.delete(server);
    else this.#instructions.set(server, new Set(wordsOf(instructions, MAX_INSTRUCTION_WORDS)));
  }
}

function isSame(one: ToolDocument, other: ToolDocument): boolean {
  return FIELD_NAMES.every((field) => one[field] === other[field]);
}
