import type { Store } from '../../stores/store.ts';
import type { CorsOptions } from '../../transports/http/server/guards/cors.ts';
import type { EventStore } from '../../transports/http/server/sessions/event-store.ts';
import type { HttpAuth } from '../../transports/http/server/guards/http-auth.ts';
import type { HttpRequest } from '../../transports/http/server/adapters/exchange.ts';
import type { GuardOptions } from '../../transports/http/server/guards/host-and-origin.ts';
import type { AuthInfo } from '../../transports/transport.ts';
import type { CallerOptions } from './caller-reader.ts';

export interface SessionOptions {
  /** How long a session lives without any sign of its client; an open request or stream is a sign. 30 minutes when absent. */
  readonly idleMs?: number;
  /**
   * How many sessions there may be, on all nodes that share the store. When all are taken, a caller (by name, else by address) who has fewer than
   * another gets a place of the one who has the most, whose session that was not used for the longest time ends; any other is answered
   * with 503. 10,000 when absent.
   */
  readonly max?: number;
  /** How many requests one session may have open at once, and how many streams; further ones are answered with 429. 100 when absent. */
  readonly maxStreams?: number;
  /** Makes session ids: unguessable, and of visible ASCII. A random UUID when absent. */
  readonly generateId?: () => string;
  /** Whether streams can be resumed after a broken connection; true when absent. */
  readonly resumable?: boolean;
  /** How long streams can be resumed after the last event of the session. 5 minutes when absent. */
  readonly resumeMs?: number;
  /** How many events of one session are kept to be resumed from. 1,000 when absent. */
  readonly maxEvents?: number;
  /** How many bytes of events of one session are kept in memory. 4 MiB when absent. */
  readonly maxEventBytes?: number;
}

/**
 * The older transport with two endpoints.
 * @deprecated HTTP+SSE is deprecated by SEP-2596; the earliest removal is three months after that became final.
 */
export interface LegacySseOptions {
  /** Where its streams are opened. `/sse` when absent. */
  readonly ssePath?: string;
  /** Where its messages are posted. `/messages` when absent. */
  readonly messagesPath?: string;
  /** Also on the path of the endpoint itself: a GET without a session opens a stream of the older kind. */
  readonly samePath?: boolean;
  /** How many streams there may be. When all are taken, places are shared as those of `sessions.max` are. 1,000 when absent. */
  readonly max?: number;
}

export interface McpHandlerOptions extends GuardOptions, CallerOptions {
  /** The only path that is served; any path when absent, for those who route before. */
  readonly path?: string;
  /** A path that answers GET with 200 while requests are taken and 503 afterwards. None when absent. */
  readonly healthPath?: string;
  /** Handshake clients get sessions, or with `false` are served without: each request for itself, and no questions to the client. */
  readonly sessions?: SessionOptions | false;
  /**
   * Where sessions and the events of their streams are kept; in memory when absent. Every node that is given the same shared store serves
   * every session.
   */
  readonly store?: Store;
  /**
   * With a shared store: how long after its last sign of life a node counts as gone. Requests that it worked on are then answered with an error
   * that says that their outcome is unknown. 10 seconds when absent.
   */
  readonly nodeTimeoutMs?: number;
  /** The event store of another library, used instead of the store for events. */
  readonly eventStore?: EventStore;
  /**
   * The older transport: on its own paths, or not at all with `false`.
   * @deprecated HTTP+SSE is deprecated by SEP-2596; the earliest removal is three months after that became final.
   */
  readonly legacySse?: LegacySseOptions | false;
  /** Answers to handshake clients are JSON whatever happens; they then cannot be told or asked anything meanwhile. */
  readonly jsonOnly?: boolean;
  /** After how long a silence an answer becomes a stream. 15 seconds when absent. */
  readonly streamAfterMs?: number;
  /** How often a silent stream gives a sign of life; never when 0. 15 seconds when absent. */
  readonly keepAliveMs?: number;
  /** How long a client waits before it comes back to a stream that was closed early. 1 second when absent. */
  readonly retryMs?: number;
  /** The longest body. 4 MiB when absent. */
  readonly maxBodyBytes?: number;
  /** How long a body may take to arrive. 30 seconds when absent. */
  readonly bodyTimeoutMs?: number;
  /** How much may wait for a reader that is too slow before its stream is cut. 4 MiB when absent. */
  readonly maxBufferedBytes?: number;
  /** How many listen streams there may be. When all are taken, places are shared as those of `sessions.max` are. 10,000 when absent. */
  readonly maxListens?: number;
  /** How long a listen stream may last before it is ended well, for platforms that charge for open requests. For ever when absent. */
  readonly listenLifetimeMs?: number;
  /** Lets web pages of the allowed origins call the server. */
  readonly cors?: CorsOptions | boolean;
  /**
   * Says who sends a request, looking at that request alone. Only an object whose `clientId` is a text that is not empty lets it in, and only until its
   * `expiresAt`; anything else, such as `undefined`, `false` or `{}`, refuses it with 401. Asked of every request but the health check, whatever
   * session it names. Absent: the program decides who comes this far, and hands over what it has verified as `authInfo`.
   */
  readonly authenticate?: (request: HttpRequest) => AuthInfo | undefined | Promise<AuthInfo | undefined>;
  /**
   * Lets in only who may come in, answers for it what clients must know to log in, and refuses calls whose token does not reach far enough:
   * what `requireBearerAuth` of `crosspoint/auth/server` makes. Takes the place of `authenticate`.
   */
  readonly auth?: HttpAuth;
  /**
   * Told of what goes wrong while requests are served, beside the `onerror` of the server. Only here is a function that makes servers and
   * fails reported: there is no server then.
   */
  readonly onerror?: (error: Error) => void;
}
