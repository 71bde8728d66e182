import type { NodeRequest, NodeResponse } from '../../../server/index.ts';

/** A middleware of Express and its like. */
export type HostValidation = (request: NodeRequest, response: NodeResponse, next: (error?: unknown) => void) => void;

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/** Refuses requests whose `Host` is none of these names, whatever its port: such a page reached this server by DNS rebinding. IPv6 in brackets. */
export function hostHeaderValidation(allowedHostnames: readonly string[]): HostValidation {
  return (request, response, next) => {
    const { host } = request.headers;
    if (typeof host !== 'string' || host === '') return refuse(response, 'The Host header is missing');
    const url = `http://${host}`;
    if (!URL.canParse(url)) return refuse(response, `The Host header is not valid: ${host}`);
    const { hostname } = new URL(url);
    if (!allowedHostnames.includes(hostname)) return refuse(response, `The host is not allowed: ${hostname}`);
    next();
  };
}

export function localhostHostValidation(): HostValidation {
  return hostHeaderValidation(LOOPBACK);
}

function refuse(response: NodeResponse, message: string): void {
  response.writeHead(403, { 'Content-Type': 'application/json' });
  response.end(JSON.stringify({ jsonrpc: '2.0', error: { code: -32_000, message }, id: null }));
}
