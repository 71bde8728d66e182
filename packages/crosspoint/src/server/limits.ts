import { ProtocolError } from '../protocol/errors.ts';
import type { Clock } from '../peer/clock.ts';
import { RateLimit, type Rate } from '../peer/rate-limit.ts';
import type { ServerContext } from './context.ts';
import { principalOf } from './principal.ts';

/** How often one caller may do something. Method names; what has no entry is not limited. */
export type Limits = Readonly<Record<string, Rate>>;

/** Completion is asked for with every key a user presses; tools are as dear as their authors made them, so only the author can say. */
export const DEFAULT_LIMITS: Limits = { 'completion/complete': { perSecond: 100, burst: 500 } };

const MAX_CALLERS = 10_000;

/** A connection that lives for one call alone says who else's calls count with it. */
export interface Counted {
  readonly countedBy?: object;
}

/** Counts the calls of each caller: the verified client where there is one, the connection otherwise. */
export class Limiter {
  readonly #limits: ReadonlyMap<string, Rate>;
  readonly #clock: Clock;
  readonly #byPrincipal = new Map<string, RateLimit>();
  readonly #byConnection = new WeakMap<object, Map<string, RateLimit>>();

  constructor(limits: Limits, clock: Clock) {
    this.#limits = new Map(Object.entries(limits));
    this.#clock = clock;
  }

  admit(ctx: ServerContext, connection: object & Counted): void {
    const rate = this.#limits.get(ctx.inbound.method);
    if (rate === undefined) return;
    const limit = this.#limitFor(ctx, connection, rate);
    if (limit.take()) return;
    throw new ProtocolError('rate-limited', `${ctx.inbound.method} is limited to ${rate.perSecond} calls per second.`, {
      retryAfterMs: limit.waitMs,
    });
  }

  #limitFor(ctx: ServerContext, connection: object & Counted, rate: Rate): RateLimit {
    const { method } = ctx.inbound;
    const principal = principalOf(ctx.authInfo);
    if (principal === undefined) {
      const counted = connection.countedBy ?? connection;
      const own = this.#byConnection.get(counted) ?? new Map<string, RateLimit>();
      this.#byConnection.set(counted, own);
      return getOrMake(own, method, () => new RateLimit(rate, this.#clock));
    }
    const key = JSON.stringify([principal, method]);
    if (this.#byPrincipal.size >= MAX_CALLERS && !this.#byPrincipal.has(key))
      this.#byPrincipal.delete(this.#byPrincipal.keys().next().value ?? '');
    return getOrMake(this.#byPrincipal, key, () => new RateLimit(rate, this.#clock));
  }
}

function getOrMake<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const found = map.get(key);
  if (found !== undefined) return found;
  const made = make();
  map.set(key, made);
  return made;
}
