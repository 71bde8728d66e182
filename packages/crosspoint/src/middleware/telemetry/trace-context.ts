import {
  baggageEntryMetadataFromString,
  createTraceState,
  isSpanContextValid,
  propagation,
  trace,
  type BaggageEntry,
  type Context,
  type TextMapPropagator,
} from '@opentelemetry/api';
import { isJsonObject, type JsonObject } from '../../jsonrpc/message.ts';

/** The `_meta` keys of trace context. No other key is written or read. */
const KEYS: readonly string[] = ['traceparent', 'tracestate', 'baggage'];
const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const MAX_BAGGAGE = 8192;
const MAX_ENTRIES = 64;

/** A token, as W3C Baggage has the names of entries. */
const NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** The other characters of a baggage entry or its metadata, as written. */
const WRITTEN = /^[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]*$/;

/** The params with the trace context in their `_meta`. A trace context that the program has put there itself stays. */
export function injected(params: JsonObject, context: Context, propagator: TextMapPropagator): JsonObject {
  const carrier: Record<string, string> = {};
  propagator.inject(context, carrier, {
    set: (into: Record<string, string>, key, value) => {
      if (KEYS.includes(key.toLowerCase())) into[key.toLowerCase()] = value;
    },
  });
  const meta = isJsonObject(params['_meta']) ? params['_meta'] : {};
  if (meta['traceparent'] !== undefined || Object.keys(carrier).length === 0) return params;
  return { ...params, _meta: { ...carrier, ...meta } };
}

/** The context with the trace that the caller names in `_meta`. Invalid values are ignored. */
export function extracted(params: JsonObject, context: Context, propagator: TextMapPropagator): Context {
  const meta = params['_meta'];
  if (!isJsonObject(meta)) return context;
  return propagator.extract(context, meta, {
    keys: (from) => KEYS.filter((key) => typeof from[key] === 'string'),
    get: (from, key) => {
      const value = KEYS.includes(key.toLowerCase()) ? from[key.toLowerCase()] : undefined;
      return typeof value === 'string' ? value : undefined;
    },
  });
}

/** The propagator for W3C Trace Context and W3C Baggage, the formats for which the protocol has keys. */
export const w3c: TextMapPropagator = {
  fields: () => [...KEYS],

  inject(context, carrier, setter) {
    const span = trace.getSpanContext(context);
    if (span !== undefined && isSpanContextValid(span)) {
      const flags = (span.traceFlags & 0xff).toString(16).padStart(2, '0');
      setter.set(carrier, 'traceparent', `00-${span.traceId}-${span.spanId}-${flags}`);
      const state = span.traceState?.serialize() ?? '';
      if (state !== '') setter.set(carrier, 'tracestate', state);
    }
    const baggage = writeBaggage(context);
    if (baggage !== '') setter.set(carrier, 'baggage', baggage);
  },

  extract(context, carrier, getter) {
    const withBaggage = readBaggage(context, singleValue(getter.get(carrier, 'baggage')));
    const [, version, traceId = '', spanId = '', flags = '', more] =
      TRACEPARENT.exec(singleValue(getter.get(carrier, 'traceparent'))) ?? [];
    const isKnown = version !== undefined && version !== 'ff' && !(version === '00' && more !== undefined);
    const span = { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true };
    if (!isKnown || !isSpanContextValid(span)) return withBaggage;
    const state = singleValue(getter.get(carrier, 'tracestate'));
    const traceState = state === '' ? undefined : createTraceState(state);
    return trace.setSpanContext(withBaggage, traceState === undefined ? span : { ...span, traceState });
  },
};

function singleValue(value: string | string[] | undefined): string {
  return typeof value === 'string' ? value : '';
}

function writeBaggage(context: Context): string {
  const entries = propagation.getBaggage(context)?.getAllEntries() ?? [];
  let text = '';
  for (const [name, { value, metadata }] of entries.slice(0, MAX_ENTRIES)) {
    const written = metadata === undefined ? '' : `;${metadata.toString()}`;
    if (!NAME.test(name) || !WRITTEN.test(written.replaceAll(';', ''))) continue;
    const entry = `${name}=${encodeURIComponent(value)}${written}`;
    if (text.length + entry.length + 1 > MAX_BAGGAGE) break;
    text += text === '' ? entry : `,${entry}`;
  }
  return text;
}

function readBaggage(context: Context, text: string): Context {
  if (text === '' || text.length > MAX_BAGGAGE) return context;
  const entries: Record<string, BaggageEntry> = Object.create(null) as Record<string, BaggageEntry>;
  for (const member of text.split(',').slice(0, MAX_ENTRIES)) {
    const [pair = '', ...properties] = member.trim().split(';');
    const equals = pair.indexOf('=');
    const name = pair.slice(0, Math.max(0, equals)).trim();
    const value = decoded(pair.slice(equals + 1).trim());
    if (equals <= 0 || !NAME.test(name) || value === undefined) continue;
    const metadata = properties.map((property) => property.trim()).join(';');
    entries[name] = metadata === '' ? { value } : { value, metadata: baggageEntryMetadataFromString(metadata) };
  }
  return Object.keys(entries).length === 0
    ? context
    : propagation.setBaggage(context, propagation.createBaggage(entries));
}

function decoded(value: string): string | undefined {
  if (!WRITTEN.test(value)) return undefined;
  try {
    return decodeURIComponent(value);
  } catch {
    return undefined;
  }
}
