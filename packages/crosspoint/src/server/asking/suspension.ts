/** Thrown out of a question that is not answered yet: the call is over for now and runs again when the answers come. Rethrow it. */
export class Suspended extends Error {
  override readonly name: string = 'Suspended';
  constructor() {
    super('The call waits for input and will run again. Rethrow this error.');
  }
}

/** One for all: nobody looks at its stack. */
export const SUSPENDED: Suspended = new Suspended();

interface ProcessLike {
  on(event: 'unhandledRejection', listener: (reason: unknown) => void): void;
  listenerCount(event: string): number;
}

let guarded = false;

/**
 * A question that an author's helper awaits later is rejected before anyone looks at it, which by default ends a Node process. A suspension
 * is no fault, so it is let pass; everything else keeps the default unless the program listens itself.
 */
export function guardSuspensions(): void {
  const { process } = globalThis as { process?: Partial<ProcessLike> };
  if (guarded || typeof process?.on !== 'function') return;
  guarded = true;
  process.on('unhandledRejection', (reason) => {
    if (reason instanceof Suspended || (process.listenerCount?.('unhandledRejection') ?? 0) > 1) return;
    throw reason;
  });
}
