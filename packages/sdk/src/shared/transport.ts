/** `shared/transport.js` of v1: the transport interface, and functions around `fetch`. */
import type { JSONRPCMessage, Transport as MainTransport, TransportSendOptions as MainSendOptions } from 'crosspoint';

export {
  fetchLeavingRedirects,
  fetchWithinOrigin,
  followWithinOrigin,
  isWithinOrigin,
  unfollowedRedirect,
} from '../internal/shared/redirects.ts';

export type FetchLike = (url: string | URL, init?: RequestInit) => Promise<Response>;

/** A channel for messages. It goes wherever this library takes a transport. */
export interface Transport extends Omit<MainTransport, 'send'> {
  send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> | void;
}
export type TransportSendOptions = MainSendOptions;

/** Headers of any form, as an object. */
export function normalizeHeaders(headers: RequestInit['headers']): Record<string, string> {
  if (headers === undefined || headers === null) return {};
  return headers instanceof Headers || Array.isArray(headers) ? Object.fromEntries(headers) : { ...headers };
}

/** A fetch with default settings; those of a request override them, header by header. */
export function createFetchWithInit(baseFetch: FetchLike = fetch, baseInit?: RequestInit): FetchLike {
  if (baseInit === undefined) return baseFetch;
  return (url, init) => {
    const headers = { ...normalizeHeaders(baseInit.headers), ...normalizeHeaders(init?.headers) };
    return baseFetch(url, { ...baseInit, ...init, headers });
  };
}
