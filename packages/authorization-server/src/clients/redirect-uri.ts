import { redirectsOf, type KnownClient } from './oauth-client.ts';
import { isLoopbackName } from 'crosspoint/internal';

/** Schemes that never lead to a client program. */
const NO_PROGRAM = new Set([
  'javascript:',
  'vbscript:',
  'data:',
  'blob:',
  'file:',
  'filesystem:',
  'about:',
  'view-source:',
]);

/**
 * Why a browser must not be redirected to an address, even a registered one; `undefined` when it may. Addresses are compared as text and
 * later parsed by lenient parsers; unusual spellings are refused, so that all of them read the same address.
 */
export function targetFault(uri: unknown): string | undefined {
  if (typeof uri !== 'string' || uri.length > 2000 || !URL.canParse(uri)) return 'it is not an absolute URI';
  if (!/^[\x21-\x5b\x5d-\x7e]+$/.test(uri)) return 'it has characters that are not allowed in a URI';
  if (uri.includes('#')) return 'it has a fragment';
  const { protocol, username, password } = new URL(uri);
  if (NO_PROGRAM.has(protocol)) return `its scheme is ${protocol}`;
  if (username !== '' || password !== '') return 'it holds credentials';
  if (/^https?:$/.test(protocol) && !/^https?:\/\/[^/?@]+(?:[/?]|$)/i.test(uri))
    return 'its host is not directly after the scheme';
  return undefined;
}

/** Why a URI cannot be registered for redirects; `undefined` when it can. Only https, or http on the user's own machine. */
export function redirectFault(uri: unknown): string | undefined {
  const fault = targetFault(uri);
  if (fault !== undefined) return fault;
  const { protocol, hostname } = new URL(String(uri));
  if (protocol === 'https:') return undefined;
  if (protocol !== 'http:')
    return `its scheme is ${protocol.slice(0, 40)}; only https and http on a loopback host are allowed`;
  return isLoopbackName(hostname) ? undefined : 'it is http, and not on a loopback host';
}

/**
 * Whether a URI is a registered one, compared as text. `anyPort`: a loopback URI registered without a port allows every port, because
 * native programs cannot know theirs in advance (RFC 8252, section 7.3).
 */
export function isRegisteredRedirect(client: KnownClient, uri: string, { anyPort }: { anyPort: boolean }): boolean {
  if (targetFault(uri) !== undefined) return false;
  const registered = redirectsOf(client);
  return registered.includes(uri) || (anyPort && registered.includes(withoutLoopbackPort(uri)));
}

function withoutLoopbackPort(uri: string): string {
  return uri.replace(/^(http:\/\/(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])):[1-9]\d{0,4}(?=[/?]|$)/, '$1');
}
