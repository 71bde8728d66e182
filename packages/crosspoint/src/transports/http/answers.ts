import type { ErrorObject, RequestId } from '../../jsonrpc/message.ts';
import type { HttpHeaders, HttpReply } from './exchange.ts';

export const JSON_HEADERS: HttpHeaders = { 'Content-Type': 'application/json' };

/** Proxies must pass events on at once, and nobody may keep them. */
export const STREAM_HEADERS: HttpHeaders = { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-cache, no-transform', 'X-Accel-Buffering': 'no' };

/** An error as the whole answer. Without an id where none could be read. */
export function sendError(reply: HttpReply, status: number, error: ErrorObject, options: { id?: RequestId | undefined; headers?: HttpHeaders } = {}): void {
  const body = options.id === undefined ? { jsonrpc: '2.0', error } : { jsonrpc: '2.0', id: options.id, error };
  reply.send(status, { ...JSON_HEADERS, ...options.headers }, JSON.stringify(body));
}
