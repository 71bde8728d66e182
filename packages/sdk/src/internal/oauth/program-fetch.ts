import type { FetchLike } from '../../shared/transport.ts';

const DISPATCHERS = [Symbol.for('undici.globalDispatcher.1'), Symbol.for('undici.globalDispatcher.2')];
/** Dispatchers that Node makes by itself. */
const DEFAULT_DISPATCHERS: ReadonlySet<string> = new Set(['Agent', 'Dispatcher1Wrapper', '_Dispatcher1Wrapper']);

const sourceOf = (made: unknown): string => Function.prototype.toString.call(made);

const atStart = globalThis.fetch as FetchLike | undefined;

/** Node's own `fetch` loads the module behind it; one that was put in its place before this file was loaded does not. */
function isReplaced(current: FetchLike): boolean {
  if (current !== atStart) return true;
  const isNode = typeof process === 'object' && !('Bun' in globalThis) && !('Deno' in globalThis);
  return isNode && 'getBuiltinModule' in process && !sourceOf(current).includes('internal/deps/undici');
}

/** Whether Node's `fetch` sends its requests by a dispatcher that was set: a proxy, a mock, an agent with certificates. */
function isDispatched(): boolean {
  return DISPATCHERS.some((name) => {
    const dispatcher = (globalThis as Record<symbol, unknown>)[name];
    if (typeof dispatcher !== 'object' || dispatcher === null) return false;
    const { constructor: made } = dispatcher;
    // The classes inside of Node are anonymous in its sources, those of the undici package are not.
    return !DEFAULT_DISPATCHERS.has(made.name) || sourceOf(made).startsWith('class Agent');
  });
}

/** `globalThis.fetch` where the program replaced it or set how it sends; `undefined` where it is the runtime's, as it came. */
export function programFetch(): FetchLike | undefined {
  const current: FetchLike | undefined = globalThis.fetch;
  if (current === undefined || !(isReplaced(current) || isDispatched())) return undefined;
  return (url, init) => globalThis.fetch(url, init);
}
