import { TransportError } from '../protocol/errors.ts';
import type { Clock } from './clock.ts';

export interface HeartbeatOptions {
  readonly intervalMs: number;
  /** Failed pings in a row after which the peer counts as gone; 3 when absent. */
  readonly failures?: number;
}

export interface HeartbeatPort {
  /** Rejects when the peer does not answer in time. */
  ping(timeoutMs: number): Promise<unknown>;
  onstale(reason: TransportError): void;
}

/** Pings at an interval until stopped or until the peer is stale. Returns the function that stops it. */
export function startHeartbeat(port: HeartbeatPort, options: HeartbeatOptions, clock: Clock): () => void {
  const allowed = options.failures ?? 3;
  let failed = 0;
  let stopped = false;
  let timer: unknown;
  const schedule = (): void => {
    if (!stopped) timer = clock.setTimeout(beat, options.intervalMs);
  };
  const failedOnce = (error: unknown): void => {
    if (stopped) return;
    failed += 1;
    if (failed < allowed) return schedule();
    stopped = true;
    port.onstale(
      new TransportError(
        'stale',
        `The peer answered none of the last ${failed} pings, sent every ${options.intervalMs} ms.`,
        { failures: failed, intervalMs: options.intervalMs },
        { cause: error },
      ),
    );
  };
  const beat = (): void => {
    port.ping(options.intervalMs).then(() => {
      failed = 0;
      schedule();
    }, failedOnce);
  };
  schedule();
  return () => {
    stopped = true;
    clock.clearTimeout(timer);
  };
}
