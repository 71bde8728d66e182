/** Schemes that never lead to a client program. */
const NO_PROGRAM: ReadonlySet<string> = new Set([
  'javascript:',
  'vbscript:',
  'data:',
  'blob:',
  'file:',
  'filesystem:',
  'about:',
  'view-source:',
]);
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** Whether an address is on the user's own machine. */
export function isOnOwnMachine(uri: string): boolean {
  return LOOPBACK.test(new URL(uri).hostname);
}

/**
 * Whether a browser may be redirected to an address, registered or not. Addresses are compared as text and later parsed by lenient
 * parsers; unusual spellings are refused, so that all of them read the same address.
 */
export function isRedirectTarget(uri: string): boolean {
  if (uri.length > 2000 || !URL.canParse(uri) || !/^[\x21\x22\x24-\x5b\x5d-\x7e]+$/.test(uri)) return false;
  const { protocol, username, password } = new URL(uri);
  if (NO_PROGRAM.has(protocol) || username !== '' || password !== '') return false;
  return !/^https?:$/.test(protocol) || /^https?:\/\/[^/?@]+(?:[/?]|$)/i.test(uri);
}

/** Whether a client may register an address: over plain http, the code would be readable on its way to another machine. */
export function isRegistrable(uri: string): boolean {
  return isRedirectTarget(uri) && (!/^http:/i.test(uri) || isOnOwnMachine(uri));
}
