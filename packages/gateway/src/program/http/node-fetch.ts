import { Agent as HttpAgent, request as requestHttp, type ClientRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { Readable } from 'node:stream';
import type { HttpTarget } from 'crosspoint/client';
import { BodyReader } from './body-reader.ts';

type Fetch = NonNullable<HttpTarget['fetch']>;

/** How long a connection without a request stays open, unless the server names a shorter time. */
const KEPT_MS = 4000;

/** Statuses whose responses have no body. */
const EMPTY: ReadonlySet<number> = new Set([204, 205, 304]);

/**
 * `fetch` as a client of the protocol uses it, over Node's own HTTP and without time limits: redirects are not followed, bodies are text. A successful response has the
 * members that such a client reads, and no others; every other response is a `Response`. A call through a bridge takes a third of the processor time that it takes with the
 * runtime's `fetch`.
 */
export function nodeFetch(): Fetch {
  const agents = {
    http: new HttpAgent({ keepAlive: true, timeout: KEPT_MS }),
    https: new HttpsAgent({ keepAlive: true, timeout: KEPT_MS }),
  };
  return (address, { method = 'GET', headers, body, signal } = {}) => {
    const url = typeof address === 'string' ? new URL(address) : address;
    const options = { method, headers: plainHeaders(headers, body) };
    return new Promise((resolve, reject) => {
      if (signal?.aborted === true) return void reject(signal.reason as Error);
      const request: ClientRequest =
        url.protocol === 'https:'
          ? requestHttps(url, { ...options, agent: agents.https })
          : requestHttp(url, { ...options, agent: agents.http });
      // After the response has begun, its body is what breaks.
      const left = (): void => void request.destroy(signal?.reason as Error);
      signal?.addEventListener('abort', left, { once: true });
      request.once('close', () => signal?.removeEventListener('abort', left));
      request.on('error', reject);
      request.once('response', (message: IncomingMessage) => resolve(responseOf(message)));
      request.end(typeof body === 'string' ? body : undefined);
    });
  };
}

function plainHeaders(given: RequestInit['headers'], body: unknown): Record<string, string | number> {
  const headers: Record<string, string | number> = {};
  new Headers(given).forEach((value, name) => (headers[name] = value));
  if (typeof body === 'string') headers['content-length'] = Buffer.byteLength(body);
  return headers;
}

function responseOf(message: IncomingMessage): Response {
  const { statusCode: status = 0, headers } = message;
  if (status < 200 || status > 299 || EMPTY.has(status)) return wholeResponse(message, status);
  const get = (name: string): string | null => {
    const value = headers[name.toLowerCase()];
    return Array.isArray(value) ? value.join(', ') : (value ?? null);
  };
  const body = new BodyReader(message);
  return { status, ok: true, type: 'default', headers: { get }, body } as object as Response;
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
