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

/** A word of a query, with other words for it. */
interface Meaning {
  readonly word: string;
  readonly others: readonly string[];
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
  /** Every word that a tool has → how many tools. */
  readonly #words = new Map<string, number>();
  readonly #index = new MiniSearch<ToolDocument>({
    fields: FIELD_NAMES,
    storeFields: ['owner'],
    tokenize: termsOf,
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
    const meanings = words.map((word) => ({ word, others: [...synonymsOf(word)] }));
    const others = new Set(meanings.flatMap((meaning) => meaning.others).filter((word) => !asked.has(word)));
    const isAsked = (term: string): boolean => asked.has(term);
    const found = this.#index.search([...words, ...others].join(' '), {
      boost: BOOSTS,
      boostTerm: (term) => (isAsked(term) ? 1 : SYNONYM),
      prefix: (term) => isAsked(term) && term.length >= LEAST_PREFIX,
      fuzzy: (term) => (term.length >= LEAST_FUZZY && !this.#words.has(term) ? FUZZY : false),
      weights: { fuzzy: 0.3, prefix: 0.4 },
      bm25: { k: 1.2, b: 0.7, d: 0.2 },
    });
    return found
      .map((result) => this.#scored(result, meanings))
      .sort((one, other) => other.score - one.score || (one.name < other.name ? -1 : 1));
  }

  /** Ends following the catalogue. */
  close(): void {
    this.#stop();
  }

  /** The score counts the more, the more of the query's words the tool has, be it by another word for it. */
  #scored({ id, score, queryTerms, owner }: SearchResult, meanings: readonly Meaning[]): Ranked {
    const server = owner as string;
    const known = this.#instructions.get(server);
    let [covered, named] = [0, 0];
    for (const { word, others } of meanings) {
      if (queryTerms.includes(word)) covered += 1;
      else if (others.some((other) => queryTerms.includes(other))) covered += SYNONYM;
      if (known?.has(word) === true) named += 1;
    }
    const own = (score / queryTerms.length) * (covered / meanings.length);
    const more = 1 + (MOST_BY_INSTRUCTIONS * named) / meanings.length;
    return { name: id as string, server, score: own * more };
  }

  #follow(): void {
    for (const server of this.#changed) this.#renew(server);
    this.#changed.clear();
  }

  #add(document: ToolDocument): void {
    this.#index.add(document);
    for (const word of wordsIn(document)) this.#words.set(word, (this.#words.get(word) ?? 0) + 1);
  }

  #remove(document: ToolDocument): void {
    this.#index.remove(document);
    for (const word of wordsIn(document)) {
      const left = (this.#words.get(word) ?? 0) - 1;
      if (left > 0) this.#words.set(word, left);
      else this.#words.delete(word);
    }
  }

  #renew(server: string): void {
    const before = this.#servers.get(server) ?? new Map<string, ToolDocument>();
    const now = new Map(this.#catalogue.toolsOf(server).map((tool) => [tool.name, documentOf(tool)]));
    for (const [name, document] of before) {
      const after = now.get(name);
      if (after !== undefined && isSame(document, after)) now.set(name, document);
      else this.#remove(document);
    }
    for (const [name, document] of now) if (before.get(name) !== document) this.#add(document);
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

const wordsIn = (document: ToolDocument): Set<string> =>
  new Set(FIELD_NAMES.flatMap((field) => termsOf(document[field])));

/** The words of a field of a document, or of a query, that has spaces between them. */
function termsOf(text: string): string[] {
  return text === '' ? [] : text.split(' ');
}
