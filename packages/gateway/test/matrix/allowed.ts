import type { Cell } from './cells.ts';
import type { Difference } from './compare.ts';

/** A difference that the bridge cannot avoid, and why. */
export interface Allowed {
  readonly what: string;
  readonly reason: string;
  /** Whether this difference is one of them. */
  covers(difference: Difference, cell: Cell): boolean;
}

/** Everything that a client may see differently through the bridge. */
export const ALLOWED: readonly Allowed[] = [];

/** The differences that no row of the table covers. `used` gets every row that was needed. */
export function unexplained(found: readonly Difference[], cell: Cell, used: Set<Allowed>): Difference[] {
  return found.filter((difference) => {
    const row = ALLOWED.find((allowed) => allowed.covers(difference, cell));
    if (row !== undefined) used.add(row);
    return row === undefined;
  });
}
