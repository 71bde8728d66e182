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
