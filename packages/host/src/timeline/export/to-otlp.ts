import { isObject, type Json, type JsonObject } from '../../values/json.ts';
import { flatSpans } from '../query.ts';
import type { TimelineSpan } from '../span.ts';

/** The service that the spans are reported as. */
export interface OtlpOptions {
  /** `service.name`; `crosspoint-host` when absent. */
  readonly service?: string;
  /** Further attributes of the resource. */
  readonly resource?: JsonObject;
}

const INTERNAL = 1;
const CLIENT = 3;
const OK = 1;
const ERROR = 2;
/** Kinds of spans that wait for another process. */
const OUTWARD: ReadonlySet<string> = new Set(['request', 'http', 'model']);

/**
 * The spans as a request of OTLP over HTTP in JSON: send it to `/v1/traces` of a collector as `application/json`. Ids, parents and times are those of the timeline;
 * a span that is open ends now, and has the attribute `crosspoint.open`.
 *
 * ```ts
 * await fetch('http://127.0.0.1:4318/v1/traces', {
 *   method: 'POST',
 *   headers: { 'content-type': 'application/json' },
 *   body: JSON.stringify(toOtlp(host.timeline.query())),
 * });
 * ```
 */
export function toOtlp(spans: readonly TimelineSpan[], options: OtlpOptions = {}): JsonObject {
  const { service = 'crosspoint-host', resource = {} } = options;
  const all = flatSpans(spans);
  const traces = new Map(all.map(({ id, trace }) => [id, trace]));
  const now = performance.timeOrigin + performance.now();
  return {
    resourceSpans: [
      {
        resource: { attributes: attributesOf({ 'service.name': service, ...resource }) },
        scopeSpans: [
          { scope: { name: '@crosspoint/host' }, spans: all.map((span) => otlpSpan(span, { traces, now })) },
        ],
      },
    ],
  };
}

function otlpSpan(
  span: TimelineSpan,
  { traces, now }: { readonly traces: ReadonlyMap<string, string>; readonly now: number },
): JsonObject {
  const { id, trace, parent, kind, name, server, startedAt, durationMs, status, error, facts, events, links } = span;
  return {
    traceId: trace,
    spanId: id,
    ...(parent !== undefined && { parentSpanId: parent }),
    name: name === kind ? kind : `${kind} ${name}`,
    kind: OUTWARD.has(kind) ? CLIENT : INTERNAL,
    startTimeUnixNano: nanoseconds(startedAt),
    endTimeUnixNano: nanoseconds(durationMs === undefined ? Math.max(now, startedAt) : startedAt + durationMs),
    attributes: attributesOf({
      'crosspoint.kind': kind,
      'crosspoint.server': server,
      'crosspoint.open': status === 'open' ? true : undefined,
      ...Object.fromEntries(Object.entries(facts).map(([fact, value]) => [attributeName(fact), value])),
    }),
    events: events.map((event) => ({
      timeUnixNano: nanoseconds(event.at),
      name: event.name,
      attributes: attributesOf(event.facts),
    })),
    droppedEventsCount: span.droppedEvents,
    links: links.flatMap((linked) => {
      const traceId = traces.get(linked);
      return traceId === undefined ? [] : [{ traceId, spanId: linked }];
    }),
    status: status === 'failed' ? { code: ERROR, message: error ?? '' } : status === 'ok' ? { code: OK } : {},
  };
}

/** Names of the semantic conventions, where there are such; otherwise in a space of our own. */
const NAMES: Readonly<Record<string, string>> = {
  method: 'http.request.method',
  url: 'url.full',
  status: 'http.response.status_code',
  requestBytes: 'http.request.body.size',
  responseBytes: 'http.response.body.size',
  inputTokens: 'gen_ai.usage.input_tokens',
  outputTokens: 'gen_ai.usage.output_tokens',
};

function attributeName(fact: string): string {
  return NAMES[fact] ?? `crosspoint.${fact}`;
}

function attributesOf(members: JsonObject): Json[] {
  return Object.entries(members).flatMap(([key, value]) =>
    value === undefined || value === null ? [] : [{ key, value: attributeValue(value) }],
  );
}

/** Integers are texts in the JSON of Protocol Buffers; objects are told as their JSON, since collectors drop nested values. */
function attributeValue(value: Json): Json {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value === 'number') return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  if (Array.isArray(value) && !value.some((item: Json) => isObject(item) || Array.isArray(item)))
    return { arrayValue: { values: value.filter((item) => item !== null).map((item: Json) => attributeValue(item)) } };
  return { stringValue: JSON.stringify(value) };
}

/** Milliseconds as nanoseconds, to the microsecond: more than a number can hold, so a text. */
function nanoseconds(ms: number): string {
  return (BigInt(Math.round(ms * 1000)) * 1000n).toString();
}
