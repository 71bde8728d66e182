import { systemClock, type Clock } from '../../peer/clock.ts';
import type { LeaseTimers } from '../../stores/lease.ts';

/** Sets a timer that does not keep the process alive. */
export function later(clock: Clock, run: () => void, ms: number): unknown {
  const timer = clock.setTimeout(run, ms);
  (timer as { unref?: () => void } | undefined)?.unref?.();
  return timer;
}

/** The timers of leases. Those of the runtime do not keep a process alive by themselves. */
export function leaseTimers(clock: Clock): { timers?: LeaseTimers } {
  return clock === systemClock ? {} : { timers: clock };
}
