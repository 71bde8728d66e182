import type { Store } from 'crosspoint/server';
import { OAuthFault } from 'crosspoint/internal/auth-server';
import { sha256Base64Url } from 'crosspoint/internal';

export interface RateLimitOptions {
  readonly max: number;
  readonly windowMs: number;
}

const TRIES = 20;

/** Limits how often a caller may do something within a time window. Counted in the store, for all nodes that share it. */
export class RateLimit {
  readonly #store: Store;
  readonly #name: string;
  readonly #options: RateLimitOptions;
  readonly #now: () => number;

  constructor(store: Store, name: string, options: RateLimitOptions, now: () => number) {
    this.#store = store;
    this.#name = name;
    this.#options = options;
    this.#now = now;
  }

  /** Counts one call; rejects with status 429 above the limit. A window begins with its first call. */
  async admit(caller: string): Promise<void> {
    const key = await this.#key(caller);
    const { max, windowMs } = this.#options;
    for (let turn = 0; turn < TRIES; turn += 1) {
      const found = await this.#store.get(key);
      const now = this.#now();
      const [counted, end] = (found?.value as [number, number] | undefined) ?? [0, now];
      const [count, until] = end > now ? [counted, end] : [0, now + windowMs];
      if (count >= max) break;
      const written = { ifVersion: found?.version ?? null, ttlMs: until - now };
      if ((await this.#store.put(key, [count + 1, until], written)) !== undefined) return;
    }
    // Losing 20 conditional writes in a row means that very many calls compete.
    throw new OAuthFault('temporarily_unavailable', 'Too many requests: wait a while and try again.', { status: 429 });
  }

  /** Resets the count of a caller. */
  async forget(caller: string): Promise<void> {
    await this.#store.delete(await this.#key(caller));
  }

  async #key(caller: string): Promise<string> {
    return `oauth:limit:${this.#name}:${await sha256Base64Url(caller)}`;
  }
}
