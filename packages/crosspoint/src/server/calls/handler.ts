import type { JSONRPCNotification, JsonObject } from '../../jsonrpc/message.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import { ProtocolError } from '../../protocol/errors.ts';
import { parseWith, type MessageSchema } from '../../peer/method-of.ts';
import type { ServerContext } from './context.ts';

/** A request as handlers see it. */
export interface HandledRequest {
  readonly method: string;
  readonly params: JsonObject;
}

/** What a handler gets that is registered for a schema, or for the name of a method. */
export type MessageFor<SchemaOrMethod, Otherwise = HandledRequest> =
  SchemaOrMethod extends MessageSchema<infer T> ? T : Otherwise;

/** Answers a request with its result. What it throws is answered as an error: a `ProtocolError` with its own words, anything else as "Internal error". */
export type RequestHandler = (request: HandledRequest, ctx: ServerContext) => JsonObject | Promise<JsonObject>;

export type NotificationHandler = (notification: JSONRPCNotification) => void | Promise<void>;

/** What ends a request that was handled: its result, unless the asker of the call decided otherwise. */
export function completed(result: JsonObject): Outcome {
  return { kind: 'complete', result };
}

export function isThenable<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function';
}

/** What the schema of a schema-first handler refuses is the caller's mistake. */
export function parseRequest(schema: unknown, { method, params }: HandledRequest): HandledRequest {
  try {
    return parseWith(schema, { method, params });
  } catch (error) {
    throw new ProtocolError('invalid-params', `The params of ${method} are not valid.`, undefined, { cause: error });
  }
}
