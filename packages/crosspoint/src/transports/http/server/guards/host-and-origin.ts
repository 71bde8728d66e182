import type { HttpRequest } from '../adapters/exchange.ts';
import { remembered } from './remembered.ts';
import { isLoopbackName } from '../../../../runtime/loopback.ts';

export interface GuardOptions {
  /** Host names (with or without a port) under which the server may be reached. */
  readonly allowedHosts?: readonly string[];
  /** Origins of web pages that may call the server, such as `https://app.example.com`. */
  readonly allowedOrigins?: readonly string[];
}

/**
 * Why a request is refused before anything else is looked at, or `undefined`. A web page can make a browser send requests here; when a name
 * it owns is pointed at this machine (DNS rebinding) they even look like its own. A program that is no browser sends no Origin.
 *
 * | Host | Origin | decision |
 * |---|---|---|
 * | in `allowedHosts`, or a loopback name on a loopback connection | absent | served |
 * | as above | in `allowedOrigins`, or a loopback origin on a loopback connection | served |
 * | as above | any other | refused |
 * | any other, with `allowedHosts` given or on a loopback connection | any | refused |
 * | any other, elsewhere and without `allowedHosts` | absent, and not sent by a browser | served |
 * | as above | in `allowedOrigins` | served |
 * | as above | any other, or a browser's request without one | refused |
 */
export function refusal(request: HttpRequest, { allowedHosts, allowedOrigins }: GuardOptions): string | undefined {
  const host = request.header('host');
  const origin = request.header('origin');
  const loopback = request.isLoopback === true;
  const hostIsKnown = isListed(host, allowedHosts) || (loopback && allowedHosts === undefined && isLoopbackHost(host));
  if (!hostIsKnown && (loopback || allowedHosts !== undefined))
    return `The Host ${quote(host)} is not allowed here. Add it to allowedHosts.`;
  if (origin === undefined) {
    const fromBrowser = request.header('sec-fetch-site') !== undefined && request.header('sec-fetch-site') !== 'none';
    return fromBrowser && !hostIsKnown
      ? `A browser's request to ${quote(host)} is not allowed here. Add the host to allowedHosts.`
      : undefined;
  }
  const originIsKnown =
    allowedOrigins?.some((entry) => entry.toLowerCase() === origin.toLowerCase()) ||
    (loopback && allowedOrigins === undefined && isLoopbackName(nameOfOrigin(origin)));
  return originIsKnown ? undefined : `The Origin ${quote(origin)} is not allowed here. Add it to allowedOrigins.`;
}

/** Whether a host is in the list, ignoring case. An entry without a port allows every port. */
function isListed(host: string | undefined, allowed: readonly string[] | undefined): boolean {
  if (host === undefined || allowed === undefined) return false;
  const name = nameOf(host);
  const whole = host.toLowerCase();
  return allowed.some((entry) => entry.toLowerCase() === whole || entry.toLowerCase() === name);
}

/** The name in a `Host` header, without the port. */
function nameOf(host: string | undefined): string | undefined {
  if (host === undefined) return undefined;
  if (host.startsWith('[')) return host.slice(0, host.indexOf(']') + 1).toLowerCase();
  const colon = host.indexOf(':');
  return (colon === -1 ? host : host.slice(0, colon)).toLowerCase();
}

const isLoopbackHost: (host: string | undefined) => boolean = /* @__PURE__ */ remembered((host) =>
  isLoopbackName(nameOf(host)),
);

function nameOfOrigin(origin: string): string | undefined {
  return URL.canParse(origin) && /^https?:/.test(origin) ? new URL(origin).hostname : undefined;
}

export const isLoopbackAddress: (address: string | undefined) => boolean = /* @__PURE__ */ remembered((address) =>
  isLoopbackName(address?.startsWith('::ffff:') ? address.slice(7) : address),
);

function quote(value: string | undefined): string {
  return value === undefined ? '(none)' : JSON.stringify(value.slice(0, 100));
}
