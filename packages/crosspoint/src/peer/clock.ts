/** Time as the engine sees it, so that tests can hold it in their hands. */
export interface Clock {
  /** Milliseconds; only differences mean something. */
  now(): number;
  setTimeout(run: () => void, ms: number): unknown;
  clearTimeout(timer: unknown): void;
  /**
   * Says whether a timer is to keep the program running. False where that cannot be said: a timer that nobody needs has to be cleared
   * there. Cheaper than clearing a timer and setting it anew.
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
 * The system's, counted from when the program began, for what only asks how long ago something was. V8 keeps whole numbers that stay small in
 * their place, and makes an object of any other wherever it is kept.
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
