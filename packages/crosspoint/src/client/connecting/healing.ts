import { pause, type Clock } from '../../peer/clock.ts';
import { TransportError } from '../../protocol/errors.ts';
import { asError } from '../../runtime/guard.ts';

export interface ReconnectOptions {
  /** Attempts before giving up; 10 when absent. */
  readonly attempts?: number;
  /** First delay in milliseconds; 500 when absent. */
  readonly initialDelayMs?: number;
  /** Longest delay in milliseconds; 30 000 when absent. */
  readonly maxDelayMs?: number;
  /** Factor from one delay to the next; 2 when absent. */
  readonly factor?: number;
  /** Random share of each delay, 0 to 1; 0.5 when absent. It keeps clients that were cut off together from coming back together. */
  readonly jitter?: number;
}

export type ReconnectPolicy = Required<ReconnectOptions>;

const DEFAULTS: ReconnectPolicy = { attempts: 10, initialDelayMs: 500, maxDelayMs: 30_000, factor: 2, jitter: 0.5 };

/** A stream that stayed open this long counts as healthy: after it, the delays start from the first one again. */
export const SETTLED_MS = 5000;

/** Delays before a broken stream of notifications is opened again. */
export const RELISTEN: Omit<ReconnectPolicy, 'attempts'> = {
  initialDelayMs: 1000,
  maxDelayMs: 10_000,
  factor: 2,
  jitter: 0.5,
};

export function reconnectPolicy(option: ReconnectOptions | boolean | undefined): ReconnectPolicy | undefined {
  if (option === undefined || option === false) return undefined;
  return option === true ? DEFAULTS : { ...DEFAULTS, ...option };
}

/** Delay in milliseconds before attempt number `attempt`, counted from 0. `chance` is a random number from 0 to 1. */
export function backoff(attempt: number, policy: Omit<ReconnectPolicy, 'attempts'>, chance: number): number {
  const full = Math.min(policy.maxDelayMs, policy.initialDelayMs * policy.factor ** attempt);
  return full * (1 - policy.jitter * chance);
}

export type Healed = 'healed' | 'gave-up' | 'stopped';

export interface HealingSetup {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Attempts already used. */
  readonly tried: number;
  /** Whether the first attempt is made without a delay. */
  readonly atOnce: boolean;
  onproblem(problem: Error): void;
}

/**
 * Repeats `attempt` until it succeeds, all attempts are used, or `signal` aborts. A failed attempt goes to `onproblem`; nothing is thrown.
 */
export async function heal(
  attempt: () => Promise<void>,
  policy: ReconnectPolicy,
  setup: HealingSetup,
): Promise<Healed> {
  const { clock, signal } = setup;
  for (let { tried } = setup; tried < policy.attempts; tried += 1) {
    await (tried === 0 && setup.atOnce ? undefined : pause(backoff(tried, policy, Math.random()), clock, signal));
    if (signal.aborted) return 'stopped';
    try {
      await attempt();
      return 'healed';
    } catch (error) {
      if (signal.aborted) return 'stopped';
      setup.onproblem(asError(error));
      // A server that wants a token will refuse the next attempt as well.
      if (error instanceof TransportError && error.code === 'unauthorized') return 'gave-up';
    }
  }
  return 'gave-up';
}
