import { systemClock, type Clock } from '../../../peer/clock.ts';
import { TransportError } from '../../../protocol/errors.ts';
import { bearerToken, UnauthorizedError, type AuthProvider, type TokenHolder } from './auth.ts';
import { describeFailure, networkError, shownUrl } from './describe-failure.ts';
import type { FetchLike, HttpClientOptions } from './options.ts';
import { fetchWithoutTimeouts } from './fetch-without-timeouts.ts';
import { readStart } from './body.ts';
import { lowerCased, type PlainHeaders } from './headers.ts';

export interface OutgoingHttp {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly headers: PlainHeaders;
  readonly body?: string;
  readonly signal: AbortSignal;
  /** Whether it may be sent twice. A kept-alive connection may turn out to be dead only when it is used again. */
  readonly repeatable?: boolean;
  /** Milliseconds that each attempt may take until the response headers; no limit when absent. */
  readonly limitMs?: number | undefined;
}

interface Refused {
  readonly url: URL;
  readonly request: OutgoingHttp;
  readonly response: Response;
  readonly headers: PlainHeaders;
  readonly attempt: number;
}

/** Attempts for one request, whatever the provider returns. */
const MAX_ATTEMPTS = 8;
const MAX_REDIRECTS = 5;
const NO_INIT: RequestInit = {};
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const KEEPS_METHOD: ReadonlySet<number> = new Set([307, 308]);

/**
 * Sends HTTP requests to one server, with its credentials. A redirect is followed only within the origin and only if it keeps method and
 * body, so that credentials, sessions and messages never reach another server.
 */
export class HttpSender {
  readonly #fetch: FetchLike;
  readonly #init: RequestInit;
  readonly #provider: AuthProvider | TokenHolder | undefined;
  readonly #clock: Clock;

  constructor(options: HttpClientOptions) {
    this.#clock = options.clock ?? systemClock;
    this.#fetch = options.fetch ?? fetchWithoutTimeouts;
    this.#init = options.requestInit ?? NO_INIT;
    this.#provider = options.authProvider;
  }

  /** Resolves with any response but 401, which becomes an `UnauthorizedError` once the provider has no other token. */
  async send(url: URL, request: OutgoingHttp): Promise<Response> {
    const provider = this.#provider;
    for (let attempt = 1; ; attempt += 1) {
      const headers =
        (provider ?? this.#init.headers) === undefined ? request.headers : await this.#headers(url, request);
      const response = await this.#follow(url, request, headers);
      const isRefused = response.status === 401 || response.status === 403;
      if (!isRefused || (response.status === 403 && !decides(provider))) return response;
      const next =
        attempt < MAX_ATTEMPTS ? await this.#afterRefusal({ url, request, response, headers, attempt }) : 'give-up';
      if (next === 'redirected')
        throw new UnauthorizedError(
          `${request.method} ${shownUrl(url)} needs a login: the user was sent to the login page. Pass its answer to finishAuth(), then connect again.`,
          { status: response.status, redirected: true },
        );
      if (next === 'give-up' && response.status === 403) return response;
      if (next === 'give-up') throw await unauthorized(url, request, response);
      await response.body?.cancel();
    }
  }

  async #afterRefusal(refused: Refused): Promise<'retry' | 'give-up' | 'redirected'> {
    const { url, request, response, headers, attempt } = refused;
    const provider = this.#provider;
    if (provider === undefined || !('token' in provider)) return 'give-up';
    if (provider.onRefused !== undefined)
      return provider.onRefused({ response, url, authorization: headers['authorization'], request });
    if (provider.onUnauthorized === undefined || attempt > 1) return 'give-up';
    await provider.onUnauthorized({ response, serverUrl: url, fetchFn: this.#fetch });
    return 'retry';
  }

  async #follow(first: URL, request: OutgoingHttp, headers: PlainHeaders): Promise<Response> {
    for (let url = first, count = 0; ; count += 1) {
      let response: Response;
      try {
        response = await this.#once(url, request, headers);
      } catch (error) {
        if (request.repeatable !== true || !(error instanceof TransportError) || error.code !== 'network') throw error;
        response = await this.#once(url, request, headers);
      }
      if (response.type !== 'opaqueredirect' && !REDIRECTS.has(response.status)) return response;
      const next = redirectTarget(url, request, response);
      if (next === undefined || count >= MAX_REDIRECTS) throw await refusedRedirect(url, request, response);
      await response.body?.cancel();
      url = next;
    }
  }

  #once(url: URL, request: OutgoingHttp, headers: PlainHeaders): Promise<Response> {
    const { limitMs } = request;
    return limitMs === undefined
      ? this.#fetchOnce(url, request, headers)
      : this.#fetchWithin(limitMs, url, request, headers);
  }

  async #fetchWithin(limitMs: number, url: URL, request: OutgoingHttp, headers: PlainHeaders): Promise<Response> {
    const { signal } = request;
    const late = new AbortController();
    const timer = this.#clock.setTimeout(() => late.abort(), limitMs);
    try {
      return await this.#fetchOnce(url, { ...request, signal: AbortSignal.any([signal, late.signal]) }, headers);
    } catch (error) {
      if (!late.signal.aborted) throw error;
      const message = `${request.method} ${shownUrl(url)} was not answered for ${limitMs} ms.`;
      throw new TransportError('idle-timeout', message, { timer: 'idle', timeoutMs: limitMs }, { cause: error });
    } finally {
      this.#clock.clearTimeout(timer);
    }
  }

  async #fetchOnce(url: URL, { method, body, signal }: OutgoingHttp, headers: PlainHeaders): Promise<Response> {
    const signals = this.#init.signal ? AbortSignal.any([signal, this.#init.signal]) : signal;
    const redirect = this.#init.redirect === 'error' ? 'error' : 'manual';
    try {
      const given = this.#fetch.takesPlainHeaders === true ? headers : new Headers(headers);
      // Member by member where there is nothing else: with two spreads, this function was 2 % of a bridged call.
      const own = { method, headers: given, redirect, signal: signals, body } as RequestInit;
      return await this.#fetch(url, this.#init === NO_INIT ? own : { ...this.#init, ...own });
    } catch (error) {
      if (signals.aborted)
        throw new TransportError('aborted', `${method} ${shownUrl(url)} was aborted.`, {}, { cause: error });
      throw networkError(`${method} ${shownUrl(url)}`, error);
    }
  }

  async #headers(url: URL, request: OutgoingHttp): Promise<PlainHeaders> {
    const headers: PlainHeaders = {};
    const provider = this.#provider;
    if (provider !== undefined && 'token' in provider && provider.authorize !== undefined) {
      Object.assign(headers, lowerCased(await provider.authorize({ method: request.method, url })));
    } else {
      const token = await bearerToken(provider);
      if (token !== undefined) headers['authorization'] = `Bearer ${token}`;
    }
    return Object.assign(headers, lowerCased(this.#init.headers), request.headers);
  }
}

function decides(provider: AuthProvider | TokenHolder | undefined): boolean {
  return provider !== undefined && 'token' in provider && provider.onRefused !== undefined;
}

/** The address to follow; `undefined` for another origin, or where the request would have to change. */
function redirectTarget(from: URL, { method }: OutgoingHttp, response: Response): URL | undefined {
  const location = response.headers.get('location');
  if (location === null || !URL.canParse(location, from.href)) return undefined;
  if (method !== 'GET' && !KEEPS_METHOD.has(response.status)) return undefined;
  const to = new URL(location, from.href);
  const upgrades =
    from.protocol === 'http:' &&
    to.protocol === 'https:' &&
    from.hostname === to.hostname &&
    from.port === '' &&
    to.port === '';
  return to.origin === from.origin || upgrades ? to : undefined;
}

async function refusedRedirect(url: URL, { method }: OutgoingHttp, response: Response): Promise<TransportError> {
  const location = response.headers.get('location');
  const target =
    location !== null && URL.canParse(location, url.href) ? ` to ${shownUrl(new URL(location, url.href))}` : '';
  const failure = describeFailure(response, '');
  await response.body?.cancel();
  const message = `${method} ${shownUrl(url)} was redirected (${response.status})${target}. Only redirects within the origin that keep method and body are followed; connect to the new address if it is right.`;
  return new TransportError('http', message, { ...failure, http: failure });
}

async function unauthorized(url: URL, { method }: OutgoingHttp, response: Response): Promise<UnauthorizedError> {
  const wwwAuthenticate = response.headers.get('www-authenticate') ?? undefined;
  const failure = describeFailure(response, await readStart(response));
  const message = `${method} ${shownUrl(url)} was answered with 401: the server wants a token${wwwAuthenticate === undefined ? '' : ` (${wwwAuthenticate.slice(0, 200)})`}.`;
  return new UnauthorizedError(message, { ...failure, wwwAuthenticate, http: failure });
}
