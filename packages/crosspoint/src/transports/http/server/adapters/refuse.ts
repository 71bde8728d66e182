import { isJsonObject, type ErrorObject, type RequestId } from '../../../../jsonrpc/message.ts';
import { FAULT_CODES } from '../../../../protocol/errors.ts';
import type { HttpHeaders, HttpReply } from './exchange.ts';
import { NO_HEADERS, jsonHeaders } from './reply-headers.ts';

/** Refusal of a request, before it is read as a message of a revision. */
export interface HttpRefusal {
  readonly status: number;
  /** Sent to the client. */
  readonly message: string;
  /** A kind whose number is the same in every revision; `invalid-request` when absent. */
  readonly kind?: 'parse-error' | 'invalid-request' | 'invalid-params' | 'internal' | 'rate-limited';
  readonly headers?: HttpHeaders;
}

/** The reply to an internal failure; it reveals nothing about it. */
export const INTERNAL: HttpRefusal = { status: 500, kind: 'internal', message: 'Internal error' };
export const CLOSING: HttpRefusal = { status: 503, kind: 'internal', message: 'The server is closing.' };
/** For a client that sends too many requests on one connection without waiting for replies. */
export const TOO_MANY_QUEUED: HttpRefusal = {
  status: 429,
  kind: 'rate-limited',
  message: 'Too many requests wait for their answers on this connection.',
};

/** Sends a refusal as a JSON-RPC error; with `Retry-After` for 429 and 503. */
export function refuse(reply: HttpReply, refusal: HttpRefusal, headers: HttpHeaders = NO_HEADERS): void {
  const { status, kind = 'invalid-request', message } = refusal;
  const wait = status === 429 || status === 503 ? { 'Retry-After': '1' } : {};
  const error = { code: FAULT_CODES[kind], message };
  sendError(reply, status, error, { headers: { ...wait, ...headers, ...refusal.headers } });
}

/** Sends an error as the whole reply; without an id where none could be read. */
export function sendError(
  reply: HttpReply,
  status: number,
  error: ErrorObject,
  options: { id?: RequestId | undefined; headers?: HttpHeaders } = {},
): void {
  const body = options.id === undefined ? { jsonrpc: '2.0', error } : { jsonrpc: '2.0', id: options.id, error };
  reply.send(status, jsonHeaders(options.headers ?? NO_HEADERS), JSON.stringify(body));
}

/** The `Retry-After` header, in whole seconds as HTTP requires. */
export function retryAfter(status: number, { data }: ErrorObject): HttpHeaders {
  if (status !== 429 && status !== 503) return {};
  const ms = isJsonObject(data) ? Number(data['retryAfterMs']) : Number.NaN;
  return { 'Retry-After': String(Math.max(1, Math.ceil((Number.isFinite(ms) ? ms : 1000) / 1000))) };
}
