import type { Clock } from '../../../peer/clock.ts';
import type { AuthProvider, TokenHolder } from './auth.ts';

export type FetchLike = (url: string | URL, init?: RequestInit) => Promise<Response>;

/** How a broken stream is opened again. A delay named by the server goes before these. */
export interface StreamableHTTPReconnectionOptions {
  /** 30 000 ms when absent. */
  maxReconnectionDelay: number;
  /** 1000 ms when absent. */
  initialReconnectionDelay: number;
  /** 1.5 when absent. */
  reconnectionDelayGrowFactor: number;
  /** In a row; 10 when absent. */
  maxRetries: number;
}

export interface HttpClientOptions {
  authProvider?: AuthProvider | TokenHolder | undefined;
  /** Put into every request; the headers of the protocol go before the ones given here. */
  requestInit?: RequestInit | undefined;
  fetch?: FetchLike | undefined;
  /** The longest message that is read; 64 MiB when absent. */
  maxMessageBytes?: number | undefined;
  clock?: Clock | undefined;
}

export interface StreamableHTTPClientTransportOptions extends HttpClientOptions {
  reconnectionOptions?: Partial<StreamableHTTPReconnectionOptions> | undefined;
  /** Of a session that was opened before: it is gone on with, without another handshake. */
  sessionId?: string | undefined;
  /** What was agreed on in that session; the newest when absent. */
  protocolVersion?: string | undefined;
}

export interface SSEClientTransportOptions extends HttpClientOptions {
  /** What opens the stream, where that is not what posts the messages. */
  eventSourceInit?: { fetch?: FetchLike | undefined } | undefined;
}

export const MAX_MESSAGE_BYTES: number = 64 * 1024 * 1024;

/** How long a server may take to accept a message that it owes no answer to. */
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

/** How long to wait before the given attempt, the first being 0. Chance takes up to a quarter off, so that clients do not come back together. */
export function reconnectionDelay(options: StreamableHTTPReconnectionOptions, attempt: number, chance: number): number {
  const full = Math.min(
    options.maxReconnectionDelay,
    options.initialReconnectionDelay * options.reconnectionDelayGrowFactor ** attempt,
  );
  return full * (1 - chance / 4);
}
