import { OutboundError } from './outbound-error.ts';
import { findConnector, pinnedRequest, type Connector } from './pinned-request.ts';
import { OUTBOUND_LIMITS, policyFor, urlFault, type FetchLike, type OutboundPolicy } from './policy.ts';
import { readBounded } from './read-bounded.ts';
import type { Bytes } from '../../runtime/bytes.ts';

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const WITHOUT_BODY: ReadonlySet<number> = new Set([101, 204, 205, 304]);
const SECRET_HEADERS = ['authorization', 'cookie', 'dpop', 'proxy-authorization'];

/**
 * A `fetch` for addresses named by a peer. Every address is checked as written and, where this library opens the connection itself (Node,
 * Bun, Deno), again as resolved, for the connection that is used. Only a GET without credentials follows redirects, and each hop is
 * checked. The body is read completely, within the limits, before it is returned. Rejects with an `OutboundError`. `check` throws it for an
 * address that the policy forbids as written, and sends nothing.
 */
export function createOutboundFetch(given: OutboundPolicy = {}): FetchLike & { check(url: string | URL): void } {
  const policy = given.namedBy === undefined ? given : policyFor(given.namedBy, given);
  const check = (url: string | URL): void => {
    const fault = urlFault(readUrl(url), policy);
    if (fault !== undefined) throw fault;
  };
  return Object.assign(sender(policy), { check });
}

function sender(policy: OutboundPolicy): FetchLike {
  const { timeoutMs = OUTBOUND_LIMITS.timeoutMs, maxRedirects = OUTBOUND_LIMITS.maxRedirects } = policy;
  const connector = policy.fetch === undefined ? findConnector() : undefined;
  return async (given, init = {}) => {
    const first = readUrl(given);
    const method = (init.method ?? 'GET').toUpperCase();
    const headers = new Headers(init.headers);
    const body = await bytesOf(init.body, headers);
    const deadline = AbortSignal.timeout(timeoutMs);
    const signal = init.signal ? AbortSignal.any([init.signal, deadline]) : deadline;
    const mayFollow =
      init.redirect !== 'error' &&
      method === 'GET' &&
      body === undefined &&
      !SECRET_HEADERS.some((name) => headers.has(name));
    for (let url = first, count = 0; ; count += 1) {
      const response = await once({ url, method, headers, body, signal, deadline }, policy, connector);
      const isRedirect = response.type === 'opaqueredirect' || REDIRECTS.has(response.status);
      if (!isRedirect || init.redirect === 'manual') return response;
      url = redirectTarget(url, response, mayFollow && count < maxRedirects);
    }
  };
}

interface Hop {
  readonly url: URL;
  readonly method: string;
  readonly headers: Headers;
  readonly body: Bytes | undefined;
  readonly signal: AbortSignal;
  readonly deadline: AbortSignal;
}

async function once(hop: Hop, policy: OutboundPolicy, connector: Connector | undefined): Promise<Response> {
  const { url, signal, deadline } = hop;
  const fault = urlFault(url, policy);
  if (fault !== undefined) throw fault;
  const maxBytes = policy.maxBytes ?? OUTBOUND_LIMITS.maxBytes;
  try {
    if (connector !== undefined) return await pinnedRequest(url, { ...hop, maxBytes }, policy, connector);
    return await viaFetch(hop, policy.fetch ?? fetch, maxBytes);
  } catch (error) {
    if (error instanceof OutboundError) throw error;
    if (deadline.aborted) throw new OutboundError('timeout', url, 'it took too long', { cause: error });
    if (signal.aborted) throw signal.reason;
    const reason = error instanceof Error ? (error.message === '' ? error.name : error.message) : String(error);
    throw new OutboundError('network', url, `there was no answer (${reason})`, { cause: error });
  }
}

async function viaFetch(hop: Hop, send: FetchLike, maxBytes: number): Promise<Response> {
  const { url, method, headers, body, signal } = hop;
  const plain: RequestInit = { method, headers, redirect: 'manual', signal };
  // Only browsers have cookies and a cache to exclude, and some other runtimes reject these options.
  const init: RequestInit = 'document' in globalThis ? { ...plain, credentials: 'omit', cache: 'no-store' } : plain;
  const response = await send(url, body === undefined ? init : { ...init, body });
  if (response.type === 'opaqueredirect' || response.status === 0) return response;
  const bytes = await readBounded(response, maxBytes);
  if (bytes === undefined) throw new OutboundError('too-large', url, `the answer is larger than ${maxBytes} bytes`);
  const { status, headers: answered } = response;
  return new Response(WITHOUT_BODY.has(status) ? null : bytes, { status, headers: answered });
}

function redirectTarget(from: URL, response: Response, mayFollow: boolean): URL {
  const location = response.headers.get('location');
  if (!mayFollow)
    throw new OutboundError(
      'redirect',
      from,
      `it was redirected (${response.status}), and requests with credentials, or with too many redirects, are not redirected`,
    );
  if (location === null || !URL.canParse(location, from.href))
    throw new OutboundError('redirect', from, 'it was redirected without a target');
  return new URL(location, from.href);
}

function readUrl(given: string | URL): URL {
  if (!URL.canParse(String(given))) throw new OutboundError('scheme', String(given), 'it is not an absolute address');
  const url = new URL(given);
  url.hash = '';
  return url;
}

/** The bytes of a body; sets its content type. */
async function bytesOf(body: RequestInit['body'], headers: Headers): Promise<Bytes | undefined> {
  if (body === undefined || body === null) return undefined;
  const plain = new Response(body);
  const type = plain.headers.get('content-type');
  if (type !== null && !headers.has('content-type')) headers.set('content-type', type);
  return new Uint8Array(await plain.arrayBuffer());
}
