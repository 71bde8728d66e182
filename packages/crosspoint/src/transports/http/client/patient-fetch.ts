import type { FetchLike } from './options.ts';

interface Dispatcher {
  dispatch(options: object, handler: unknown): boolean;
}

const GLOBAL_DISPATCHER = Symbol.for('undici.globalDispatcher.1');

/**
 * Why not `fetch` alone: Node's gives up on an answer after five minutes of silence, and a stream may well be silent for longer. Its limits
 * can be set for each request by whoever dispatches it, so the dispatcher in use (a proxy's, perhaps) is asked to have none. Runtimes
 * without such a dispatcher have no such limits either.
 */
function withoutLimits(dispatcher: Dispatcher): Dispatcher {
  return {
    dispatch: (options, handler) => dispatcher.dispatch({ ...options, bodyTimeout: 0, headersTimeout: 0 }, handler),
  };
}

/** The runtime's `fetch`, with all the patience in the world. Requests have timers of their own. */
export const patientFetch: FetchLike = (url, init) => {
  const given =
    init !== undefined && 'dispatcher' in init
      ? init.dispatcher
      : (globalThis as Record<symbol, unknown>)[GLOBAL_DISPATCHER];
  return fetch(
    url,
    given === undefined ? init : ({ ...init, dispatcher: withoutLimits(given as Dispatcher) } as RequestInit),
  );
};
