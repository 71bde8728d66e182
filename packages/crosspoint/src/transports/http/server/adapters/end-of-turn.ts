/** A request or stream that may still be unfinished when the current event-loop turn ends. */
export interface TurnEndListener {
  /** Called when the turn has ended. */
  onTurnEnd(): void;
  /** Called when `onTurnEnd` has thrown. */
  failed(error: unknown): void;
}

const { setImmediate: immediately = (run: () => void): unknown => setTimeout(run, 0) } = globalThis as {
  setImmediate?: (run: () => void) => unknown;
};

let waiting: TurnEndListener[] = [];

/**
 * Calls `onTurnEnd` after the current event-loop turn. One timer serves all listeners: most requests are answered within the turn they
 * arrive in.
 */
export function atEndOfTurn(member: TurnEndListener): void {
  if (waiting.push(member) === 1) immediately(endTurn);
}

/** Calls the listeners now. */
export function endTurn(): void {
  const members = waiting;
  waiting = [];
  for (const member of members) {
    // A listener that throws must not keep the others waiting.
    try {
      member.onTurnEnd();
    } catch (error) {
      member.failed(error);
    }
  }
}
