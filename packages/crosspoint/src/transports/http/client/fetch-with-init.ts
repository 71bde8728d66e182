import type { FetchLike } from './options.ts';

/** A `fetch` that has options of its own; those of a call go over them, header by header. */
export function createFetchWithInit(baseFetch: FetchLike = fetch, baseInit?: RequestInit): FetchLike {
  if (baseInit === undefined) return baseFetch;
  return (url, init) => {
    const headers = new Headers(baseInit.headers);
    for (const [name, value] of new Headers(init?.headers)) headers.set(name, value);
    return baseFetch(url, { ...baseInit, ...init, headers });
  };
}
