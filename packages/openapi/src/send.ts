import { createOutboundFetch, OutboundError, type FetchLike } from 'crosspoint/auth';
import { isJsonObject } from 'crosspoint/internal';
import type { JsonObject } from 'crosspoint';
import type { Operation } from './operation.ts';
import { OpenApiError, type OpenApiLimits, type OpenApiOptions } from './options.ts';
import { ArgumentFault, writeCookie, writeHeader, writePath, writeQuery } from './write-parameter.ts';

/** Sends the arguments of a tool call to the API. */
export interface Api {
  send(operation: Operation, args: JsonObject, signal: AbortSignal): Promise<Response>;
}

export function connectApi(document: JsonObject, options: OpenApiOptions, limits: Required<OpenApiLimits>): Api {
  const base = baseOf(document, options);
  const { outbound = {}, fetch: own } = options;
  const policy = {
    // A base URL that the program gives is trusted; one that the document names is not.
    ...outbound,
    ...(options.baseUrl !== undefined && { namedBy: base }),
    maxBytes: limits.responseBytes,
    timeoutMs: limits.timeoutMs,
    ...(own && { fetch: own }),
  };
  const send: FetchLike = createOutboundFetch(policy);
  return {
    async send(operation, args, signal) {
      const { url, headers, body } = requestFor(base, operation, args);
      const given = typeof options.headers === 'function' ? await options.headers() : options.headers;
      // Headers of the program override those of the caller.
      for (const [name, value] of Object.entries(given ?? {}))
        headers.set(name, name.toLowerCase() === 'cookie' ? joined(value, headers.get('cookie')) : value);
      const method = operation.facts.method.toUpperCase();
      return send(url, { method, headers, signal, redirect: 'error', ...(body !== undefined && { body }) });
    },
  };
}

/** The text about a failed request that a caller may see; `undefined` for an error that may hold secrets. */
export function failureText(error: unknown): string | undefined {
  return error instanceof ArgumentFault || error instanceof OutboundError ? error.message : undefined;
}

function joined(first: string, second: string | null): string {
  return second === null ? first : `${first}; ${second}`;
}

function baseOf(document: JsonObject, { baseUrl }: OpenApiOptions): URL {
  const given = baseUrl === undefined ? firstServer(document) : String(baseUrl);
  if (given === undefined || !URL.canParse(given))
    throw new OpenApiError('The document names no absolute address of its API: give a baseUrl.');
  const url = new URL(given);
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw new OpenApiError(`An API is reached over http or https, not ${url.protocol}`);
  if (url.username !== '' || url.password !== '')
    throw new OpenApiError('The address of the API carries credentials: put them into the headers option.');
  url.search = '';
  url.hash = '';
  return url;
}

/** The URL of the first server, with its variables at their defaults. */
function firstServer({ servers }: JsonObject): string | undefined {
  const [first]: unknown[] = Array.isArray(servers) ? servers : [];
  if (!isJsonObject(first) || typeof first['url'] !== 'string') return undefined;
  const variables = isJsonObject(first['variables']) ? first['variables'] : {};
  return first['url'].replaceAll(/\{([^{}]+)\}/g, (whole, name: string) => {
    const variable = Object.hasOwn(variables, name) ? variables[name] : undefined;
    return isJsonObject(variable) && typeof variable['default'] === 'string' ? variable['default'] : whole;
  });
}

function requestFor(
  base: URL,
  { facts, placed, body }: Operation,
  args: JsonObject,
): { url: URL; headers: Headers; body: string | undefined } {
  const inPath = new Map<string, string>();
  const query: string[] = [];
  const cookies: string[] = [];
  const headers = new Headers({ accept: 'application/json, text/*;q=0.9, */*;q=0.5' });
  const members: JsonObject = Object.create(null) as JsonObject;
  let whole: unknown;
  for (const [key, where] of placed) {
    const value = Object.hasOwn(args, key) ? args[key] : undefined;
    if (value === undefined) continue;
    if (where.kind === 'member') members[where.name] = value;
    else if (where.kind === 'body') whole = value;
    else if (where.parameter.in === 'path') inPath.set(where.parameter.name, writePath(where.parameter, value));
    else if (where.parameter.in === 'query') query.push(...writeQuery(where.parameter, value));
    else if (where.parameter.in === 'header') headers.set(where.parameter.name, writeHeader(where.parameter, value));
    else cookies.push(writeCookie(where.parameter, value));
  }
  if (cookies.length > 0) headers.set('cookie', cookies.join('; '));
  const sent = body?.members === undefined ? whole : members;
  if (body === undefined || sent === undefined)
    return { url: urlOf(base, facts.path, inPath, query), headers, body: undefined };
  headers.set('content-type', body.mediaType);
  return { url: urlOf(base, facts.path, inPath, query), headers, body: writeBody(body.kind, sent) };
}

function urlOf(base: URL, template: string, inPath: ReadonlyMap<string, string>, query: readonly string[]): URL {
  const path = template.replaceAll(/\{([^{}]+)\}/g, (_whole, name: string) => {
    const written = inPath.get(name);
    if (written === undefined) throw new ArgumentFault(`"${name}" is part of the path, so it must be given.`);
    return written;
  });
  const url = new URL(base);
  const expected = `${base.pathname.replace(/\/$/, '')}${path}`;
  url.pathname = expected;
  // A path with another number of segments has left the operation's own path (`..`).
  if (url.host !== base.host || url.pathname.split('/').length !== expected.split('/').length)
    throw new ArgumentFault('The arguments lead out of the path of this operation.');
  if (query.length > 0) url.search = `?${query.join('&')}`;
  return url;
}

function writeBody(kind: 'json' | 'form' | 'text', value: unknown): string {
  if (kind === 'json') return JSON.stringify(value);
  if (kind === 'text' || !isJsonObject(value)) return String(value);
  const form = { name: '', in: 'query', isRequired: false, schema: {}, description: undefined, isJson: false } as const;
  return Object.entries(value)
    .flatMap(([name, member]) => writeQuery({ ...form, name, style: 'form', explode: true }, member))
    .join('&');
}
