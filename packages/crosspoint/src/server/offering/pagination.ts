import { firstIndex } from '../../runtime/first-index.ts';
import { ProtocolError } from '../../protocol/errors.ts';

/** The place of an item in its list: part, position, index. It does not move when other items come and go, and neither do cursors. */
export type Position = readonly [part: number, order: number, index: number];

export interface Placed<T> {
  readonly position: Position;
  readonly value: T;
}

/** The index at which a page begins. A cursor is the position of the last item seen, in an opaque form. */
export function pageStart(list: string, items: readonly Placed<unknown>[], cursor: unknown): number {
  if (cursor === undefined) return 0;
  const position = readCursor(list, cursor);
  return firstIndex(items.length, (index) => comparePositions(items[index]?.position ?? position, position) > 0);
}

/** One page of items that are in order. Of the items beyond the page only the next one that is offered is looked for. */
export function paginate<Item extends Placed<unknown>>(
  list: string,
  items: readonly Item[],
  start: number,
  { pageSize, isOffered }: { readonly pageSize: number; readonly isOffered: (item: Item) => boolean },
): { values: Item['value'][]; nextCursor?: string } {
  const values: Item['value'][] = [];
  let last: Position | undefined;
  for (let at = start; at < items.length; at += 1) {
    const item = items[at];
    if (item === undefined || !isOffered(item)) continue;
    if (last !== undefined && values.length + 1 > pageSize) return { values, nextCursor: writeCursor(list, last) };
    values.push(item.value);
    last = item.position;
  }
  return { values };
}

export function comparePositions(a: Position, b: Position): number {
  return a[0] - b[0] || a[1] - b[1] || a[2] - b[2];
}

function writeCursor(list: string, position: Position): string {
  return btoa(`${list}:${position.join(':')}`).replaceAll('=', '');
}

function readCursor(list: string, cursor: unknown): Position {
  const [name, ...parts] = typeof cursor === 'string' && cursor.length < 200 ? decode(cursor).split(':') : [];
  const numbers = parts.map(Number);
  const [part, order, index] = numbers;
  if (
    name !== list ||
    numbers.length !== 3 ||
    part === undefined ||
    order === undefined ||
    index === undefined ||
    !numbers.every((n) => Number.isSafeInteger(n) && n >= 0)
  ) {
    throw new ProtocolError('invalid-params', `The cursor was not made by ${list}.`);
  }
  return [part, order, index];
}

function decode(text: string): string {
  try {
    return atob(text);
  } catch {
    return '';
  }
}
