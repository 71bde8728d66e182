import { isJsonObject, type ErrorObject, type RequestId } from '../../../../jsonrpc/message.ts';
import { FAULT_CODES, type FaultKind } from '../../../../protocol/errors.ts';
import type { HttpHeaders, HttpReply } from './exchange.ts';

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

/** An error as the whole answer. Without an id where none could be read. */
export function sendError(
  reply: HttpReply,
  status: number,
  error: ErrorObject,
  options: { id?: RequestId | undefined; headers?: HttpHeaders } = {},
): void {
  const body = options.id === undefined ? { jsonrpc: '2.0', error } : { jsonrpc: '2.0', id: options.id, error };
  reply.send(status, jsonHeaders(options.headers ?? NO_HEADERS), JSON.stringify(body));
}

/** Why a request is refused before anyone has read it as a message. */
export interface Refusal {
  readonly status: number;
  readonly kind: Exclude<FaultKind, 'other'>;
  readonly message: string;
}

/** What is said of a failure of ours: nothing of what it was. */
export const INTERNAL: Refusal = { status: 500, kind: 'internal', message: 'Internal error' };
/** To a client that sends more requests on one connection than it waits for. */
export const TOO_MANY_QUEUED: Refusal = {
  status: 429,
  kind: 'rate-limited',
  message: 'Too many requests wait for their answers on this connection.',
};

/** Refuses in words that every client understands, and says when to come again where that helps. */
export function refuse(reply: HttpReply, { status, kind, message }: Refusal, headers: HttpHeaders = {}): void {
  const wait = status === 429 || status === 503 ? { 'Retry-After': '1' } : {};
  sendError(reply, status, { code: FAULT_CODES[kind], message }, { headers: { ...wait, ...headers } });
}

/** When a caller that came too soon may come again, in the whole seconds that HTTP counts in. */
export function retryAfter(status: number, { data }: ErrorObject): HttpHeaders {
  if (status !== 429 && status !== 503) return {};
  const ms = isJsonObject(data) ? Number(data['retryAfterMs']) : Number.NaN;
  return { 'Retry-After': String(Math.max(1, Math.ceil((Number.isFinite(ms) ? ms : 1000) / 1000))) };
}
