import { ProtocolError } from '../../protocol/errors.ts';
import type { LeftBehind } from '../../stores/left-behind.ts';
import { newHolding, type Holding, type Keeper } from '../../stores/shares.ts';

/** What is open for a caller and holds less than this is not counted: there is a limit to its number. */
const LIGHT_BYTES = 4096;

/** Whether something open is not worth counting. */
export function isLight(bytes: number): boolean {
  return bytes <= LIGHT_BYTES;
}

/** Something open that holds much of what its caller sent: a session, a stream, a task that runs. */
interface Heavy extends Holding {
  readonly leftBehind: LeftBehind;
  readonly end: () => void;
}

const KEEPER: Keeper = {
  shed: (holding) => {
    const { leftBehind, end } = holding as Heavy;
    leftBehind.release(holding);
    end();
  },
};

/** Throws `rate-limited` where a caller has opened so much already that this would be more than one caller may hold. */
export function refuseHeavy(leftBehind: LeftBehind, owner: string, bytes: number): void {
  if (!isLight(bytes) && !leftBehind.mayHold(accountOf(owner), bytes))
    throw new ProtocolError('rate-limited', 'What this caller has open holds too much memory: close some of it first.');
}

/**
 * Counts what something open holds of what its caller sent, once that is much; to be released when it ends. `end` is called when there is no room for it
 * any more. `undefined` for what is not worth counting.
 */
export function holdHeavy(leftBehind: LeftBehind, owner: string, bytes: number, end: () => void): Holding | undefined {
  if (isLight(bytes)) return undefined;
  const heavy: Heavy = { leftBehind, end, ...newHolding(KEEPER) };
  leftBehind.hold(accountOf(owner), heavy, bytes);
  return heavy;
}

/** It counts apart from what the caller leaves behind, which must not end what is open. */
function accountOf(owner: string): string {
  return `open:${owner}`;
}
