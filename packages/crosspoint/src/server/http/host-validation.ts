/** Checks the `Host` and `Origin` of a request, for endpoints that a program builds itself. */

export type HostHeaderValidationResult =
  | { ok: true; hostname: string }
  | {
      ok: false;
      errorCode: 'missing_host' | 'invalid_host_header' | 'invalid_host';
      message: string;
      hostHeader?: string;
      hostname?: string;
    };

export type OriginValidationResult =
  | { ok: true; origin?: string; hostname?: string }
  | {
      ok: false;
      errorCode: 'invalid_origin_header' | 'invalid_origin';
      message: string;
      originHeader?: string;
      hostname?: string;
    };

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

export const localhostAllowedHostnames = (): string[] => [...LOOPBACK];
export const localhostAllowedOrigins = (): string[] => [...LOOPBACK];

/** Checks a `Host` header. Names are compared without their ports; an IPv6 address is in brackets. */
export function validateHostHeader(
  hostHeader: string | null | undefined,
  allowedHostnames: readonly string[],
): HostHeaderValidationResult {
  if (hostHeader === undefined || hostHeader === null || hostHeader === '')
    return { ok: false, errorCode: 'missing_host', message: 'The Host header is missing' };
  const url = `http://${hostHeader}`;
  if (!URL.canParse(url) || new URL(url).host !== hostHeader.toLowerCase().replace(/:80$/, ''))
    return {
      ok: false,
      errorCode: 'invalid_host_header',
      message: `The Host header is not valid: ${hostHeader}`,
      hostHeader,
    };
  const { hostname } = new URL(url);
  return allowedHostnames.includes(hostname)
    ? { ok: true, hostname }
    : { ok: false, errorCode: 'invalid_host', message: `The host is not allowed: ${hostname}`, hostHeader, hostname };
}

/** Checks an `Origin` header. A request without one is not from a web page, and passes. */
export function validateOriginHeader(
  originHeader: string | null | undefined,
  allowedOriginHostnames: readonly string[],
): OriginValidationResult {
  if (originHeader === undefined || originHeader === null || originHeader === '') return { ok: true };
  if (!URL.canParse(originHeader))
    return {
      ok: false,
      errorCode: 'invalid_origin_header',
      message: `The Origin header is not valid: ${originHeader}`,
      originHeader,
    };
  const { hostname } = new URL(originHeader);
  return allowedOriginHostnames.includes(hostname)
    ? { ok: true, origin: originHeader, hostname }
    : {
        ok: false,
        errorCode: 'invalid_origin',
        message: `The origin is not allowed: ${hostname}`,
        originHeader,
        hostname,
      };
}

/** The answer to a request with a `Host` that is not allowed. */
export function hostHeaderValidationResponse(
  request: Request,
  allowedHostnames: readonly string[],
): Response | undefined {
  return answerTo(validateHostHeader(request.headers.get('host'), allowedHostnames));
}

/** The answer to a request with an `Origin` that is not allowed. */
export function originValidationResponse(
  request: Request,
  allowedOriginHostnames: readonly string[],
): Response | undefined {
  return answerTo(validateOriginHeader(request.headers.get('origin'), allowedOriginHostnames));
}

function answerTo(result: HostHeaderValidationResult | OriginValidationResult): Response | undefined {
  if (result.ok) return undefined;
  const body = { jsonrpc: '2.0', error: { code: -32_000, message: result.message }, id: null };
  return Response.json(body, { status: 403 });
}
