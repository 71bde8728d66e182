import type { FetchLike } from './options.ts';

/** A `fetch` with default options; the options of a call override them, header by header. */
export function createFetchWithInit(baseFetch: FetchLike = fetch, baseInit?: RequestInit): FetchLike {
  if (baseInit === undefined) return baseFetch;
  return (url, init) => {
    const headers = new Headers(baseInit.headers);
    for (const [name, value] of new Headers(init?.headers)) headers.set(name, value);
    return baseFetch(url, { ...baseInit, ...init, headers });
  };
}
