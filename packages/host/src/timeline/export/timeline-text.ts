import type { TimelineSpan } from '../span.ts';

export interface TimelineTextOptions {
  /** Whether durations are written; true when absent. */
  readonly times?: boolean;
  /** Whether events are written; false when absent. */
  readonly events?: boolean;
}

const MAX_LINE = 160;

/** The spans as lines for people: each under the one that led to it, with its kind, name, duration, and why it failed. */
export function timelineText(spans: readonly TimelineSpan[], options: TimelineTextOptions = {}): string {
  return spans.flatMap((span) => linesOf(span, '', options)).join('\n');
}

function linesOf(span: TimelineSpan, indent: string, options: TimelineTextOptions): string[] {
  const { kind, name, server, durationMs, status, error, children } = span;
  const where = server === undefined || name.includes(server) ? '' : ` [${server}]`;
  const time = options.times === false ? '' : durationMs === undefined ? ' …' : ` ${durationMs.toFixed(1)} ms`;
  const end = status === 'failed' ? ` ✗ ${error ?? ''}` : '';
  const events = options.events === true ? span.events : [];
  return [
    cut(`${indent}${name === kind ? kind : `${kind} ${name}`}${where}${time}${end}`),
    ...events.map((event) => cut(`${indent}  · ${event.name} ${JSON.stringify(event.facts)}`)),
    ...children.flatMap((child) => linesOf(child, `${indent}  `, options)),
  ];
}

/** On one line: the texts keep their line ends. */
function cut(text: string): string {
  const line = text.replaceAll('\n', '\\n');
  return line.length <= MAX_LINE ? line : `${line.slice(0, MAX_LINE - 1)}…`;
}
