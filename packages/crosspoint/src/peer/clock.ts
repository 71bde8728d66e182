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
