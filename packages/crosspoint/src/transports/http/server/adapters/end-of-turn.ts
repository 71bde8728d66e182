/** Something that may go on for longer than this turn of the event loop. */
export interface Lasting {
  /** The turn is over. */
  lasts(): void;
  /** `lasts` has thrown. */
  failed(error: unknown): void;
}

const { setImmediate: immediately = (run: () => void): unknown => setTimeout(run, 0) } = globalThis as {
  setImmediate?: (run: () => void) => unknown;
};

let waiting: Lasting[] = [];

/** Calls `lasts` when this turn of the event loop is over. One timer for all, since most of what begins in a turn is over by then. */
export function atEndOfTurn(member: Lasting): void {
  if (waiting.push(member) === 1) immediately(endTurn);
}

/** Ends the turn for those who wait for it, now. */
export function endTurn(): void {
  const members = waiting;
  waiting = [];
  for (const member of members) {
    // One that fails must not keep the others waiting.
    try {
      member.lasts();
    } catch (error) {
      member.failed(error);
    }
  }
}
