import type { HttpRequest } from 'crosspoint/server';
import { OAuthFault } from 'crosspoint/internal/auth-server';
import { errorMessage } from 'crosspoint/internal';

const LIMITS = { maxBytes: 64 * 1024, timeoutMs: 10_000 };

/** Throws when a parameter is repeated, which OAuth forbids. `resource` and `audience` may be repeated; their readers decide. */
export function requireSingle(params: URLSearchParams): URLSearchParams {
  const seen = new Set<string>();
  for (const name of params.keys()) {
    if (seen.has(name) && name !== 'resource' && name !== 'audience')
      throw new OAuthFault('invalid_request', `The parameter ${name.slice(0, 40)} appears more than once.`);
    seen.add(name);
  }
  return params;
}

/** Fields of a posted form. */
export async function readForm(request: HttpRequest): Promise<URLSearchParams> {
  if (mediaType(request) !== 'application/x-www-form-urlencoded')
    throw new OAuthFault('invalid_request', 'The body must be application/x-www-form-urlencoded.');
  const { parsedBody } = request;
  if (typeof parsedBody !== 'object' || parsedBody === null)
    return requireSingle(new URLSearchParams(await readText(request)));
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(parsedBody))
    for (const one of [value as unknown].flat()) {
      // Framework parsers turn fields such as `a[b]` into objects; no OAuth parameter is one.
      if (typeof one !== 'string')
        throw new OAuthFault('invalid_request', `The parameter ${name.slice(0, 40)} must be a text.`);
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

/** A required parameter of at most 4096 characters. */
export function requireParam(params: URLSearchParams, name: string): string {
  const value = params.get(name) ?? '';
  if (value === '') throw new OAuthFault('invalid_request', `The parameter ${name} is missing.`);
  if (value.length > 4096)
    throw new OAuthFault('invalid_request', `The parameter ${name} has more than 4096 characters.`);
  return value;
}
