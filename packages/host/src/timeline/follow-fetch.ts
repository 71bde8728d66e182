import { shownUrl } from './clean-facts.ts';
import type { LiveSpan } from './span-writer.ts';

/** How exchanges are reported. */
export interface ExchangePort {
  /** Begins the span of an exchange; `isForeign`: it goes elsewhere than to the server, as the steps of a login do. */
  begin(name: string, facts: { readonly method: string; readonly url: string }, isForeign: boolean): LiveSpan;
  /** A text that lets its bearer in. */
  learn(secret: string): void;
}

/** Headers whose values let their bearer in. */
const SECRET_HEADERS = ['authorization', 'cookie', 'dpop', 'mcp-session-id', 'proxy-authorization', 'x-api-key'];

/** A `fetch` whose exchanges are spans: method, address without secrets, status, bytes of both bodies. The span ends with the body of the response. */
export function followFetch(port: ExchangePort, address: string, send: typeof fetch): typeof fetch {
  return async (input, init) => {
    const request = requestOf(input, init);
    for (const name of SECRET_HEADERS) learnFrom(port, request.headers.get(name));
    const span = port.begin(
      `${request.method} ${hostOf(request.url)}`,
      { method: request.method, url: shownUrl(request.url) },
      !isAt(request.url, address),
    );
    span.set({ requestBytes: request.bytes });
    try {
      const response = await send(input, init);
      learnFrom(port, response.headers.get('mcp-session-id'));
      const type = response.headers.get('content-type');
      span.set({ status: response.status, ...(type !== null && { type }) });
      if (response.body !== null) return counted(response, response.body, span);
      span.end(refusalOf(response));
      return response;
    } catch (error) {
      endWith(span, error);
      throw error;
    }
  };
}

/** Ends an exchange. One that was not wanted any more, as a stream when its connection is closed, has not failed. */
function endWith(span: LiveSpan, error: unknown): void {
  const isAborted = error instanceof Error && error.name === 'AbortError';
  if (isAborted) span.set({ isAborted });
  span.end(isAborted ? undefined : error);
}

function requestOf(
  input: Parameters<typeof fetch>[0],
  init: RequestInit | undefined,
): { method: string; url: string; headers: Headers; bytes: number | null } {
  const request = typeof input === 'string' || input instanceof URL ? undefined : input;
  const address = typeof input === 'string' ? input : input instanceof URL ? input.href : input.url;
  const { body } = init ?? {};
  const text = body instanceof URLSearchParams ? body.toString() : body;
  const bytes =
    typeof text === 'string' ? Buffer.byteLength(text) : text instanceof Uint8Array ? text.byteLength : null;
  return {
    method: (init?.method ?? request?.method ?? 'GET').toUpperCase(),
    url: address,
    headers: new Headers(init?.headers ?? request?.headers),
    bytes: body === undefined || body === null ? 0 : bytes,
  };
}

/** Learns a value, and the part of it after its scheme. */
function learnFrom(port: ExchangePort, value: string | null): void {
  if (value === null) return;
  port.learn(value);
  const [, ...rest] = value.split(' ');
  if (rest.length > 0) port.learn(rest.join(' '));
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host + new URL(url).pathname : '';
}

function isAt(url: string, address: string): boolean {
  if (!URL.canParse(url) || !URL.canParse(address)) return false;
  const [one, other] = [new URL(url), new URL(address)];
  return one.origin === other.origin && one.pathname === other.pathname;
}

function refusalOf({ status }: Response): Error | undefined {
  return status < 400 ? undefined : new Error(`HTTP ${status}`);
}

/** The same response, its body counted while it is read. */
function counted(response: Response, body: ReadableStream<Uint8Array>, span: LiveSpan): Response {
  let bytes = 0;
  const finish = (error: unknown = refusalOf(response)): void => {
    span.set({ responseBytes: bytes });
    endWith(span, error);
  };
  const reader = body.getReader();
  const stream = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (!done) {
            bytes += value.byteLength;
            return controller.enqueue(value);
          }
          finish();
          controller.close();
        } catch (error) {
          finish(error);
          controller.error(error);
        }
      },
      cancel(reason) {
        finish();
        return reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
  const { status, statusText, headers } = response;
  const given = new Response(stream, { status, statusText, headers });
  const { url, redirected, type } = response;
  return Object.defineProperties(given, {
    url: { value: url },
    redirected: { value: redirected },
    type: { value: type },
  });
}
