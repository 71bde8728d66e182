import type { HttpHeaders } from './exchange.ts';

/** Where an answer has no headers of its own. */
export const NO_HEADERS: HttpHeaders = Object.freeze({});

const JSON_TYPE = 'application/json';
const JSON_HEADERS: HttpHeaders = Object.freeze({ 'Content-Type': JSON_TYPE });

const STREAM_TYPE = 'text/event-stream';
const UNKEPT = 'no-cache, no-transform';
/** Proxies must pass events on at once, and nobody may keep them. */
const STREAM_HEADERS: HttpHeaders = Object.freeze({
  'Content-Type': STREAM_TYPE,
  'Cache-Control': UNKEPT,
  'X-Accel-Buffering': 'no',
});

/** The head of an answer of known length. Most have one of two, which are written down at once: adding to what was copied is slow. */
export function withLength(headers: HttpHeaders, length: number): Record<string, string | number> {
  if (headers === JSON_HEADERS) return { 'Content-Type': JSON_TYPE, 'Content-Length': length };
  if (headers !== STREAM_HEADERS) return { ...headers, 'Content-Length': length };
  return {
    'Content-Type': STREAM_TYPE,
    'Cache-Control': UNKEPT,
    'X-Accel-Buffering': 'no',
    'Content-Length': length,
  };
}

export function jsonHeaders(headers: HttpHeaders): HttpHeaders {
  return headers === NO_HEADERS ? JSON_HEADERS : { ...JSON_HEADERS, ...headers };
}

export function streamHeaders(headers: HttpHeaders): HttpHeaders {
  return headers === NO_HEADERS ? STREAM_HEADERS : { ...STREAM_HEADERS, ...headers };
}
