import { ambient, type OpenSpan, type SpanFacts, type Tracing } from '../tracing/tracing.ts';
import { asError, attempt } from '../values/guard.ts';
import type { JsonObject } from '../values/json.ts';
import { cleanFacts, cleanText } from './clean-facts.ts';
import type { TimelineChange } from './span.ts';
import { spanOf, type SpanRecord, type TraceStore } from './trace-store.ts';

const MAX_NAME = 200;
/** Secrets that were seen on their way and are remembered: the newest. */
const MAX_LEARNT = 500;
/** Shorter texts are not looked for: they would be found everywhere. */
const LEAST_SECRET = 4;

/** A span that is about to begin. */
export interface Beginning {
  readonly kind: string;
  readonly facts: SpanFacts;
  readonly parent?: SpanRecord | undefined;
  /** Ids of spans that led to it as well. */
  readonly links?: readonly string[];
}

/** An open span, and its id: that of its parent where there was no room for it. */
export interface LiveSpan extends OpenSpan {
  readonly id: string;
  readonly record: SpanRecord | undefined;
}

/** Writes spans into the store: with times of one clock, and without secrets. Tells those who watch. */
export class SpanWriter {
  readonly store: TraceStore;
  readonly #onproblem: ((problem: Error) => void) | undefined;
  readonly #listeners = new Set<(change: TimelineChange) => void>();
  readonly #learnt = new Set<string>();
  readonly #origin = Date.now() - performance.now();
  #known: () => Iterable<string> = () => [];

  constructor(store: TraceStore, onproblem: ((problem: Error) => void) | undefined) {
    this.store = store;
    this.#onproblem = onproblem;
  }

  /** Milliseconds since 1970, by a clock that never goes back. */
  now(): number {
    return this.#origin + performance.now();
  }

  knows(secrets: () => Iterable<string>): void {
    this.#known = secrets;
  }

  /** Masks the text wherever it occurs from now on, also as it stands in a URL or in JSON. */
  learn(secret: string): void {
    if (secret.length < LEAST_SECRET) return;
    this.#learnt.delete(secret);
    this.#learnt.add(secret);
    const [oldest] = this.#learnt;
    if (this.#learnt.size > MAX_LEARNT && oldest !== undefined) this.#learnt.delete(oldest);
  }

  watch(listener: (change: TimelineChange) => void): () => void {
    const own = (change: TimelineChange): void => listener(change);
    this.#listeners.add(own);
    return () => void this.#listeners.delete(own);
  }

  begin({ kind, facts, parent, links = [] }: Beginning): LiveSpan {
    const { name, server, ...others } = facts;
    const record = this.store.add(
      {
        kind: kind.slice(0, MAX_NAME),
        name: this.text(name ?? kind, MAX_NAME),
        server: server === undefined ? undefined : this.text(server, MAX_NAME),
        startedAt: this.now(),
        links,
        facts: this.#clean(others),
      },
      parent,
    );
    if (record !== undefined) this.#tell('began', record);
    return {
      id: record?.id ?? parent?.id ?? '',
      record,
      event: (event, about = {}) => this.event(record, event, about),
      set: (more) => this.#change(record, more),
      end: (error) => this.end(record, error),
    };
  }

  event(record: SpanRecord | undefined, name: string, facts: JsonObject): void {
    if (record === undefined) return;
    this.store.addEvent(record, { name: this.text(name, MAX_NAME), at: this.now(), facts: this.#clean(facts) });
    this.#tell('event', record);
  }

  end(record: SpanRecord | undefined, error?: unknown): void {
    if (record === undefined || record.endedAt !== undefined) return;
    this.store.end(record, this.now(), error === undefined ? undefined : this.text(asError(error).message));
    this.#tell('ended', record);
  }

  /** A text as it may be kept. */
  text(text: string, most?: number): string {
    return cleanText(text, this.#secrets, most);
  }

  /** Runs the work in the span, which ends with it. */
  async run<T>(tracing: Tracing, span: LiveSpan, work: (span: OpenSpan) => T | Promise<T>): Promise<T> {
    try {
      const given = await ambient.run({ tracing, span: span.id }, () => work(span));
      span.end();
      return given;
    } catch (error) {
      span.end(error);
      throw error;
    }
  }

  /** The span of the work that runs now, while it is open. */
  current(tracing: Tracing): SpanRecord | undefined {
    const around = ambient.getStore();
    return around?.tracing === tracing ? this.store.open(around.span) : undefined;
  }

  #change(record: SpanRecord | undefined, more: JsonObject): void {
    if (record === undefined) return;
    const { name, server: _fixed, ...others } = more;
    this.store.change(record, {
      name: typeof name === 'string' ? this.text(name, MAX_NAME) : record.name,
      facts: this.#clean({ ...record.facts, ...others }),
    });
  }

  #clean(facts: JsonObject): JsonObject {
    return cleanFacts(facts, this.#secrets);
  }

  readonly #secrets = function* (this: SpanWriter): Iterable<string> {
    for (const known of [this.#known(), this.#learnt])
      for (const secret of known) {
        yield secret;
        yield JSON.stringify(secret).slice(1, -1);
        const encoded = attemptEncoding(secret);
        if (encoded !== secret) yield encoded;
      }
  }.bind(this);

  #tell(type: TimelineChange['type'], record: SpanRecord): void {
    if (this.#listeners.size === 0) return;
    const change = { type, span: spanOf(record) };
    for (const listener of Array.from(this.#listeners))
      attempt(
        () => listener(change),
        (error) =>
          this.#onproblem?.(new Error(`A listener of the timeline failed: ${error.message}`, { cause: error })),
      );
  }
}

function attemptEncoding(text: string): string {
  try {
    return encodeURIComponent(text);
  } catch {
    // Half of a surrogate pair has no such form.
    return text;
  }
}
