import { readFileSync } from 'node:fs';

const TICKS_PER_SECOND = 100;

/** Seconds that all cores together were busy, time stolen by the host of a virtual machine included. */
function busySeconds() {
  const [, user, nice, system, , , irq, softirq, steal] = readFileSync('/proc/stat', 'utf8')
    .split('\n', 1)[0]
    .split(/\s+/);
  return [user, nice, system, irq, softirq, steal].reduce((sum, ticks) => sum + Number(ticks), 0) / TICKS_PER_SECOND;
}

/**
 * Watches how many cores others than the measured processes keep busy.
 * @returns {(ownCpuMicroseconds: number) => number | undefined} the busy cores since then, given the time used by the measured processes;
 *   undefined where the system does not tell
 */
export function watchForeignLoad() {
  if (process.platform !== 'linux') return () => undefined;
  const busy = busySeconds();
  const since = performance.now();
  return (ownCpuMicroseconds) => {
    const seconds = (performance.now() - since) / 1000;
    return Math.max(0, (busySeconds() - busy - ownCpuMicroseconds / 1e6) / seconds);
  };
}
