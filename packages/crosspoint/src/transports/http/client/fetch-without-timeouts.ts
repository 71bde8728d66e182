import type { FetchLike } from './options.ts';

interface Dispatcher {
  dispatch(options: object, handler: unknown): boolean;
}

const GLOBAL_DISPATCHER = Symbol.for('undici.globalDispatcher.1');

/**
 * Node's `fetch` gives up after five minutes without data, and a stream may be silent for longer. The limits can be set per request by the
 * dispatcher, so the dispatcher in use (perhaps a proxy's) is wrapped to have none. Runtimes without dispatchers have no such limits.
 */
function withoutLimits(dispatcher: Dispatcher): Dispatcher {
  return {
    dispatch: (options, handler) => dispatcher.dispatch({ ...options, bodyTimeout: 0, headersTimeout: 0 }, handler),
  };
}

/** The runtime's `fetch` without its time limits; requests have timeouts of their own. */
export const fetchWithoutTimeouts: FetchLike = (url, init) => {
  const given =
    init !== undefined && 'dispatcher' in init
      ? init.dispatcher
      : (globalThis as Record<symbol, unknown>)[GLOBAL_DISPATCHER];
  return fetch(
    url,
    given === undefined ? init : ({ ...init, dispatcher: withoutLimits(given as Dispatcher) } as RequestInit),
  );
};
