import type { NodeRequest, NodeResponse } from 'crosspoint/server';

const LOOPBACK = /^(?:localhost|\[?::1\]?|(?:::ffff:)?127(?:\.\d{1,3}){3})$/i;

/**
 * Whether a request has come by DNS rebinding: over plain HTTP to this machine, from a page whose own address is where the request goes, and
 * that address is no name of this machine. Nobody else sends such a request: what a proxy passes on came by TLS or belongs to other names.
 */
function isRebound({ headers, socket }: NodeRequest): boolean {
  const { host, origin } = headers;
  if (typeof host !== 'string' || origin !== `http://${host.toLowerCase()}`) return false;
  return LOOPBACK.test(socket?.remoteAddress ?? '') && !LOOPBACK.test(host.replace(/:\d+$/, ''));
}

/** Answers a request that has come by DNS rebinding; false when it has not. */
export function refuseRebound(request: NodeRequest, response: NodeResponse): boolean {
  if (!isRebound(request)) return false;
  const message =
    'This came from a web page that took the name of this machine. Add the host to allowedHosts if it is yours.';
  request.resume();
  response.writeHead(403, { 'Content-Type': 'application/json' });
  response.end(JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32600, message } }));
  return true;
}
