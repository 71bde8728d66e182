import { classifyAddress } from './address-class.ts';
import { OutboundError } from './outbound-error.ts';

export type FetchLike = (url: string | URL, init?: RequestInit) => Promise<Response>;

/** Rules for requests to addresses that a peer named. Defaults are strict: https and public addresses only. */
export interface OutboundPolicy {
  /**
   * Server that names the addresses. Its own host is allowed, because the user chose it, also over plain http if it is reached so; this
   * machine only if the server itself is on it, unless `loopback` says otherwise.
   */
  readonly namedBy?: string | URL | undefined;
  /** Allow addresses of this machine, also over plain http; for development. */
  readonly loopback?: boolean | undefined;
  /** Allow addresses of private networks. Link-local and metadata addresses stay forbidden. */
  readonly privateNetworks?: boolean | undefined;
  /** Hosts that may be in a private network: exact names, or `*.suffix`. */
  readonly privateHosts?: readonly string[] | undefined;
  /** Hosts other than this machine that may be reached over plain http: exact names, or `*.suffix`. */
  readonly plainHttpHosts?: readonly string[] | undefined;
  /** Largest body in bytes; 1 MiB when absent. */
  readonly maxBytes?: number | undefined;
  /** Milliseconds for the whole request, redirects included; 15 000 when absent. */
  readonly timeoutMs?: number | undefined;
  /** Most redirects of a request without credentials; 3 when absent. */
  readonly maxRedirects?: number | undefined;
  /**
   * Sends the requests instead of the runtime. Addresses are then checked only as written, since the library does not see what names
   * resolve to.
   */
  readonly fetch?: FetchLike | undefined;
  /** Resolves a host name; the system's resolver when absent. Used where this library opens the connection itself. */
  readonly resolve?: ((hostname: string) => Promise<readonly string[]>) | undefined;
}

export const OUTBOUND_LIMITS: Readonly<Record<'maxBytes' | 'timeoutMs' | 'maxRedirects', number>> = {
  maxBytes: 1024 * 1024,
  timeoutMs: 15_000,
  maxRedirects: 3,
};

/** Whether a host name means this machine. */
export function isLoopbackName(hostname: string): boolean {
  const name = hostname.toLowerCase().replace(/\.$/, '');
  return name === 'localhost' || name.endsWith('.localhost') || classifyAddress(name) === 'loopback';
}

/** Why an address as written is refused, before it is resolved; `undefined` when it is allowed. */
export function urlFault(url: URL, policy: OutboundPolicy = {}): OutboundError | undefined {
  const { protocol, hostname, username, password } = url;
  const isLoopback = isLoopbackName(hostname);
  if (protocol !== 'https:' && protocol !== 'http:')
    return new OutboundError('scheme', url, `only https addresses are used, not ${protocol}`);
  if (protocol === 'http:' && !(isLoopback && policy.loopback === true) && !isListed(hostname, policy.plainHttpHosts))
    return new OutboundError(
      'scheme',
      url,
      isLoopback
        ? 'addresses of this machine are only used for a server on this machine, or where the outbound policy allows loopback'
        : 'only https addresses are used: over plain http anybody could change the answer',
    );
  if (username !== '' || password !== '')
    return new OutboundError('address', url, 'it carries credentials, which may hide the host');
  if (isLoopback && policy.loopback !== true)
    return new OutboundError(
      'address',
      url,
      'a peer may not name this machine unless the outbound policy allows loopback',
    );
  const literal = classifyAddress(hostname);
  return literal === undefined ? undefined : addressFault(url, hostname, policy);
}

/** Why an address that the host of `url` resolved to is refused; `undefined` when it is allowed. */
export function addressFault(url: URL, address: string, policy: OutboundPolicy = {}): OutboundError | undefined {
  const is = classifyAddress(address) ?? 'never';
  if (is === 'public') return undefined;
  if (is === 'loopback' && policy.loopback === true) return undefined;
  if (is === 'private' && (policy.privateNetworks === true || isListed(url.hostname, policy.privateHosts)))
    return undefined;
  const what = {
    loopback: 'an address of this machine',
    private: 'an address of a private network',
    never: 'a link-local, metadata or reserved address',
  }[is];
  const remedy =
    is === 'private' ? '; list the host in privateHosts of the outbound policy if it is the right one' : '';
  return new OutboundError('address', url, `${url.hostname} is ${what} (${address})${remedy}`);
}

/** Why a page must not be opened in the user's browser; `undefined` for https, and for http on this machine. */
export function openFault(url: URL, policy: OutboundPolicy = {}): OutboundError | undefined {
  const { protocol, hostname, username, password } = url;
  if (protocol !== 'https:' && !(protocol === 'http:' && isLoopbackName(hostname)))
    return protocol === 'http:' && isListed(hostname, policy.plainHttpHosts)
      ? undefined
      : new OutboundError('scheme', url, 'only https pages, and http pages on this machine, are opened in a browser');
  if (username !== '' || password !== '')
    return new OutboundError('address', url, 'it carries credentials, which may hide the host');
  return undefined;
}

function isListed(hostname: string, listed: readonly string[] | undefined): boolean {
  const name = hostname.toLowerCase();
  return (listed ?? []).some((entry) => {
    const wanted = entry.toLowerCase();
    return wanted.startsWith('*.') ? name.endsWith(wanted.slice(1)) : name === wanted;
  });
}

/**
 * The policy for addresses that a server names. Its own host is allowed, because the user chose it; this machine only if the server itself
 * is on it.
 */
export function policyFor(serverUrl: URL | string, policy: OutboundPolicy = {}): OutboundPolicy {
  const { hostname, protocol } = new URL(serverUrl);
  const own = [hostname];
  return {
    ...policy,
    loopback: policy.loopback ?? isLoopbackName(hostname),
    privateHosts: [...own, ...(policy.privateHosts ?? [])],
    plainHttpHosts: [...(protocol === 'http:' ? own : []), ...(policy.plainHttpHosts ?? [])],
  };
}
