/** The time and timers that the library uses. Tests pass a clock that they move by hand. */
export interface Clock {
  /** Milliseconds from an arbitrary origin; only differences mean something. */
  now(): number;
  setTimeout(run: () => void, ms: number): unknown;
  clearTimeout(timer: unknown): void;
  /**
   * Sets whether a timer keeps the process running, which is cheaper than clearing it and setting it anew. Returns false on runtimes that cannot
   * do so; there an idle timer has to be cleared.
   */
  keepsRunning?(timer: unknown, keeps: boolean): boolean;
}

/** Timers that are set for longer fire at once instead. */
export const LONGEST_TIMER_MS: number = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  setTimeout: (run, ms) => setTimeout(run, ms),
  clearTimeout: (timer) => clearTimeout(timer as ReturnType<typeof setTimeout>),
  keepsRunning: (timer, keeps) => {
    if (typeof timer !== 'object' || timer === null) return false;
    const { ref, unref } = timer as { ref?: () => void; unref?: () => void };
    if (ref === undefined || unref === undefined) return false;
    (keeps ? ref : unref).call(timer);
    return true;
  },
};

const BEGAN = Date.now();

/**
 * `systemClock`, counted from the start of the program; for code that only measures how long ago something was. V8 stores small whole numbers in
 * place and allocates an object for a larger one, such as the milliseconds since 1970, wherever it is kept.
 */
export const runningClock: Clock = { ...systemClock, now: () => Date.now() - BEGAN };

/** Waits, or until the signal is aborted; never rejects. */
export function pause(ms: number, clock: Clock, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const done = (): void => {
      clock.clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = clock.setTimeout(done, ms);
    signal?.addEventListener('abort', done, { once: true });
  });
}
