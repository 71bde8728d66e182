import type { JSONRPCNotification } from '../jsonrpc/message.ts';
import type { ServerCapabilities } from '../protocol/capabilities.ts';
import type { Implementation } from '../protocol/implementation.ts';
import type { CacheHints } from '../protocol/listing.ts';
import type { Clock } from '../peer/clock.ts';
import type { HeartbeatOptions } from '../peer/heartbeat.ts';
import type { Revision } from '../revisions/revision.ts';
import type { SpokenRevisions } from '../revisions/selection.ts';
import type { ServerContext } from './context.ts';
import type { RequestHandler } from './handler.ts';

/** What a connection reads of its server. All of it is the same for every connection: nothing here belongs to one client. */
export interface ServerCore {
  readonly info: Implementation;
  readonly instructions: string | undefined;
  readonly spoken: SpokenRevisions;
  readonly clock: Clock;
  readonly heartbeat: HeartbeatOptions | undefined;
  readonly discoverHints: CacheHints;
  /** What is offered now; a connection that was told earlier keeps what it was told. */
  capabilities(): ServerCapabilities;
  handlerFor(method: string): RequestHandler | undefined;
  /** Whether resource subscriptions are kept here rather than by a handler of the program's own. */
  keepsSubscriptions(): boolean;
  /** Throws `rate-limited` when the caller has used up its share. */
  admit(ctx: ServerContext): void;
  /** Runs a handler so that calls made on the server object inside it mean this request. */
  enter<T>(ctx: ServerContext, run: () => T): T;
  oninitialized(revision: Revision): void;
  onnotification(notification: JSONRPCNotification): void;
  onproblem(problem: Error): void;
}
