import type { EventStore } from '../../transports/http/event-store.ts';
import type { HttpRequest } from '../../transports/http/exchange.ts';
import type { CorsOptions } from '../../transports/http/cors.ts';
import type { GuardOptions } from '../../transports/http/guards.ts';
import type { AuthInfo } from '../../transports/transport.ts';
import type { Store } from '../../stores/store.ts';

export interface SessionOptions {
  /** How long a session lives without any sign of its client; an open request or stream is a sign. 30 minutes when absent. */
  readonly idleMs?: number;
  /** How many sessions there may be; further ones are answered with 503. 10,000 when absent. */
  readonly max?: number;
  /** Makes session ids: unguessable, and of visible ASCII. */
  readonly generateId?: () => string;
  /** Whether streams can be resumed after a broken connection; true when absent. */
  readonly resumable?: boolean;
  /** How long a stream can be resumed after its last event. 5 minutes when absent. */
  readonly resumeMs?: number;
}

export interface McpHandlerOptions extends GuardOptions {
  /** The only path that is served; any path when absent, for those who route before. */
  readonly path?: string;
  /** Handshake clients get sessions, or with `false` are served without: each request for itself, and no questions to the client. */
  readonly sessions?: SessionOptions | false;
  /** Where sessions and the events of their streams are kept; in memory when absent. */
  readonly store?: Store;
  /** The event store of another library, used instead of the store for events. */
  readonly eventStore?: EventStore;
  /** The older transport with two endpoints: on its own paths, or not at all with `false`. */
  readonly legacySse?: { readonly ssePath?: string; readonly messagesPath?: string } | false;
  /** Answers to handshake clients are JSON whatever happens; they then cannot be told or asked anything meanwhile. */
  readonly jsonOnly?: boolean;
  /** After how long a silence an answer becomes a stream. 15 seconds when absent. */
  readonly streamAfterMs?: number;
  /** How often a silent stream gives a sign of life. 15 seconds when absent. */
  readonly keepAliveMs?: number;
  /** How long a client waits before it comes back to a stream that was closed early. 1 second when absent. */
  readonly retryMs?: number;
  /** The longest body. 4 MiB when absent. */
  readonly maxBodyBytes?: number;
  /** How long a body may take to arrive. 30 seconds when absent. */
  readonly bodyTimeoutMs?: number;
  /** How many listen streams there may be. 10,000 when absent. */
  readonly maxListens?: number;
  /** How long a listen stream lives before it is ended in good order and its client asks again; 0 for ever. One hour when absent. */
  readonly maxListenMs?: number;
  /** Lets web pages of the allowed origins call the server. */
  readonly cors?: CorsOptions | boolean;
  /** Who is calling; decides what a session belongs to. The verified client id when absent. */
  readonly principal?: (authInfo: AuthInfo | undefined, request: HttpRequest) => string | undefined;
}
