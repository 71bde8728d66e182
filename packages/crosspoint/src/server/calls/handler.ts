import type { JSONRPCNotification, JsonObject } from '../../jsonrpc/message.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import { ProtocolError } from '../../protocol/errors.ts';
import { parseWith, type MessageSchema } from '../../peer/method-of.ts';
import type { Caller, ServerContext } from './context.ts';

/** A request as handlers see it. */
export interface HandledRequest {
  readonly method: string;
  readonly params: JsonObject;
}

/** The message that a handler gets, by the schema or method name it was registered for. */
export type MessageFor<SchemaOrMethod, Otherwise = HandledRequest> =
  SchemaOrMethod extends MessageSchema<infer T> ? T : Otherwise;

/** Answers a request with its result. A `ProtocolError` that it throws is sent as it is; any other error as "Internal error". */
export type RequestHandler = (request: HandledRequest, ctx: ServerContext) => JsonObject | Promise<JsonObject>;

/** Receives a notification, and who sent it. */
export type NotificationHandler = (notification: JSONRPCNotification, from: Caller) => void | Promise<void>;

/** The outcome of a handled request. */
export function completed(result: JsonObject): Outcome {
  return { kind: 'complete', result };
}

export function isThenable<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function';
}

/** Parses a request with the schema of its handler; a failure is the caller's mistake (`invalid-params`). */
export function parseRequest(schema: unknown, { method, params }: HandledRequest): HandledRequest {
  try {
    return parseWith(schema, { method, params });
  } catch (error) {
    throw new ProtocolError(
      'invalid-params',
      `The params of ${method} do not match the schema of its handler.`,
      undefined,
      { cause: error },
    );
  }
}
