import type { JsonObject } from '../../jsonrpc/message.ts';
import type { LoggingMessage } from '../../protocol/logging.ts';
import type { Progress } from '../../peer/progress.ts';
import type { OutgoingOptions } from '../../peer/outgoing.ts';
import type { Asker } from '../asking/asker.ts';
import type { ServerContext } from './context.ts';
import type { TaskScope } from '../tasks/task-edge.ts';

/**
 * What a connection gives the core for one call. It is the connection itself, so that nothing is made per call that is not used.
 * How a question reaches the client is the edge's choice: live here, replayed or waited for elsewhere.
 */
export interface Edge {
  readonly sessionId: string | undefined;
  /** The task that calls of this edge run as; absent where they are answered by their request. */
  readonly task?: TaskScope | undefined;
  emit(ctx: ServerContext, method: string, params: JsonObject): void;
  /** A notification that the program wrote by hand. Progress, logs and changes go the way that keeps their rules. */
  notify(ctx: ServerContext, method: string, params: JsonObject): void;
  progress(ctx: ServerContext, value: Progress): void;
  log(ctx: ServerContext, message: LoggingMessage): void;
  /** A notification to the client of the session, outside of any request. Does nothing where there is no session. */
  notifySession(method: string, params: JsonObject): void;
  /** How this call asks: live, or by ending with its questions. Throws `cannot-ask` at once where the client cannot be asked; never a silent timeout. */
  openAsker(ctx: ServerContext): Asker;
  /** Any request towards the client, for programs that speak the protocol by hand. */
  request(ctx: ServerContext, method: string, params: JsonObject | undefined, options: AskOptions): Promise<JsonObject>;
}

export type AskOptions = Pick<OutgoingOptions, 'signal' | 'onprogress' | 'idleTimeoutMs' | 'totalTimeoutMs'>;
