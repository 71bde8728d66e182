import type { Store } from '../../stores/store.ts';
import type { CorsOptions } from '../../transports/http/server/guards/cors.ts';
import type { EventStore } from '../../transports/http/server/sessions/event-store.ts';
import type { HttpAuth } from '../../transports/http/server/guards/http-auth.ts';
import type { HttpReply, HttpRequest } from '../../transports/http/server/adapters/exchange.ts';
import type { GuardOptions } from '../../transports/http/server/guards/host-and-origin.ts';
import type { AuthInfo } from '../../transports/transport.ts';
import type { CallerOptions } from './caller-reader.ts';

/** Options of the sessions of handshake clients. */
export interface SessionOptions {
  /** Milliseconds that a session lives without a sign of its client; an open request or stream is a sign. 30 minutes when absent. */
  readonly idleMs?: number;
  /**
   * Most sessions, on all nodes that share the store. When all are taken, a caller (by name, otherwise by address) with fewer sessions than another gets
   * the place of the caller with the most, whose least recently used session ends; any other caller is answered with 503. 10,000 when
   * absent.
   */
  readonly max?: number;
  /** Most open requests of one session, and most streams; further ones are answered with 429. 100 when absent. */
  readonly maxStreams?: number;
  /** Makes session ids: unguessable, of visible ASCII. A random UUID when absent. */
  readonly generateId?: () => string;
  /** Whether streams can be resumed after a broken connection; true when absent. */
  readonly resumable?: boolean;
  /** Milliseconds after the last event of a session in which its streams can be resumed. 5 minutes when absent. */
  readonly resumeMs?: number;
  /** Most events of one session that are kept for resuming. 1,000 when absent. */
  readonly maxEvents?: number;
  /** Most bytes of events of one session that are kept in memory. 4 MiB when absent. */
  readonly maxEventBytes?: number;
}

/**
 * The older transport with two endpoints.
 * @deprecated HTTP+SSE is deprecated by SEP-2596; the earliest removal is three months after that became final.
 */
export interface LegacySseOptions {
  /** The path of its streams. `/sse` when absent. */
  readonly ssePath?: string;
  /** The path for its messages. `/messages` when absent. */
  readonly messagesPath?: string;
  /** Also serves it on the path of the endpoint: a GET without a session then opens a stream of the older kind. */
  readonly samePath?: boolean;
  /** Most streams. When all are taken, places are shared as those of `sessions.max`. 1,000 when absent. */
  readonly max?: number;
}

/**
 * Options of `createMcpHandler`.
 *
 * ```ts
 * createMcpHandler(server, { path: '/mcp', allowedHosts: ['mcp.example.com'], maxBodyBytes: 1024 * 1024 });
 * ```
 */
export interface McpHandlerOptions extends GuardOptions, CallerOptions {
  /** The only path that is served; any path when absent, for programs with their own routing. */
  readonly path?: string;
  /** A path that answers GET with 200 while requests are accepted and with 503 afterwards. None when absent. */
  readonly healthPath?: string;
  /** Sessions for handshake clients. With `false` each request is served on its own, and clients cannot be asked questions. */
  readonly sessions?: SessionOptions | false;
  /**
   * Keeps sessions and the events of their streams; in memory when absent. Every node with the same shared store serves
   * every session.
   */
  readonly store?: Store;
  /**
   * With a shared store: milliseconds after its last sign of life until a node counts as gone. Its unfinished requests are then answered with an
   * error that says that their outcome is unknown. 10 seconds when absent.
   */
  readonly nodeTimeoutMs?: number;
  /** The event store of another library, used instead of the store for events. */
  readonly eventStore?: EventStore;
  /**
   * The older transport: on its own paths, or not at all with `false`.
   * @deprecated HTTP+SSE is deprecated by SEP-2596; the earliest removal is three months after that became final.
   */
  readonly legacySse?: LegacySseOptions | false;
  /** Always answers handshake clients with JSON; they then cannot be sent notifications or questions during a call. */
  readonly jsonOnly?: boolean;
  /** Milliseconds of silence after which an answer becomes a stream. 15 seconds when absent. */
  readonly streamAfterMs?: number;
  /** Milliseconds between comments on a silent stream; 0 for none. 15 seconds when absent. */
  readonly keepAliveMs?: number;
  /** Milliseconds that a client waits before it comes back to a stream that was closed early. 1 second when absent. */
  readonly retryMs?: number;
  /** Longest body in bytes. 4 MiB when absent. */
  readonly maxBodyBytes?: number;
  /** Milliseconds that a body may take to arrive. 30 seconds when absent. */
  readonly bodyTimeoutMs?: number;
  /** Bytes that may wait for a slow reader before its stream is cut. 4 MiB when absent. */
  readonly maxBufferedBytes?: number;
  /** Most listen streams. When all are taken, places are shared as those of `sessions.max`. 10,000 when absent. */
  readonly maxListens?: number;
  /** Milliseconds after which a listen stream is ended in order, for platforms that charge for open requests. No limit when absent. */
  readonly listenLifetimeMs?: number;
  /** Lets web pages of the allowed origins call the server (CORS). */
  readonly cors?: CorsOptions | boolean;
  /**
   * Identifies the sender of a request, from that request alone. Only an object with a non-empty `clientId` admits it, until its `expiresAt`; any other
   * value, such as `undefined`, `false` or `{}`, refuses it with 401. Called for every request except the health check, whatever session it names.
   * When absent: the program decides who gets this far, and passes the verified identity as `authInfo`.
   */
  readonly authenticate?: (request: HttpRequest) => AuthInfo | undefined | Promise<AuthInfo | undefined>;
  /**
   * Admits only callers with a valid token, serves the metadata that clients need to log in, and refuses calls whose token lacks a scope: made by
   * `requireBearerAuth` of `crosspoint/auth/server`. Replaces `authenticate`.
   */
  readonly auth?: HttpAuth;
  /** Sees each request and its reply before they are served: `tapMessages(…).handler` shows the messages in them. */
  readonly tap?: (request: HttpRequest, reply: HttpReply) => void;
  /**
   * Receives errors while requests are served, beside the `onerror` of the server. Errors of a function that makes servers are reported only here:
   * there is no server then.
   */
  readonly onerror?: (error: Error) => void;
}
