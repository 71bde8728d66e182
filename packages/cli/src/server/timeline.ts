import type { TimelineSpan } from '@crosspoint/host/timeline';
import type { ResultOf } from './operations.ts';
import type { Work } from './work.ts';

const MOST = 10_000;

/** The spans that were asked for, each with everything that it led to. */
export function queryTimeline({
  host,
  params: { since, call, limit = 100 },
}: Work<'timeline.query'>): ResultOf<'timeline.query'> {
  const { timeline } = host;
  const { spans: dropped } = timeline.dropped;
  const wanted = { ...(since !== undefined && { since }), limit: call === undefined ? limit : MOST };
  const spans = timeline.query(wanted);
  return { spans: call === undefined ? spans : spansOf(spans, call), dropped };
}

/** A trace, a span, or the spans of a call, by the id of one of them. */
function spansOf(spans: readonly TimelineSpan[], id: string): readonly TimelineSpan[] {
  const traces = spans.filter(({ trace }) => trace === id);
  if (traces.length > 0) return traces;
  return withChildren(spans).filter((span) => span.id === id || (span.kind === 'call' && span.facts['call'] === id));
}

function withChildren(spans: readonly TimelineSpan[]): TimelineSpan[] {
  return spans.flatMap((span) => [span, ...withChildren(span.children)]);
}
