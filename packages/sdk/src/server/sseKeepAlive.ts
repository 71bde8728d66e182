/** The interval between two comments that keep an event stream open. */
export const DEFAULT_SSE_KEEP_ALIVE_MS = 15_000;

/** The longest delay that a timer keeps. */
const MAX_TIMER_DELAY_MS = 2 ** 31 - 1;

/** Calls `onTick` at an interval, without keeping the process alive. An interval below a millisecond, or not finite, starts nothing. */
export function armSseKeepAlive(intervalMs: number, onTick: () => void): ReturnType<typeof setInterval> | undefined {
  if (!Number.isFinite(intervalMs) || intervalMs < 1) return undefined;
  const timer = setInterval(onTick, Math.min(intervalMs, MAX_TIMER_DELAY_MS));
  // Timers are numbers in some runtimes.
  (timer as { unref?: () => void }).unref?.();
  return timer;
}
