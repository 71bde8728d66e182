import { OutboundError, createOutboundFetch, type OutboundPolicy } from 'crosspoint/auth';
import { createFetchWithInit, type FetchLike } from '../../shared/transport.ts';
import { fetchWithinOrigin } from '../shared/redirects.ts';
import { programFetch } from './program-fetch.ts';

/** Those made here; they are not guarded again, with the rules for another server. */
const GUARDED = new WeakSet<FetchLike>();

interface GuardOptions {
  /** Rules for the addresses, beside those for what a server names. */
  readonly policy?: OutboundPolicy | undefined;
  /** Settings of every request. Its headers are sent to the server's own origin alone, because they may carry credentials for it. */
  readonly requestInit?: RequestInit | undefined;
}

/**
 * A `fetch` for addresses that a server names: those of this machine and of private networks are refused unless the server itself is there,
 * and redirects are followed within their origin. Requests go through `given`, else through the `fetch` of a program that replaced it, as
 * they are; there, addresses are checked as written. Otherwise the library connects, to the address that it has checked, and failures to
 * reach it are the `TypeError` that `fetch` rejects with.
 */
export function guardedFetch(
  server: string | URL,
  given: FetchLike | undefined,
  { policy, requestInit = {} }: GuardOptions = {},
): FetchLike {
  if (given !== undefined && GUARDED.has(given)) return given;
  const guard = createOutboundFetch({ ...policy, namedBy: server });
  const runtimes = 'dispatcher' in requestInit ? globalThis.fetch : undefined;
  const send = given ?? policy?.fetch ?? programFetch() ?? runtimes;
  const checked: FetchLike = async (url, init) => {
    if (send === undefined) return guard(url, init).catch(asFetchFails);
    guard.check(url);
    return send(url, init);
  };
  const guarded = fetchWithinOrigin(withInit(checked, requestInit, new URL(server).origin));
  GUARDED.add(guarded);
  return guarded;
}

function withInit(send: FetchLike, requestInit: RequestInit, origin: string): FetchLike {
  if (Object.keys(requestInit).length === 0) return send;
  const { headers: _, ...elsewhere } = requestInit;
  const [here, away] = [requestInit, elsewhere].map((base) => createFetchWithInit(send, base)) as [
    FetchLike,
    FetchLike,
  ];
  return (url, init) => (new URL(url).origin === origin ? here : away)(url, init);
}

function asFetchFails(error: unknown): never {
  const isUnreachable = error instanceof OutboundError && (error.fault === 'network' || error.fault === 'resolve');
  throw isUnreachable ? new TypeError('fetch failed', { cause: error }) : error;
}

/** Whether a request was not sent because of where it would have gone. */
export function isRefusedAddress(error: unknown): boolean {
  return error instanceof OutboundError && (error.fault === 'address' || error.fault === 'scheme');
}

/** Throws for a page that must not be opened: as an address of a request, it would be refused. */
export function checkPage(server: string | URL, page: URL, policy?: OutboundPolicy): void {
  createOutboundFetch({ ...policy, namedBy: server }).check(page);
}
