import { pause, type Clock } from '../../peer/clock.ts';
import { TransportError } from '../../protocol/errors.ts';
import { asError } from '../../runtime/guard.ts';

export interface ReconnectOptions {
  /** How often to try before giving up; 10 when absent. */
  readonly attempts?: number;
  readonly initialDelayMs?: number;
  readonly maxDelayMs?: number;
  readonly factor?: number;
  /** The share of a delay that chance decides, from 0 to 1, so that clients which were cut off together do not come back together. */
  readonly jitter?: number;
}

export type ReconnectPolicy = Required<ReconnectOptions>;

const DEFAULTS: ReconnectPolicy = { attempts: 10, initialDelayMs: 500, maxDelayMs: 30_000, factor: 2, jitter: 0.5 };

/** A stream that lasted so long is a sign that all is well: the next is asked for as if none had broken. */
export const SETTLED_MS = 5000;

/** How streams of notifications are asked for again. */
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

/** How long to wait before the given attempt, the first being 0. `chance` is from 0 to 1. */
export function backoff(attempt: number, policy: Omit<ReconnectPolicy, 'attempts'>, chance: number): number {
  const full = Math.min(policy.maxDelayMs, policy.initialDelayMs * policy.factor ** attempt);
  return full * (1 - policy.jitter * chance);
}

export type Healed = 'healed' | 'gave-up' | 'stopped';

export interface HealingSetup {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Attempts that count as used already. */
  readonly tried: number;
  /** Whether the very first attempt is made without a delay. */
  readonly atOnce: boolean;
  onproblem(problem: Error): void;
}

/** Tries until one attempt succeeds, all are used up, or `signal` ends it. A failed attempt is reported and never thrown. */
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
      // A server that wants a token will want one the next time, too.
      if (error instanceof TransportError && error.code === 'unauthorized') return 'gave-up';
    }
  }
  return 'gave-up';
}
