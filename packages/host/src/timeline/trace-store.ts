import { randomBytes } from 'node:crypto';
import type { JsonObject } from '../values/json.ts';
import type { TimelineEvent, TimelineSpan } from './span.ts';

/** Events of one span that are kept: the newest. */
const MAX_EVENTS = 128;
/** The share of the whole that one trace may take, so that a busy server does not push out everything else. */
const SHARE = 1 / 4;
/** Bytes of a span and of an event beside their texts, about. */
const SPAN_BYTES = 400;
const EVENT_BYTES = 100;
/** A span that is nested more deeply stands beside its parent. */
const MAX_DEPTH = 64;

/** A span as it is kept, while it still changes. */
export interface SpanRecord {
  readonly id: string;
  readonly trace: string;
  readonly parent: string | undefined;
  readonly kind: string;
  readonly server: string | undefined;
  readonly startedAt: number;
  readonly links: readonly string[];
  readonly events: TimelineEvent[];
  name: string;
  facts: JsonObject;
  droppedEvents: number;
  endedAt: number | undefined;
  error: string | undefined;
  readonly depth: number;
  /** The number of spans that this one led to and that are kept. */
  children: number;
  bytes: number;
}

interface Trace {
  readonly spans: Map<string, SpanRecord>;
  open: number;
  bytes: number;
}

export interface Limits {
  readonly maxSpans: number;
  readonly maxBytes: number;
}

/** The number of things that were dropped to stay within the limits, since the beginning. */
export interface DroppedCounts {
  readonly traces: number;
  readonly spans: number;
  readonly events: number;
}

export type NewSpan = Pick<SpanRecord, 'kind' | 'name' | 'server' | 'startedAt' | 'links' | 'facts'>;

/**
 * The spans that are kept, by trace. Where there are too many, whole traces are dropped, the one that was used longest ago first and those that have
 * ended before others. A trace of more than a quarter of everything loses its oldest spans that led to no other, so every span that is kept has its parent.
 */
export class TraceStore {
  readonly #limits: Limits;
  readonly #traces = new Map<string, Trace>();
  readonly #spans = new Map<string, SpanRecord>();
  #bytes = 0;
  #dropped = { traces: 0, spans: 0, events: 0 };

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  get dropped(): DroppedCounts {
    return { ...this.#dropped };
  }

  get size(): { readonly traces: number; readonly spans: number; readonly bytes: number } {
    return { traces: this.#traces.size, spans: this.#spans.size, bytes: this.#bytes };
  }

  get(id: string | undefined): SpanRecord | undefined {
    return id === undefined ? undefined : this.#spans.get(id);
  }

  /** The span while it is kept and has not ended. */
  open(id: string | undefined): SpanRecord | undefined {
    const found = this.get(id);
    return found?.endedAt === undefined ? found : undefined;
  }

  all(): IterableIterator<SpanRecord> {
    return this.#spans.values();
  }

  /** Adds a span; `undefined` where its trace is full of spans that are all open. A parent that was dropped makes it the first of a trace. */
  add(span: NewSpan, parent: SpanRecord | undefined): SpanRecord | undefined {
    const above = this.#above(parent);
    const { id: trace, found } = this.#touched(above?.trace);
    const bytes = SPAN_BYTES + span.name.length + JSON.stringify(span.facts).length;
    if (above !== undefined && !this.#makeRoom(found, { spans: 1, bytes })) {
      this.#dropped.spans += 1;
      return undefined;
    }
    const record: SpanRecord = {
      ...span,
      id: randomBytes(8).toString('hex'),
      trace,
      parent: above?.id,
      depth: above === undefined ? 0 : above.depth + 1,
      events: [],
      droppedEvents: 0,
      endedAt: undefined,
      error: undefined,
      children: 0,
      bytes: 0,
    };
    found.spans.set(record.id, record);
    found.open += 1;
    this.#spans.set(record.id, record);
    if (above !== undefined) above.children += 1;
    this.#grow(record, bytes);
    return record;
  }

  addEvent(span: SpanRecord, event: TimelineEvent): void {
    const trace = this.#traceOf(span);
    if (trace === undefined) return;
    const dropOne = (): void => {
      span.droppedEvents += 1;
      this.#dropped.events += 1;
    };
    const bytes = eventBytes(event);
    if (!this.#makeRoom(trace, { spans: 0, bytes })) return dropOne();
    span.events.push(event);
    this.#grow(span, bytes);
    if (span.events.length <= MAX_EVENTS) return;
    const [oldest] = span.events.splice(0, 1);
    if (oldest !== undefined) this.#grow(span, -eventBytes(oldest));
    dropOne();
  }

  /** Replaces the facts; the old ones stay where there is no room. */
  change(span: SpanRecord, { name, facts }: Pick<SpanRecord, 'name' | 'facts'>): void {
    const trace = this.#traceOf(span);
    const bytes = name.length - span.name.length + JSON.stringify(facts).length - JSON.stringify(span.facts).length;
    if (trace === undefined || !this.#makeRoom(trace, { spans: 0, bytes })) return;
    span.name = name;
    span.facts = facts;
    this.#grow(span, bytes);
  }

  end(span: SpanRecord, at: number, error: string | undefined): void {
    span.endedAt = at;
    span.error = error;
    const trace = this.#traceOf(span);
    if (trace === undefined) return;
    trace.open -= 1;
    this.#grow(span, error?.length ?? 0);
  }

  clear(): void {
    for (const id of this.#traces.keys()) this.#drop(id);
    this.#dropped = { traces: 0, spans: 0, events: 0 };
  }

  /** The parent, if it is still kept; an ancestor of it where it is nested too deeply. */
  #above(parent: SpanRecord | undefined): SpanRecord | undefined {
    let above = this.get(parent?.id);
    while (above !== undefined && above.depth >= MAX_DEPTH) above = this.get(above.parent);
    return above;
  }

  #traceOf(span: SpanRecord): Trace | undefined {
    return this.#spans.has(span.id) ? this.#traces.get(span.trace) : undefined;
  }

  /** The trace, as the one that was used last; a new one where there is none. */
  #touched(id: string | undefined): { readonly id: string; readonly found: Trace } {
    const kept = id === undefined ? undefined : this.#traces.get(id);
    const found = kept ?? { spans: new Map<string, SpanRecord>(), open: 0, bytes: 0 };
    const name = id ?? randomBytes(16).toString('hex');
    this.#traces.delete(name);
    this.#traces.set(name, found);
    return { id: name, found };
  }

  #grow(span: SpanRecord, bytes: number): void {
    const trace = this.#traceOf(span);
    if (trace === undefined) return;
    span.bytes += bytes;
    trace.bytes += bytes;
    this.#bytes += bytes;
    const { maxSpans, maxBytes } = this.#limits;
    while ((this.#spans.size > maxSpans || this.#bytes > maxBytes) && this.#traces.size > 1) this.#dropOldest(trace);
  }

  /**
   * Makes room in a trace that would have more than its share: its oldest spans that have ended and led to nothing are dropped, a tenth of the share at a time.
   * False when that is not enough.
   */
  #makeRoom(trace: Trace, more: { readonly spans: number; readonly bytes: number }): boolean {
    const { maxSpans, maxBytes } = this.#limits;
    const fits = (share: number): boolean =>
      trace.spans.size + more.spans <= Math.max(2, maxSpans * share) && trace.bytes + more.bytes <= maxBytes * share;
    if (fits(SHARE)) return true;
    let isLess = true;
    while (isLess) {
      isLess = false;
      for (const span of trace.spans.values()) {
        if (fits(SHARE * 0.9)) return true;
        if (span.endedAt === undefined || span.children > 0 || span.parent === undefined) continue;
        this.#forget(trace, span);
        this.#dropped.spans += 1;
        isLess = true;
      }
    }
    return fits(SHARE);
  }

  /** Drops the trace that was used longest ago, of those that have ended if there is one. */
  #dropOldest(kept: Trace): void {
    let oldest: string | undefined;
    for (const [id, trace] of this.#traces) {
      if (trace === kept) continue;
      oldest ??= id;
      if (trace.open > 0) continue;
      oldest = id;
      break;
    }
    if (oldest === undefined) return;
    this.#dropped.traces += 1;
    this.#dropped.spans += this.#traces.get(oldest)?.spans.size ?? 0;
    this.#drop(oldest);
  }

  #drop(id: string): void {
    const trace = this.#traces.get(id);
    if (trace === undefined) return;
    for (const span of trace.spans.values()) this.#spans.delete(span.id);
    this.#bytes -= trace.bytes;
    this.#traces.delete(id);
  }

  #forget(trace: Trace, span: SpanRecord): void {
    trace.spans.delete(span.id);
    this.#spans.delete(span.id);
    trace.bytes -= span.bytes;
    this.#bytes -= span.bytes;
    const above = this.#spans.get(span.parent ?? '');
    if (above !== undefined) above.children -= 1;
  }
}

function eventBytes({ name, facts }: TimelineEvent): number {
  return EVENT_BYTES + name.length + JSON.stringify(facts).length;
}

/** The span as programs see it. */
export function spanOf(record: SpanRecord, children: readonly TimelineSpan[] = []): TimelineSpan {
  const { id, trace, parent, kind, name, server, startedAt, endedAt, error, facts, events, links, droppedEvents } =
    record;
  return {
    id,
    trace,
    ...(parent !== undefined && { parent }),
    kind,
    name,
    ...(server !== undefined && { server }),
    startedAt,
    ...(endedAt !== undefined && { durationMs: endedAt - startedAt }),
    status: endedAt === undefined ? 'open' : error === undefined ? 'ok' : 'failed',
    ...(error !== undefined && { error }),
    facts,
    events: [...events],
    droppedEvents,
    links,
    children,
  };
}
