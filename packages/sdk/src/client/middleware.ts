import {
  UnauthorizedError,
  withLogging as withLog,
  type FetchMiddleware as Middleware,
  type LoggingOptions,
  type RequestLogger,
} from 'crosspoint/client';
import type { FetchLike } from '../shared/transport.ts';
import { auth, extractWWWAuthenticateParams, type OAuthClientProvider } from './auth.ts';
import { errorMessage } from '../internal/shared/contain.ts';

export { applyMiddlewares, createMiddleware } from 'crosspoint/client';
export type { LoggingOptions, Middleware, RequestLogger };

/**
 * A `fetch` that logs in when it is refused and then sends the request once more, for programs that call a server without a transport. What
 * the login sends goes through the wrapped `fetch`. Rejects with an `UnauthorizedError`, also when the user was sent to the login page.
 * @param baseUrl Address of the server; the origin of each request when absent.
 */
export const withOAuth =
  (provider: OAuthClientProvider, baseUrl?: string | URL): Middleware =>
  (next) => {
    const send: FetchLike = async (input, init) => {
      const headers = new Headers(init?.headers);
      const tokens = await provider.tokens();
      if (tokens) headers.set('Authorization', `Bearer ${tokens.access_token}`);
      return next(input, { ...init, headers });
    };
    return async (input, init) => {
      const refused = await send(input, init);
      if (refused.status !== 401) return refused;
      try {
        const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(refused);
        const serverUrl = baseUrl ?? new URL(input).origin;
        const result = await auth(provider, { serverUrl, resourceMetadataUrl, scope, fetchFn: next });
        if (result === 'REDIRECT')
          throw new UnauthorizedError('Authentication requires user authorization - redirect initiated');
        await refused.body?.cancel();
        const response = await send(input, init);
        if (response.status !== 401) return response;
      } catch (cause) {
        if (cause instanceof UnauthorizedError) throw cause;
        const why = errorMessage(cause);
        throw new UnauthorizedError(`Failed to re-authenticate: ${why}`, {}, { cause });
      }
      throw new UnauthorizedError(`Authentication failed for ${String(input)}`);
    };
  };

const shown = (name: string, headers: Headers | undefined): string =>
  headers === undefined ? '' : `\n  ${name}: {${[...headers].map((pair) => pair.join(': ')).join(', ')}}`;

const toConsole: RequestLogger = ({ method, url, status, statusText, duration, error, ...headers }) => {
  const what = error === undefined ? `${status} ${statusText}` : `failed: ${error.message}`;
  const line =
    `HTTP ${method} ${String(url)} ${what} (${duration}ms)` +
    shown('Request Headers', headers.requestHeaders) +
    shown('Response Headers', headers.responseHeaders);
  if (error !== undefined || status >= 400) console.error(line);
  else console.log(line);
};

/** Logs every request, to the console unless a `logger` is given. */
export const withLogging = ({ logger = toConsole, ...options }: LoggingOptions = {}): Middleware =>
  withLog({ ...options, logger: (input) => logger({ ...input, url: String(input.url) }) });
