import { asError, attempt } from '../../runtime/guard.ts';
import type { FetchLike } from '../../transports/http/client/options.ts';

/** Wraps a `fetch` in another one. */
export type FetchMiddleware = (next: FetchLike) => FetchLike;

export type RequestLogger = (input: {
  method: string;
  url: string | URL;
  status: number;
  statusText: string;
  /** Milliseconds from the call to the response headers. */
  duration: number;
  requestHeaders?: Headers;
  responseHeaders?: Headers;
  error?: Error;
}) => void;

export type LoggingOptions = {
  logger?: RequestLogger;
  /** Log request headers, credentials included. `false` when absent. */
  includeRequestHeaders?: boolean;
  includeResponseHeaders?: boolean;
  /** Log only responses with at least this status; all when absent. */
  statusLevel?: number;
};

const toConsole: RequestLogger = ({ method, url, status, statusText, duration, error, ...headers }) => {
  const what = `HTTP ${method} ${String(url)} ${status} ${error?.message ?? statusText} (${duration.toFixed(0)} ms)`;
  const seen = Object.values(headers).flatMap((each) => [...each].map((pair) => pair.join(': ')));
  const line = [what, ...seen].join('\n  ');
  if (error !== undefined || status >= 400) console.error(line);
  else console.log(line);
};

/** Logs every request, to the console unless a `logger` is given. */
export const withLogging = (options: LoggingOptions = {}): FetchMiddleware => {
  const {
    logger: tell = toConsole,
    includeRequestHeaders = false,
    includeResponseHeaders = false,
    statusLevel = 0,
  } = options;
  // A logger that throws does not fail the request.
  const logger: RequestLogger = (input) => attempt(() => tell(input), undefined);
  return (next) => async (input, init) => {
    const started = performance.now();
    const asked = {
      method: init?.method ?? 'GET',
      url: input,
      ...(includeRequestHeaders && { requestHeaders: new Headers(init?.headers) }),
    };
    const duration = (): number => performance.now() - started;
    try {
      const response = await next(input, init);
      const { status, statusText, headers } = response;
      if (status >= statusLevel)
        logger({
          ...asked,
          status,
          statusText,
          duration: duration(),
          ...(includeResponseHeaders && { responseHeaders: headers }),
        });
      return response;
    } catch (cause) {
      const error = asError(cause);
      logger({ ...asked, status: 0, statusText: 'Network Error', duration: duration(), error });
      throw cause;
    }
  };
};

/** Combines several middlewares into one; the last one is outermost. */
export const applyMiddlewares =
  (...middleware: FetchMiddleware[]): FetchMiddleware =>
  (next) =>
    middleware.reduce((made, each) => each(made), next);

/** Makes a middleware of one function, which calls `next` itself. */
export const createMiddleware =
  (handler: (next: FetchLike, input: string | URL, init?: RequestInit) => Promise<Response>): FetchMiddleware =>
  (next) =>
  (input, init) =>
    handler(next, input, init);
