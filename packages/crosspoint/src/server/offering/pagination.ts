import { ProtocolError } from '../../protocol/errors.ts';

/** The place of an item in its list: part, position, index. It does not move when other items come and go, and neither do cursors. */
export type Position = readonly [part: number, order: number, index: number];

export interface Placed<T> {
  readonly position: Position;
  readonly value: T;
}

/** The index at which a page begins. A cursor is the position of the last item seen, in an opaque form. */
export function pageStart(list: string, items: readonly Placed<unknown>[], cursor: unknown): number {
  return cursor === undefined ? 0 : firstAfter(items, readCursor(list, cursor));
}

/** One page of items that are in order. */
export function paginate<T>(
  list: string,
  items: readonly Placed<T>[],
  start: number,
  pageSize: number,
): { values: T[]; nextCursor?: string } {
  const page = items.slice(start, start + pageSize);
  const values = page.map((item) => item.value);
  const last = page.at(-1);
  return last !== undefined && start + page.length < items.length
    ? { values, nextCursor: writeCursor(list, last.position) }
    : { values };
}

function firstAfter<T>(items: readonly Placed<T>[], position: Position): number {
  const index = items.findIndex((item) => comparePositions(item.position, position) > 0);
  return index === -1 ? items.length : index;
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
