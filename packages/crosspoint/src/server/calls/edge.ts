import type { JsonObject } from '../../jsonrpc/message.ts';
import type { OutgoingOptions } from '../../peer/outgoing.ts';
import type { LoggingMessage } from '../../protocol/logging.ts';
import type { Carrier } from '../../protocol/operation.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { Asker } from '../asking/asker.ts';
import type { Change } from '../changes/listening.ts';
import type { ServerCore } from '../core.ts';
import type { TaskScope } from '../tasks/task-edge.ts';
import type { Call } from './call.ts';
import type { RequestHandler } from './handler.ts';

/** The side of a call that faces its client: a connection, one HTTP exchange, or a task. It says where messages and the answer go. */
export interface Edge {
  readonly core: ServerCore;
  readonly sessionId: string | undefined;
  /** The group of the session; absent without one. */
  readonly group?: string | undefined;
  /** The task that calls of this edge run as; absent where they are answered by their request. */
  readonly task?: TaskScope | undefined;
  /** The kind of transport that carries the messages, where that is known. */
  readonly carrier?: Carrier | undefined;
  /** The handler of a method that this edge answers itself, before any feature. */
  builtIn(method: string): RequestHandler | undefined;
  /** Called when the answer is not immediate. */
  waits(): void;
  /** Answers the call with its outcome. Does nothing for a call that is over. */
  finish(call: Call, outcome: Outcome): void;
  /** Answers the call with an error. Sends nothing for a call that is over. */
  fail(call: Call, error: unknown): void;
  /** Sends a notification on the channel of this call. */
  deliver(call: Call, method: string, params: JsonObject): void;
  /** The log messages that may be sent to the client of this call now that there is this one more. */
  logsFor(call: Call, message: LoggingMessage): readonly LoggingMessage[];
  /** Any request towards the client: for a call, or without one to its session. Rejects with `cannot-ask` at once where it can be sent none. */
  request(
    call: Call | undefined,
    method: string,
    params: JsonObject | undefined,
    options: AskOptions,
  ): Promise<JsonObject>;
  /** Tells of a change those whom a handler on this edge can tell: its own client, or all. */
  tell(change: Change): void;
  /** A notification to the client of the session, outside of any request. Does nothing where there is no session. */
  notifySession(method: string, params: JsonObject): void;
  /** How calls of this edge ask, where their family does not say it. */
  openAsker?(call: Call): Asker;
}

export type AskOptions = Pick<OutgoingOptions, 'signal' | 'onprogress' | 'idleTimeoutMs' | 'totalTimeoutMs'>;
