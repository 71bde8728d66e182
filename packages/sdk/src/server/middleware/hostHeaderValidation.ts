import { localhostAllowedHostnames, validateHostHeader, type NodeRequest, type NodeResponse } from 'crosspoint/server';

/** A middleware for Express and similar. */
export type HostValidation = (request: NodeRequest, response: NodeResponse, next: (error?: unknown) => void) => void;

/** Refuses requests whose `Host` is none of these names, whatever its port, to prevent DNS rebinding. IPv6 addresses are in brackets. */
export function hostHeaderValidation(allowedHostnames: readonly string[]): HostValidation {
  return (request, response, next) => {
    const { host } = request.headers;
    const checked = validateHostHeader(typeof host === 'string' ? host : undefined, allowedHostnames);
    if (checked.ok) return next();
    response.writeHead(403, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify({ jsonrpc: '2.0', error: { code: -32_000, message: messageOf(checked) }, id: null }));
  };
}

type Refused = Extract<ReturnType<typeof validateHostHeader>, { ok: false }>;

/** A refusal in the words of v1. */
function messageOf({ errorCode, hostHeader, hostname }: Refused): string {
  if (errorCode === 'missing_host') return 'Missing Host header';
  return errorCode === 'invalid_host' ? `Invalid Host: ${hostname}` : `Invalid Host header: ${hostHeader}`;
}

export function localhostHostValidation(): HostValidation {
  return hostHeaderValidation(localhostAllowedHostnames());
}
