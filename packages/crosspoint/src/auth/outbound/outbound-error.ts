/**
 * Why a request to an address named by a peer was not sent or not finished: `scheme` (not https), `address` (forbidden by the policy),
 * `resolve` (unknown host), `redirect` (not followed), `too-large`, `timeout`, `network` (no response).
 */
export type OutboundFault = 'scheme' | 'address' | 'resolve' | 'redirect' | 'too-large' | 'timeout' | 'network';

/** A request to an address named by a peer was refused or failed. `url` has no query, so it contains no secret. */
export class OutboundError extends Error {
  override readonly name: string = 'OutboundError';
  readonly fault: OutboundFault;
  readonly url: string;

  constructor(fault: OutboundFault, url: URL | string, reason: string, options?: ErrorOptions) {
    const shown = shownAddress(url);
    super(`${shown} was not loaded: ${reason}.`, options);
    this.fault = fault;
    this.url = shown;
  }
}

/** An address without credentials, query and fragment. */
export function shownAddress(url: URL | string): string {
  if (!URL.canParse(String(url))) return 'an invalid address';
  const { protocol, host, pathname } = new URL(url);
  return host === '' ? `${protocol}…` : `${protocol}//${host}${pathname}`;
}
