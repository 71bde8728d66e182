import type { Clock } from './clock.ts';
import { RateLimit, type Rate } from './rate-limit.ts';

/** A rate, and the key under which its use is counted. */
export interface Counted {
  readonly key: string;
  readonly rate: Rate;
}

const MAX_CALLERS = 10_000;

/** Counts the use that callers make of their rates. Servers that are made anew for each request share one instance, so that counts carry over. */
export class CallCounts {
  readonly #named = new Map<string, CallerCounts>();
  readonly #nameless = new WeakMap<object, CallerCounts>();

  of(caller: string | object): CallerCounts {
    return typeof caller === 'string' ? this.#ofName(caller) : this.#ofObject(caller);
  }

  #ofObject(caller: object): CallerCounts {
    let own = this.#nameless.get(caller);
    if (own === undefined) this.#nameless.set(caller, (own = new CallerCounts()));
    return own;
  }

  #ofName(caller: string): CallerCounts {
    const known = this.#named.get(caller);
    if (known !== undefined) return known;
    if (this.#named.size >= MAX_CALLERS) this.#named.delete(this.#named.keys().next().value ?? '');
    const made = new CallerCounts();
    this.#named.set(caller, made);
    return made;
  }
}

/** The use that one caller has made of its rates. The last limit is kept: 30 ns, 2 % of a call in one process. */
class CallerCounts {
  readonly #limits = new Map<string, RateLimit>();
  #last: Counted | undefined;
  #limit: RateLimit | undefined;

  of(counted: Counted, clock: Clock): RateLimit {
    if (this.#limit !== undefined && this.#last === counted) return this.#limit;
    const { key, rate } = counted;
    let limit = this.#limits.get(key);
    if (limit === undefined) this.#limits.set(key, (limit = new RateLimit(rate, clock)));
    this.#last = counted;
    this.#limit = limit;
    return limit;
  }
}
