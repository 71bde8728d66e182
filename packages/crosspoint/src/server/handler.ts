import type { JSONRPCNotification, JsonObject } from '../jsonrpc/message.ts';
import type { Outcome } from '../protocol/outcome.ts';
import type { ServerContext } from './context.ts';

/** A request as handlers see it. */
export interface HandledRequest {
  readonly method: string;
  readonly params: JsonObject;
}

/** Answers a request with its result. What it throws is answered as an error: a `ProtocolError` with its own words, anything else as "Internal error". */
export type RequestHandler = (request: HandledRequest, ctx: ServerContext) => JsonObject | Promise<JsonObject>;

export type NotificationHandler = (notification: JSONRPCNotification) => void | Promise<void>;

/** What ends a request that was handled: its result, unless the asker of the call decided otherwise. */
export function completed(result: JsonObject): Outcome {
  return { kind: 'complete', result };
}

export function isThenable<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}
