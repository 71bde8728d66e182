import type { Clock } from '../../../peer/clock.ts';
import type { AuthProvider, TokenHolder } from './auth.ts';

export type FetchLike = ((url: string | URL, init?: RequestInit) => Promise<Response>) & {
  /** Set where the function takes the headers as a plain object, which saves making a `Headers` for each request: 3 µs. */
  readonly takesPlainHeaders?: boolean;
  /** Makes the controller of a request, where the function takes signals that are cheaper than an `AbortSignal`. */
  readonly newController?: () => AbortController;
};

/** How a broken stream is opened again. A delay that the server names takes precedence. */
export interface StreamableHTTPReconnectionOptions {
  /** Longest delay in milliseconds; 30 000 when absent. */
  maxReconnectionDelay: number;
  /** First delay in milliseconds; 1000 when absent. */
  initialReconnectionDelay: number;
  /** Factor from one delay to the next; 1.5 when absent. */
  reconnectionDelayGrowFactor: number;
  /** Most consecutive failures; 10 when absent. */
  maxRetries: number;
}

export interface HttpClientOptions {
  authProvider?: AuthProvider | TokenHolder | undefined;
  /** Options for every request. Headers of the protocol override those given here. */
  requestInit?: RequestInit | undefined;
  fetch?: FetchLike | undefined;
  /** Largest message to read, in bytes; 64 MiB when absent. */
  maxMessageBytes?: number | undefined;
  clock?: Clock | undefined;
}

export interface StreamableHTTPClientTransportOptions extends HttpClientOptions {
  reconnectionOptions?: Partial<StreamableHTTPReconnectionOptions> | undefined;
  /** Id of a session opened earlier; it is continued without another handshake. */
  sessionId?: string | undefined;
  /** Version negotiated in that session; the newest when absent. */
  protocolVersion?: string | undefined;
}

export interface SSEClientTransportOptions extends HttpClientOptions {
  /** `fetch` for opening the stream; the one that posts messages when absent. */
  eventSourceInit?: { fetch?: FetchLike | undefined } | undefined;
}

export const MAX_MESSAGE_BYTES: number = 64 * 1024 * 1024;

/** Milliseconds that a server may take to accept a message that has no answer. */
export const ACCEPT_MS = 60_000;

const RECONNECTION: StreamableHTTPReconnectionOptions = {
  maxReconnectionDelay: 30_000,
  initialReconnectionDelay: 1000,
  reconnectionDelayGrowFactor: 1.5,
  maxRetries: 10,
};

export function reconnection(
  options: Partial<StreamableHTTPReconnectionOptions> | undefined,
): StreamableHTTPReconnectionOptions {
  return { ...RECONNECTION, ...options };
}

/**
 * Milliseconds to wait before attempt number `attempt`, counted from 0. `chance` (0 to 1) takes off up to a quarter, so that clients do not
 * come back together.
 */
export function reconnectionDelay(options: StreamableHTTPReconnectionOptions, attempt: number, chance: number): number {
  const full = Math.min(
    options.maxReconnectionDelay,
    options.initialReconnectionDelay * options.reconnectionDelayGrowFactor ** attempt,
  );
  return full * (1 - chance / 4);
}
