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

/** Longest time in milliseconds that the start of a reply waits for the rest. */
const SOON_MS = 20;

/** Listeners that one timer calls. */
function gathered(schedule: (run: () => void) => unknown): { add: (member: TurnEndListener) => void; end: () => void } {
  let waiting: TurnEndListener[] = [];
  const end = (): void => {
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
  };
  return { add: (member) => void (waiting.push(member) === 1 && schedule(end)), end };
}

const turn = gathered(immediately);
const soon = gathered((run) => setTimeout(run, SOON_MS));
/** Calls `onTurnEnd` after the current event-loop turn: most requests are answered within the turn they arrive in. */
export const atEndOfTurn: (member: TurnEndListener) => void = turn.add;
/** Calls the listeners of this turn now. */
export const endTurn: () => void = turn.end;
/** Calls `onTurnEnd` within 20 ms. */
export const soonAfterTurn: (member: TurnEndListener) => void = soon.add;
