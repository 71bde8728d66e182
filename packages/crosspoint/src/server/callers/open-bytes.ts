import { ProtocolError } from '../../protocol/errors.ts';
import type { LeftBehind } from '../../stores/left-behind.ts';
import { newHolding, type Holding, type Keeper } from '../../stores/shares.ts';

/** Open sessions, streams and tasks with fewer bytes are not counted: their number is limited instead. */
const LIGHT_BYTES = 4096;

/** Whether something open is too small to be counted. */
export function isLight(bytes: number): boolean {
  return bytes <= LIGHT_BYTES;
}

/** A session, stream or running task with many bytes of its caller's input. */
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

/** Throws `rate-limited` where this would exceed the bytes that one caller may hold open. */
export function refuseHeavy(leftBehind: LeftBehind, owner: string, bytes: number): void {
  if (!isLight(bytes) && !leftBehind.mayHold(accountOf(owner), bytes))
    throw new ProtocolError(
      'rate-limited',
      'The open sessions, streams and tasks of this caller hold too much memory: close some first.',
    );
}

/**
 * Counts the bytes of something open, if they are many; to be released when it ends. `end` is called when there is no room for it any more.
 * `undefined` for something too small to be counted.
 */
export function holdHeavy(leftBehind: LeftBehind, owner: string, bytes: number, end: () => void): Holding | undefined {
  if (isLight(bytes)) return undefined;
  const heavy: Heavy = { leftBehind, end, ...newHolding(KEEPER) };
  leftBehind.hold(accountOf(owner), heavy, bytes);
  return heavy;
}

/** A separate account: data that the caller leaves behind must not end what it has open. */
function accountOf(owner: string): string {
  return `open:${owner}`;
}
