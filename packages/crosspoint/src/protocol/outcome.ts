import type { JsonObject, RequestId } from '../jsonrpc/message.ts';
import type { ClientCapabilities } from './capabilities.ts';
import type { Implementation } from './implementation.ts';
import type { LoggingLevel } from './logging.ts';

export type AskMethod = 'elicitation/create' | 'sampling/createMessage' | 'roots/list';

/** Whether a request to the client is a question that both families support. */
export function isAskMethod(method: unknown): method is AskMethod {
  return method === 'elicitation/create' || method === 'sampling/createMessage' || method === 'roots/list';
}

/** A question to the client: sent as a live request in one family, embedded in an answer in the other. */
export interface Ask {
  readonly method: AskMethod;
  readonly params: JsonObject;
}

/** The end of a request that did not fail. */
export type Outcome =
  | { readonly kind: 'complete'; readonly result: JsonObject }
  | { readonly kind: 'input-required'; readonly asks: Readonly<Record<string, Ask>>; readonly state?: string }
  | { readonly kind: 'task'; readonly task: JsonObject };

/** The facts about the caller: from the session in one family, from the request itself in the other. Plain data. */
export interface Facts {
  readonly client?: Implementation | undefined;
  readonly capabilities: ClientCapabilities;
  readonly logLevel?: LoggingLevel | undefined;
}

/** The answers and the state that a client sends when it repeats a call that had asked for input. */
export interface Retry {
  readonly state?: string;
  readonly answers: JsonObject;
}

/** A request as the server's core sees it: a view, with the envelope lifted off and `params` not copied. */
export interface Inbound {
  readonly id: RequestId;
  readonly method: string;
  readonly params: JsonObject;
  /** Absent where the session holds the facts. */
  readonly facts: Facts | undefined;
  readonly retry: Retry | undefined;
  readonly progressToken: RequestId | undefined;
}

/** A request as the client's core makes it. */
export interface Outbound {
  readonly method: string;
  readonly params: JsonObject;
  readonly facts: Facts;
  readonly progressToken?: RequestId | undefined;
  readonly retry?: Retry | undefined;
}
