export { toOtlp, type OtlpOptions } from './export/to-otlp.ts';
export { toSession } from './export/to-session.ts';
export { timelineText, type TimelineTextOptions } from './export/timeline-text.ts';
export { flatSpans, type TimelineQuery } from './query.ts';
export type { TimelineChange, TimelineEvent, TimelineSpan } from './span.ts';
export { Timeline, timeline, type TimelineOptions } from './timeline.ts';
export type { DroppedCounts } from './trace-store.ts';
