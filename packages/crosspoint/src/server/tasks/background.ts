import { systemClock, type Clock } from '../../peer/clock.ts';
import type { LeaseTimers } from '../../stores/lease.ts';

/** A timer that does not keep a process alive which has nothing else to do. */
export function later(clock: Clock, run: () => void, ms: number): unknown {
  const timer = clock.setTimeout(run, ms);
  (timer as { unref?: () => void } | undefined)?.unref?.();
  return timer;
}

/** What leases run on. Those of the runtime keep no process alive by themselves. */
export function leaseTimers(clock: Clock): { timers?: LeaseTimers } {
  return clock === systemClock ? {} : { timers: clock };
}
