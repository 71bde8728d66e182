import type { TimelineSpan } from './span.ts';
import { spanOf, type SpanRecord } from './trace-store.ts';

/** Chooses spans; every member that is given must fit. */
export interface TimelineQuery {
  readonly kinds?: readonly string[];
  readonly server?: string;
  /** The id of a trace. */
  readonly trace?: string;
  /** In milliseconds since 1970: spans that were open then or later. */
  readonly since?: number;
  /** A text in the name, the error, the facts or the events, in letters of either case. */
  readonly text?: string;
  /** The most spans, of which the newest are given; 100 when absent. */
  readonly limit?: number;
}

/** The spans that fit, in the order of their beginning, each with everything that it led to. One that is under another that fits is not given twice. */
export function querySpans(records: Iterable<SpanRecord>, query: TimelineQuery): TimelineSpan[] {
  const all = [...records];
  const children = new Map<string, SpanRecord[]>();
  for (const record of all) {
    if (record.parent === undefined) continue;
    const siblings = children.get(record.parent);
    if (siblings === undefined) children.set(record.parent, [record]);
    else siblings.push(record);
  }
  const isFound = matcher(query);
  const fit = new Set<string>();
  const top: SpanRecord[] = [];
  // A parent is always before its children: one pass is enough.
  for (const record of all) {
    const isUnder = record.parent !== undefined && fit.has(record.parent);
    const isMatch = !isUnder && isFound(record);
    if (isUnder || isMatch) fit.add(record.id);
    if (isMatch) top.push(record);
  }
  const tree = (record: SpanRecord): TimelineSpan => spanOf(record, (children.get(record.id) ?? []).map(tree));
  const { limit = 100 } = query;
  return top.slice(Math.max(0, top.length - Math.max(0, limit))).map(tree);
}

function matcher({ kinds, server, trace, since, text }: TimelineQuery): (record: SpanRecord) => boolean {
  const wanted = text?.toLowerCase();
  return (record) =>
    (kinds === undefined || kinds.includes(record.kind)) &&
    (server === undefined || record.server === server) &&
    (trace === undefined || record.trace === trace) &&
    (since === undefined || record.endedAt === undefined || record.endedAt >= since) &&
    (wanted === undefined || textOf(record).toLowerCase().includes(wanted));
}

function textOf({ name, error, facts, events }: SpanRecord): string {
  return [name, error ?? '', JSON.stringify(facts), JSON.stringify(events)].join('\n');
}

/** Every span of these trees, parents before children. */
export function flatSpans(spans: readonly TimelineSpan[]): TimelineSpan[] {
  return spans.flatMap((span) => [span, ...flatSpans(span.children)]);
}
