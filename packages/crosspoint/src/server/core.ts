import type { JSONRPCNotification } from '../jsonrpc/message.ts';
import type { ServerCapabilities } from '../protocol/capabilities.ts';
import type { Implementation } from '../protocol/implementation.ts';
import type { CacheHints } from '../protocol/listing.ts';
import type { CallCounts } from '../peer/call-counts.ts';
import type { Clock } from '../peer/clock.ts';
import type { HeartbeatOptions } from '../peer/heartbeat.ts';
import type { Rate } from '../peer/rate-limit.ts';
import type { SpokenRevisions } from '../revisions/selection.ts';
import type { LeftBehind } from '../stores/left-behind.ts';
import type { Store } from '../stores/store.ts';
import type { MessageExtraInfo, Transport } from '../transports/transport.ts';
import type { RoundLimits } from './asking/asking-options.ts';
import type { Replays } from './asking/replay/replays.ts';
import type { Listener } from './changes/change-notices.ts';
import type { Admission } from './callers/admission.ts';
import type { Connection } from './session/connection.ts';
import type { AsyncContext } from './calls/async-context.ts';
import type { Caller } from './calls/context.ts';
import type { RequestHandler } from './calls/handler.ts';
import type { Change } from './changes/listening.ts';
import type { ServerChain } from './calls/middleware.ts';
import type { RequestHandlers } from './calls/request-handlers.ts';
import type { Registry } from './offering/registry.ts';
import type { ServerExtensions } from './server-extension.ts';
import type { Session } from './session/session.ts';
import type { TaskSupport } from './tasks/task-support.ts';

/** The parts of a server that its connections read. All of them are the same for every connection: nothing here belongs to one client. */
export interface ServerCore {
  /** The middleware of the server; absent until some is used. */
  chain: ServerChain | undefined;
  /** Runs calls as tasks; absent until `tasks()` is used. */
  tasks: TaskSupport | undefined;
  readonly info: Implementation;
  readonly instructions: string | undefined;
  readonly spoken: SpokenRevisions;
  readonly clock: Clock;
  readonly heartbeat: HeartbeatOptions | undefined;
  /** Whether `handshake` is `lenient`. */
  readonly lenient: boolean;
  readonly discoverHints: CacheHints;
  /** `undefined` in a server without extensions, which does not have the code for them. */
  extensions: ServerExtensions | undefined;
  /** The current capabilities; an open connection keeps those that it was sent. */
  capabilities(): ServerCapabilities;
  readonly handlers: RequestHandlers;
  /** The handler of a method, or the fallback handler. */
  handlerFor(method: string): RequestHandler | undefined;
  /** Whether this server keeps resource subscriptions itself, and not a handler of the program. */
  keepsSubscriptions(): boolean;
  /** Whether the caller may be notified of updates of this resource. */
  mayWatch(uri: string, caller: Caller): boolean;
  /** Decides whether a call may begin. */
  readonly admission: Admission;
  /** Counts calls together with other servers. */
  useCounts(counts: CallCounts): void;
  /** The rate of outgoing messages of a method to one caller. */
  rateOf(method: string): Rate | undefined;
  /** Sets the store for counts and records, unless there is one already. */
  useStore(store: Store): void;
  /** The store of the server, or of the first HTTP handler that has one. */
  store(): Store | undefined;
  /** The budget for everything that callers leave behind in this process, where there is no store. */
  readonly leftBehind: LeftBehind;
  /** Runs handlers so that calls made on the server object inside one mean its request. */
  readonly asyncContext: AsyncContext;
  /** The tools, prompts and resources of this moment; `undefined` for a plain `Server`. */
  registry(): Registry | undefined;
  /** The bounds of asking. */
  readonly rounds: RoundLimits;
  /** The calls that ask by ending with their questions. */
  readonly replays: Replays;
  /** Makes a connection of a transport; `session` is one that was opened before, perhaps on another node. */
  open(transport: Transport, session?: Session): Promise<Connection>;
  /** Announces a change to all listeners. */
  tell(change: Change): void;
  /** Announces a change of another node to all listeners here but one. */
  relay(change: Change, except: Listener): void;
  /** Adds a listener for changes; the returned function removes it. */
  attach(listener: Listener): () => void;
  readonly log: ((line: string) => void) | undefined;
  oninitialized(connection: Connection): void;
  /** `connection` is absent for a client that has none. */
  onnotification(
    notification: JSONRPCNotification,
    connection: Connection | undefined,
    extra: MessageExtraInfo | undefined,
  ): void;
  onclosed(connection: Connection): void;
  onproblem(problem: Error): void;
}

const cores = new WeakMap<object, ServerCore>();

/** Registers the core of a server, for code beside it such as an HTTP endpoint. */
export function registerCore(server: object, core: ServerCore): void {
  cores.set(server, core);
}

export function coreOf(server: object): ServerCore {
  const core = cores.get(server);
  if (core === undefined)
    throw new TypeError('This is not a server of this library: pass an McpServer or a Server of crosspoint/server.');
  return core;
}
