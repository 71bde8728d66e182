import type { JsonObject } from '../jsonrpc/message.ts';

/** One page of a list. `nextCursor` absent means the end; an empty string does not. */
export interface Page {
  nextCursor?: string;
  _meta?: JsonObject;
}

export type CacheScope = 'public' | 'private';

/** How long a result may be reused, and whether by others. Absent in the revisions that have no caching. */
export interface CacheHints {
  ttlMs?: number;
  cacheScope?: CacheScope;
}

/** What is wrong with hints that a program configures, or `undefined`. */
export function cacheHintsFault({ ttlMs, cacheScope }: CacheHints): string | undefined {
  if (ttlMs !== undefined && !(Number.isSafeInteger(ttlMs) && ttlMs >= 0))
    return `ttlMs must be a whole number of milliseconds, 0 or more; it is ${String(ttlMs)}`;
  if (cacheScope !== undefined && cacheScope !== 'public' && cacheScope !== 'private')
    return `cacheScope must be "public" or "private"; it is ${String(cacheScope)}`;
  return undefined;
}
