import type { Json, JsonObject } from '../../values/json.ts';
import { flatSpans } from '../query.ts';
import type { TimelineSpan } from '../span.ts';

const FORMAT = 'crosspoint-session';
const VERSION = '1.0';
const LINE_SEPARATORS = /[\u2028\u2029]/g;

interface Line extends JsonObject {
  readonly kind: string;
  readonly at: number;
}

/**
 * The spans as the text of a session file, which `readSession` of `@crosspoint/recording` reads: a line of kind `host.<kind>` for each span where it began,
 * with `span`, `parent`, `trace` and `ms`; one of kind `host.event` for each event; and one of kind `stderr` for each line that a server wrote to stderr.
 */
export function toSession(spans: readonly TimelineSpan[]): string {
  const all = flatSpans(spans);
  const started = all.reduce((least, { startedAt }) => Math.min(least, startedAt), all[0]?.startedAt ?? Date.now());
  const lines = all.flatMap((span) => linesOf(span, started)).sort((one, other) => one.at - other.at);
  const servers = [...new Set(all.flatMap(({ server }) => server ?? []))];
  const header = {
    kind: 'session',
    format: FORMAT,
    version: VERSION,
    started: new Date(started).toISOString(),
    by: { name: '@crosspoint/host' },
    hops: Object.fromEntries(servers.map((server) => [server, {}])),
  };
  const dropped = all.reduce((sum, { droppedEvents }) => sum + droppedEvents, 0);
  const end = { kind: 'end', at: lines.at(-1)?.at ?? 0, lines: lines.length, dropped };
  return [header, ...lines, end].map((line) => `${oneLine(line)}\n`).join('');
}

function linesOf(span: TimelineSpan, started: number): Line[] {
  const { id, trace, parent, kind, name, server, durationMs, status, error, facts, events, links } = span;
  const at = (time: number): number => Math.max(0, Math.round((time - started) * 1000) / 1000);
  const place = { ...(server !== undefined && { hop: server }), span: id };
  const whole: Line = {
    kind: `host.${kind.replaceAll(/[^\w-]/g, '-')}`,
    at: at(span.startedAt),
    ...place,
    trace,
    ...(parent !== undefined && { parent }),
    name,
    status,
    ...(durationMs !== undefined && { ms: Math.round(durationMs * 1000) / 1000 }),
    ...(error !== undefined && { error }),
    facts,
    ...(links.length > 0 && { links }),
  };
  const others = events.map((event): Line => {
    const { line } = event.facts;
    if (event.name === 'stderr' && server !== undefined && typeof line === 'string')
      return { kind: 'stderr', at: at(event.at), ...place, text: line };
    return { kind: 'host.event', at: at(event.at), ...place, name: event.name, facts: event.facts };
  });
  return [whole, ...others];
}

function oneLine(value: Json | object): string {
  return JSON.stringify(value).replaceAll(LINE_SEPARATORS, (found) => `\\u${found.charCodeAt(0).toString(16)}`);
}
