import type { HttpRequest } from '../../../transports/http/server/adapters/exchange.ts';
import { OAuthFault } from './oauth-fault.ts';
import { errorMessage } from '../../../runtime/guard.ts';

const LIMITS = { maxBytes: 64 * 1024, timeoutMs: 10_000 };

/** The parameters of a request, each of which OAuth lets appear once. `resource` may be repeated; who reads it decides. */
export function requireSingle(params: URLSearchParams): URLSearchParams {
  const seen = new Set<string>();
  for (const name of params.keys()) {
    if (seen.has(name) && name !== 'resource' && name !== 'audience')
      throw new OAuthFault('invalid_request', `The parameter ${name.slice(0, 40)} appears more than once.`);
    seen.add(name);
  }
  return params;
}

/** The fields of a form that was posted. */
export async function readForm(request: HttpRequest): Promise<URLSearchParams> {
  if (mediaType(request) !== 'application/x-www-form-urlencoded')
    throw new OAuthFault('invalid_request', 'The body must be application/x-www-form-urlencoded.');
  const { parsedBody } = request;
  if (typeof parsedBody !== 'object' || parsedBody === null)
    return requireSingle(new URLSearchParams(await readText(request)));
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(parsedBody))
    for (const one of [value as unknown].flat()) {
      // Parsers of frameworks make objects of fields such as `a[b]`; no parameter of OAuth is one.
      if (typeof one !== 'string')
        throw new OAuthFault('invalid_request', `The parameter ${name.slice(0, 40)} is malformed.`);
      params.append(name, one);
    }
  return requireSingle(params);
}

export async function readJson(request: HttpRequest): Promise<unknown> {
  if (mediaType(request) !== 'application/json')
    throw new OAuthFault('invalid_client_metadata', 'The body must be application/json.');
  if (request.parsedBody !== undefined) return request.parsedBody;
  try {
    return JSON.parse(await readText(request)) as unknown;
  } catch (error) {
    if (error instanceof OAuthFault) throw error;
    throw new OAuthFault('invalid_client_metadata', 'The body is not JSON.');
  }
}

function mediaType(request: HttpRequest): string {
  return (request.header('content-type') ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
}

async function readText(request: HttpRequest): Promise<string> {
  try {
    return await request.readText(LIMITS);
  } catch (error) {
    throw new OAuthFault('invalid_request', errorMessage(error), { status: 413 });
  }
}

/** A parameter that must be there, and short enough to be kept. */
export function requireParam(params: URLSearchParams, name: string): string {
  const value = params.get(name) ?? '';
  if (value === '') throw new OAuthFault('invalid_request', `The parameter ${name} is missing.`);
  if (value.length > 4096) throw new OAuthFault('invalid_request', `The parameter ${name} is too long.`);
  return value;
}
