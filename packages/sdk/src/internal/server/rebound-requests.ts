import type { NodeRequest, NodeResponse } from 'crosspoint/server';
import type { AllowedOptions } from './http/allowed-requests.ts';

const LOOPBACK = /^(?:localhost|\[?::1\]?|(?:::ffff:)?127(?:\.\d{1,3}){3})$/i;

/**
 * Whether a request was made by DNS rebinding: over plain HTTP to this machine, from a page whose own address is the target, and that
 * address is no name of this machine. No legitimate client sends such a request: a proxy's traffic arrived by TLS or has other names.
 */
function isRebound({ headers, socket }: NodeRequest): boolean {
  const { host, origin } = headers;
  if (typeof host !== 'string' || origin !== `http://${host.toLowerCase()}`) return false;
  return LOOPBACK.test(socket?.remoteAddress ?? '') && !LOOPBACK.test(host.replace(/:\d+$/, ''));
}

/** Answers a request made by DNS rebinding; false for any other, and where the program checks hosts itself or says that none is to be checked. */
export function refuseRebound(
  request: NodeRequest,
  response: NodeResponse,
  { enableDnsRebindingProtection, allowedHosts = [] }: AllowedOptions,
): boolean {
  const isChecked = enableDnsRebindingProtection === true && allowedHosts.length > 0;
  if (isChecked || enableDnsRebindingProtection === false || !isRebound(request)) return false;
  const message =
    'The request came from a web page whose host name was pointed at this machine (DNS rebinding). Add the host to allowedHosts if it is yours.';
  request.resume();
  response.writeHead(403, { 'Content-Type': 'application/json' });
  response.end(JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32600, message } }));
  return true;
}
