import type { JsonObject } from '../jsonrpc/message.ts';

/** One page of a list. An absent `nextCursor` means the end; an empty string does not. */
export interface Page {
  nextCursor?: string;
  _meta?: JsonObject;
}

export type CacheScope = 'public' | 'private';

/** How long a result may be reused, in milliseconds, and whether for other callers. Absent in revisions without caching. */
export interface CacheHints {
  ttlMs?: number;
  cacheScope?: CacheScope;
}

/** Returns what is wrong with cache hints that a program configures, or `undefined`. */
export function cacheHintsFault({ ttlMs, cacheScope }: CacheHints): string | undefined {
  if (ttlMs !== undefined && !(Number.isSafeInteger(ttlMs) && ttlMs >= 0))
    return `ttlMs must be a whole number of milliseconds, 0 or more; it is ${String(ttlMs)}`;
  if (cacheScope !== undefined && cacheScope !== 'public' && cacheScope !== 'private')
    return `cacheScope must be "public" or "private"; it is ${String(cacheScope)}`;
  return undefined;
}

/** A list that a server tells changes of. */
export type ListKind = 'tools' | 'prompts' | 'resources';

/** A change of what a server offers: of a list, or of the contents of a resource. */
export type OfferedChange = { readonly kind: ListKind } | { readonly kind: 'resource'; readonly uri: string };

const LIST_CHANGED = /^notifications\/(tools|prompts|resources)\/list_changed$/;

/** The list that a notification tells a change of, if it does. */
export function changedList(method: string): ListKind | undefined {
  return LIST_CHANGED.exec(method)?.[1] as ListKind | undefined;
}

/** The change that a notification tells of, if it is one. */
export function readChange(method: string, params: JsonObject | undefined): OfferedChange | undefined {
  if (method === 'notifications/resources/updated')
    return typeof params?.['uri'] === 'string' ? { kind: 'resource', uri: params['uri'] } : undefined;
  const kind = changedList(method);
  return kind && { kind };
}
