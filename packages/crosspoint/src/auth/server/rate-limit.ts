import { OAuthFault } from './oauth-fault.ts';

export interface RateLimitOptions {
  readonly max: number;
  readonly windowMs: number;
}

const MAX_CALLERS = 10_000;

/** How often each caller may do something within a window of time. Counted in this process alone. */
export class RateLimit {
  readonly #options: RateLimitOptions;
  readonly #now: () => number;
  readonly #counts = new Map<string, { count: number; until: number }>();

  constructor(options: RateLimitOptions, now: () => number) {
    this.#options = options;
    this.#now = now;
  }

  /** Throws when the caller has used up its share. */
  admit(caller: string): void {
    const now = this.#now();
    const known = this.#counts.get(caller);
    if (known === undefined || known.until <= now) {
      this.#counts.delete(caller);
      if (this.#counts.size >= MAX_CALLERS) this.#counts.delete(this.#counts.keys().next().value ?? '');
      this.#counts.set(caller, { count: 1, until: now + this.#options.windowMs });
      return;
    }
    known.count += 1;
    if (known.count > this.#options.max)
      throw new OAuthFault('temporarily_unavailable', 'Too many requests: wait a while and try again.', {
        status: 429,
      });
  }
}
