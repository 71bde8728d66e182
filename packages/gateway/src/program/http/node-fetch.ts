import { Agent as HttpAgent, request as requestHttp, type ClientRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { Readable } from 'node:stream';
import { urlToHttpOptions } from 'node:url';
import type { HttpTarget } from 'crosspoint/client';
import { ResponseBody } from './response-body.ts';

type Fetch = NonNullable<HttpTarget['fetch']>;
type Init = NonNullable<Parameters<Fetch>[1]>;

/** Statuses whose responses have no body. */
const EMPTY: ReadonlySet<number> = new Set([204, 205, 304]);

/**
 * `fetch` as a client of the protocol uses it, over Node's own HTTP and without time limits: redirects are not followed, bodies are text. A successful response to a request of the protocol
 * has the members that such a client reads, and no others; every other response is a `Response`, and other requests, such as those of a login, go to the runtime's `fetch`. With 64 calls in flight,
 * a client takes 143 µs of processor time a call, against 449 with the runtime's `fetch`; bare requests take 57.
 */
export function nodeFetch(): Fetch {
  const requestTo = requester();
  const fetch = (url: string | URL, init: Init = {}): Promise<Response> => {
    if (!isOfProtocol(init)) return globalThis.fetch(url, init);
    return new Promise((resolve, reject) => {
      const { body, signal } = init;
      if (signal?.aborted === true) return reject(signal.reason as Error);
      const request = requestTo(url, init);
      // After the response has begun, its body is what breaks.
      const left = (): void => void request.destroy(signal?.reason as Error);
      signal?.addEventListener('abort', left, { once: true });
      request.once('close', () => signal?.removeEventListener('abort', left));
      request.on('error', reject);
      request.once('response', (message: IncomingMessage) => resolve(responseOf(message)));
      request.end(typeof body === 'string' ? body : undefined);
    });
  };
  return Object.assign(fetch, { takesPlainHeaders: true });
}

/** Whether a request is one of the protocol. Those of a login have bodies and readers of other kinds. */
function isOfProtocol({ headers, body }: Init): boolean {
  if (headers === undefined || headers instanceof Headers || Array.isArray(headers)) return false;
  const { accept = '' } = headers;
  return accept.includes('text/event-stream') && (body === undefined || typeof body === 'string');
}

/** Begins requests over connections that are kept. Options are made once for each address. */
function requester(): (url: string | URL, init: Init) => ClientRequest {
  const http = new HttpAgent({ keepAlive: true });
  const https = new HttpsAgent({ keepAlive: true });
  let last = { href: '', isSecure: false, options: {} };
  return (given, { method = 'GET', headers, body }) => {
    const href = String(given);
    if (last.href !== href) {
      const url = new URL(href);
      const isSecure = url.protocol === 'https:';
      last = { href, isSecure, options: { ...urlToHttpOptions(url), agent: isSecure ? https : http } };
    }
    const options = { ...last.options, method, headers: headersOf(headers, body) };
    return last.isSecure ? requestHttps(options) : requestHttp(options);
  };
}

function headersOf(given: Init['headers'], body: unknown): Record<string, string | number> {
  const isPlain = given !== undefined && !(given instanceof Headers) && !Array.isArray(given);
  const headers = isPlain ? given : Object.fromEntries(new Headers(given));
  return typeof body === 'string' ? { ...headers, 'content-length': Buffer.byteLength(body) } : headers;
}

function responseOf(message: IncomingMessage): Response {
  const { statusCode: status = 0, headers } = message;
  if (status < 200 || status > 299 || EMPTY.has(status)) return wholeResponse(message, status);
  const get = (name: string): string | null => {
    const value = headers[name.toLowerCase()];
    return Array.isArray(value) ? value.join(', ') : (value ?? null);
  };
  const body = new ResponseBody(message);
  return { status, ok: true, type: 'default', headers: { get }, body, text: () => body.text() } as object as Response;
}

/** A response that others may want to read, such as the one that asks for a login. */
function wholeResponse(message: IncomingMessage, status: number): Response {
  const headers = new Headers();
  for (const [name, value = ''] of Object.entries(message.headers))
    for (const one of Array.isArray(value) ? value : [value]) headers.append(name, one);
  if (!EMPTY.has(status)) return new Response(Readable.toWeb(message) as ReadableStream, { status, headers });
  message.resume();
  return new Response(null, { status, headers });
}
