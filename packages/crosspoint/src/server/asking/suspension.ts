/** Thrown out of a question that is not answered yet: the call is over for now and runs again when the answers come. Rethrow it. */
export class Suspended extends Error {
  override readonly name: string = 'Suspended';
  constructor() {
    super('The call waits for input and will run again. Rethrow this error.');
  }
}

/** A single instance: its stack is never read. */
export const SUSPENDED: Suspended = new Suspended();

/** Whether an error is a suspension, also one of another copy of this library in the same process. */
export function isSuspension(error: unknown): boolean {
  return error instanceof Suspended || (error instanceof Error && error.name === 'Suspended');
}

const unheard = new WeakSet<Error>();

/** Marks the error of a question whose client is gone: like a suspension, it is no fault of the code that asked. */
export function mayGoUnheard(error: unknown): void {
  if (error instanceof Error) unheard.add(error);
}

function passes(reason: unknown): boolean {
  return isSuspension(reason) || (reason instanceof Error && unheard.has(reason));
}

interface ProcessLike {
  on(event: 'unhandledRejection', listener: (reason: unknown) => void): void;
  listenerCount(event: string): number;
}

interface EventTargetLike {
  addEventListener(
    type: 'unhandledrejection',
    listener: (event: { reason: unknown; preventDefault(): void }) => void,
  ): void;
}

let guarded = false;

/**
 * Keeps suspensions from ending the process. A question that an author's helper awaits later is rejected before that, which by default ends a Node
 * process. A suspension is no fault, so it is ignored; every other rejection keeps the default unless the program listens itself. Programs with a
 * listener of their own see suspensions there and must ignore them too.
 */
export function guardSuspensions(): void {
  if (guarded) return;
  guarded = true;
  const { process, addEventListener } = globalThis as {
    process?: Partial<ProcessLike>;
    addEventListener?: EventTargetLike['addEventListener'];
  };
  if (typeof process?.on === 'function') {
    process.on('unhandledRejection', (reason) => {
      if (passes(reason) || (process.listenerCount?.('unhandledRejection') ?? 0) > 1) return;
      throw reason;
    });
  } else if (typeof addEventListener === 'function') {
    try {
      addEventListener('unhandledrejection', (event) => {
        if (passes(event.reason)) event.preventDefault();
      });
    } catch {
      // Some runtimes take listeners only while the program starts. There an unhandled rejection ends nothing anyway.
    }
  }
}
