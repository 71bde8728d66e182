import type { JsonObject } from '../jsonrpc/message.ts';
import { TransportError } from '../protocol/errors.ts';

/** The lists of the protocol, and the member of the result that holds the items. */
export const LIST_MEMBERS = {
  'tools/list': 'tools',
  'prompts/list': 'prompts',
  'resources/list': 'resources',
  'resources/templates/list': 'resourceTemplates',
} as const;

export type ListMethod = keyof typeof LIST_MEMBERS;

/** A server that never ends its list is cut off here. */
const MAX_PAGES = 1000;

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

/** All pages as one result. Cursors are opaque: only the absence of one is the end, and one seen before means the list runs in circles. */
export async function gatherPages(
  method: ListMethod,
  fetchPage: (cursor: string | undefined) => Promise<JsonObject>,
): Promise<JsonObject> {
  const seen = new Set<string>();
  const items: unknown[] = [];
  let cursor: string | undefined;
  for (let pages = 1; ; pages += 1) {
    const page = await fetchPage(cursor);
    items.push(...itemsIn(method, page));
    const { nextCursor, ...rest } = page;
    if (typeof nextCursor !== 'string') return { ...rest, [LIST_MEMBERS[method]]: items };
    if (seen.has(nextCursor))
      throw new TransportError(
        'invalid-result',
        `${method}: the server gave the same cursor twice, so the list would never end.`,
        { method, pages },
      );
    if (pages >= MAX_PAGES)
      throw new TransportError('invalid-result', `${method}: the list has more than ${MAX_PAGES} pages.`, {
        method,
        pages,
      });
    seen.add(nextCursor);
    cursor = nextCursor;
  }
}
