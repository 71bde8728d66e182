import { jsonSize } from '../../jsonrpc/json-size.ts';
import type { JsonObject } from '../../jsonrpc/message.ts';
import { TransportError } from '../../protocol/errors.ts';

/** The lists of the protocol, and the member of the result that holds the items. */
export const LIST_MEMBERS = {
  'tools/list': 'tools',
  'prompts/list': 'prompts',
  'resources/list': 'resources',
  'resources/templates/list': 'resourceTemplates',
} as const;

export type ListMethod = keyof typeof LIST_MEMBERS;

/** Limits for a list, over all its pages. */
export interface ListLimits {
  /** Most pages; 1,000 when absent. */
  readonly maxPages?: number;
  /** Most items; 100,000 when absent. */
  readonly maxItems?: number;
  /** Approximate characters of JSON; 64 Mi when absent. A list of a single page has only the limit of any message. */
  readonly maxBytes?: number;
}

const LIMITS: Required<ListLimits> = { maxPages: 1000, maxItems: 100_000, maxBytes: 64 * 1024 * 1024 };

/** The items of one page. */
export function itemsIn(method: ListMethod, page: JsonObject): readonly unknown[] {
  const items = page[LIST_MEMBERS[method]];
  if (!Array.isArray(items))
    throw new TransportError('invalid-result', `The result of ${method} has no "${LIST_MEMBERS[method]}".`, {
      method,
      result: page,
    });
  return items;
}

/** Reads all pages into one result. Cursors are opaque: a missing one ends the list, a repeated one is an error. */
export async function gatherPages(
  method: ListMethod,
  fetchPage: (cursor: string | undefined) => Promise<JsonObject>,
  options: ListLimits = {},
): Promise<JsonObject> {
  const limits = { ...LIMITS, ...options };
  const seen = new Set<string>();
  const items: unknown[] = [];
  let cursor: string | undefined;
  let bytes = 0;
  for (let pages = 1; ; pages += 1) {
    const page = await fetchPage(cursor);
    for (const item of itemsIn(method, page)) items.push(item);
    const { nextCursor, ...rest } = page;
    const isLast = typeof nextCursor !== 'string';
    if (pages > 1 || !isLast) bytes += jsonSize(page, limits.maxBytes);
    const taken = { pages, items: items.length, bytes };
    requireWithin(method, limits, isLast ? taken : { ...taken, pages: pages + 1 });
    if (isLast) return { ...rest, [LIST_MEMBERS[method]]: items };
    if (seen.has(nextCursor))
      throw new TransportError(
        'invalid-result',
        `${method}: the server gave the same cursor twice, so the list would never end.`,
        { method, ...taken },
      );
    seen.add(nextCursor);
    cursor = nextCursor;
  }
}

/** Throws `too-large` when a limit is exceeded. `taken` includes the page to be fetched next. */
function requireWithin(
  method: ListMethod,
  { maxPages, maxItems, maxBytes }: Required<ListLimits>,
  taken: { readonly pages: number; readonly items: number; readonly bytes: number },
): void {
  const { pages, items, bytes } = taken;
  const refuse = (option: keyof ListLimits, limit: number, what: string): never => {
    const message = `${method}: the list has more than ${limit} ${what}; it was given up after ${pages - 1} pages with ${items} items. Raise lists.${option} of the client for a server that you trust.`;
    throw new TransportError('too-large', message, { method, option: `lists.${option}`, limit, ...taken });
  };
  if (bytes > maxBytes) refuse('maxBytes', maxBytes, 'bytes');
  if (items > maxItems) refuse('maxItems', maxItems, 'items');
  if (pages > maxPages) refuse('maxPages', maxPages, 'pages');
}
