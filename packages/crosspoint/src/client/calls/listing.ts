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

export interface PageSource {
  readonly fetchPage: (cursor: string | undefined) => Promise<JsonObject>;
  readonly onproblem: (problem: Error) => void;
}

/**
 * Reads all pages into one result. Cursors are opaque: a missing one ends the list. A repeated one ends it too, with what was read and a
 * problem: the list would never end. Some servers write an empty cursor on their last page and take it for none, so a page that is the first
 * one again is left out.
 */
export async function gatherPages(
  method: ListMethod,
  { fetchPage, onproblem }: PageSource,
  options: ListLimits = {},
): Promise<JsonObject> {
  const limits = { ...LIMITS, ...options };
  const seen = new Set<string>();
  const items: unknown[] = [];
  let first: string | undefined;
  let cursor: string | undefined;
  let bytes = 0;
  for (let pages = 1; ; pages += 1) {
    const page = await fetchPage(cursor);
    const { nextCursor, ...rest } = page;
    const isRepeated = typeof nextCursor === 'string' && seen.has(nextCursor);
    const found = itemsIn(method, page);
    if (!isRepeated || JSON.stringify(found) !== first) for (const item of found) items.push(item);
    const isLast = typeof nextCursor !== 'string' || isRepeated;
    if (pages > 1 || !isLast) bytes += jsonSize(page, limits.maxBytes);
    const taken = { pages, items: items.length, bytes };
    requireWithin(method, limits, isLast ? taken : { ...taken, pages: pages + 1 });
    if (isRepeated) {
      const message = `${method}: the server gave the same cursor twice, so the list was ended after ${pages} pages.`;
      onproblem(new TransportError('invalid-result', message, { method, ...taken }));
    }
    if (isLast) return { ...rest, [LIST_MEMBERS[method]]: items };
    first ??= JSON.stringify(found);
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
