import type { ServerCapabilities } from '../protocol/capabilities.ts';
import type { CacheHints } from '../protocol/listing.ts';
import type { Clock } from '../peer/clock.ts';
import type { HeartbeatOptions } from '../peer/heartbeat.ts';
import type { RevisionChoice } from '../revisions/selection.ts';
import type { AskingOptions } from './asking/asking-options.ts';
import type { Limits } from '../peer/limiter.ts';
import type { LeftBehindOptions } from '../stores/left-behind.ts';
import type { Store } from '../stores/store.ts';
import type { IdempotencyOptions } from './idempotency/keyed-calls.ts';

/**
 * Options of a server.
 *
 * ```ts
 * new McpServer({ name: 'shop', version: '1.0.0' }, { instructions: 'Search before you order.', limits: { 'tools/call': { perSecond: 5, burst: 10 } } });
 * ```
 */
export interface ServerOptions {
  /** Capabilities to declare beside those that registered tools, resources and prompts bring, such as `{ logging: {} }` or `{ resources: { subscribe: true } }`. */
  capabilities?: ServerCapabilities;
  /** A text for the model about how to use the server as a whole; hosts may put it into the system prompt. */
  instructions?: string;
  /** The revisions to speak: all, one family, or an exact list. */
  revisions?: RevisionChoice;
  /** Rate limits of one caller; they override the defaults, method by method. */
  limits?: Limits;
  /**
   * Options for calls with an idempotency key. When given, clients are told that they may rely on it, which a server of several processes must only do with a
   * shared store. When absent, calls are remembered without a promise; with `false`, keys are ignored.
   */
  idempotency?: IdempotencyOptions | false;
  /** The store for counts and outcomes; when absent, that of the first HTTP handler that has one, or this process. */
  store?: Store;
  /**
   * Limits on the bytes that callers leave behind in this process where there is no store: outcomes of calls with a key, calls that have asked, finished tasks,
   * events of resumable streams. 64 MiB in all and 16 MiB for one caller when absent.
   */
  leftBehind?: LeftBehindOptions;
  /** Pings handshake clients and closes the connection of one that stops answering. */
  heartbeat?: HeartbeatOptions;
  /** How long the answer to `server/discover` may be reused; it is the same for every caller unless the program makes it otherwise. */
  discoverHints?: CacheHints;
  /** Further notifications without params that are sent once per tick at most. List changes are always merged. */
  debouncedNotificationMethods?: readonly string[];
  /**
   * Whether calls on the server object, made anywhere inside a handler, find their request; `true` when absent. It needs asynchronous context, which makes
   * every `await` in a handler slower: set it to `false` where handlers use only the context they are given.
   */
  trackRequests?: boolean;
  /**
   * How clients with a handshake are treated where the specification leaves room. `lenient` serves requests that come before `initialize` and lets a client
   * shake hands again, has handlers for methods whose capability is not declared, and tells every change, whether or not it was declared or subscribed to;
   * those that a handler sends go with its request. The reason of a cancelled call's signal is then what the client gave. `strict` when absent.
   */
  handshake?: 'strict' | 'lenient';
  /** Options for questions to clients without a live connection. */
  asking?: AskingOptions;
  /** Receives one line for each client that connects: its name, revision and family. */
  log?: (line: string) => void;
  /** Source of time, for tests; the system's clock when absent. */
  clock?: Clock;
}
