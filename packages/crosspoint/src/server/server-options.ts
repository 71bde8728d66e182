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

export interface ServerOptions {
  capabilities?: ServerCapabilities;
  instructions?: string;
  /** Which revisions are spoken: all, one family, or an exact list. */
  revisions?: RevisionChoice;
  /** How often one caller may do something; goes over the defaults, method by method. */
  limits?: Limits;
  /**
   * How calls that bring an idempotency key are remembered. Given, clients are told that they may rely on it, which a server of several
   * processes must only do with a store they share. When absent they are remembered without a promise; with `false` their key means nothing.
   */
  idempotency?: IdempotencyOptions | false;
  /** Where calls are counted and remembered; the store of the first HTTP handler that has one, or this process, when absent. */
  store?: Store;
  /**
   * How much callers may leave behind in the memory of this process where there is no store: outcomes of calls with a key, calls that have asked, finished
   * tasks, events that streams can be resumed from. 64 MiB in all and 16 MiB for one caller when absent.
   */
  leftBehind?: LeftBehindOptions;
  /** Pings handshake clients and closes the connection of one that stops answering. */
  heartbeat?: HeartbeatOptions;
  /** How long a discover answer may be reused; it is the same for every caller unless the program makes it otherwise. */
  discoverHints?: CacheHints;
  /** Further notifications without params of which one in a tick is enough. List changes are always merged. */
  debouncedNotificationMethods?: readonly string[];
  /**
   * Whether calls on the server object, made anywhere inside a handler, find their request; `true` when absent. It needs asynchronous
   * context, which makes every `await` in a handler dearer: say `false` where handlers use only the context they are given.
   */
  trackRequests?: boolean;
  /** How questions to clients without a live connection are kept between their rounds. */
  asking?: AskingOptions;
  /** Told in one line of each client that begins to talk: who it is, and which revision and family it speaks. */
  log?: (line: string) => void;
  clock?: Clock;
}
