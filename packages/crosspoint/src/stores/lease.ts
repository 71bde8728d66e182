import { attempt } from '../runtime/guard.ts';
import type { Json, Store } from './store.ts';

/** The timers of a lease; the runtime's when absent. */
export interface LeaseTimers {
  now(): number;
  setTimeout(run: () => void, ms: number): unknown;
  clearTimeout(timer: unknown): void;
}

export interface LeaseOptions {
  /** Milliseconds after which the lease ends if it is not renewed. It is renewed every third of this time. */
  readonly ttlMs: number;
  /** Identifies the holder to others: the value that `leaseHolder` returns. */
  readonly holder: Json;
  readonly timers?: LeaseTimers;
  /** Called when `lost` would be aborted; avoids creating a signal for each of many leases. Must not throw. */
  readonly onlost?: () => void;
}

/** An exclusive right, valid for as long as it is renewed. */
export interface Lease {
  readonly key: string;
  /** Aborted when another may hold the lease: it was taken, or was not renewed in time. Stop the work under it then. A release does not abort it. */
  readonly lost: AbortSignal;
  /** Renews the lease now rather than when it is due. False when it is lost. */
  renew(): Promise<boolean>;
  /** Gives the lease back, so that the next holder need not wait for it to expire. */
  release(): Promise<void>;
}

const RUNTIME_TIMERS: LeaseTimers = {
  now: () => Date.now(),
  setTimeout: (run, ms) => setTimeout(run, ms),
  clearTimeout: (timer) => clearTimeout(timer as number),
};

/** Takes the lease of a key and keeps renewing it; `undefined` while another holds it. Rejects when the store cannot be reached. */
export async function acquireLease(store: Store, key: string, options: LeaseOptions): Promise<Lease | undefined> {
  const { ttlMs, holder, timers = RUNTIME_TIMERS, onlost } = options;
  const since = timers.now();
  const value: Taken = { holder, token: crypto.randomUUID() };
  const version = await store.put(key, { ...value }, { ifVersion: null, ttlMs });
  return version === undefined
    ? undefined
    : new HeldLease(store, { key, ttlMs, value, timers, version, since, onlost });
}

/** The holder of a key's lease; `undefined` when there is none. */
export async function leaseHolder(store: Store, key: string): Promise<Json | undefined> {
  return taken((await store.get(key))?.value)?.holder;
}

/** The stored record of a lease. The token distinguishes it from a later lease of the same holder. */
interface Taken {
  readonly holder: Json;
  readonly token: string;
}

function taken(value: Json | undefined): Taken | undefined {
  return value as object | undefined as Taken | undefined;
}

interface Held {
  readonly key: string;
  readonly ttlMs: number;
  readonly value: Taken;
  readonly timers: LeaseTimers;
  readonly version: string;
  readonly since: number;
  readonly onlost: (() => void) | undefined;
}

class HeldLease implements Lease {
  readonly key: string;
  readonly #store: Store;
  readonly #held: Held;
  /** Created when `lost` is first read. */
  #lost: AbortController | undefined;
  #reason: Error | undefined;
  #version: string;
  /** The time just before the last renewal was sent: the store may count from any moment after it. */
  #renewedAt: number;
  #timer: unknown;
  #renewing: Promise<boolean> | undefined;
  #released = false;

  constructor(store: Store, held: Held) {
    this.key = held.key;
    this.#store = store;
    this.#held = held;
    this.#version = held.version;
    this.#renewedAt = held.since;
    this.#schedule();
  }

  get lost(): AbortSignal {
    if (this.#lost === undefined) {
      this.#lost = new AbortController();
      if (this.#reason) this.#lost.abort(this.#reason);
    }
    return this.#lost.signal;
  }

  renew(): Promise<boolean> {
    this.#renewing ??= this.#renew().finally(() => (this.#renewing = undefined));
    return this.#renewing;
  }

  async release(): Promise<void> {
    this.#released = true;
    this.#held.timers.clearTimeout(this.#timer);
    await this.#renewing;
    if (this.#reason === undefined) await this.#store.delete(this.key, this.#version);
  }

  async #renew(): Promise<boolean> {
    if (this.#released || this.#reason) return false;
    const { ttlMs, value, timers } = this.#held;
    const since = timers.now();
    try {
      const version = await this.#store.put(this.key, { ...value }, { ifVersion: this.#version, ttlMs });
      if (version === undefined) return this.#lose('Somebody else has the lease.');
      this.#version = version;
      this.#renewedAt = since;
      return true;
    } catch {
      // The store may have written it all the same: the version is then unknown, and is read before the next try.
      return this.#reread();
    }
  }

  /** Continues with the stored version, if the lease is still held. */
  async #reread(): Promise<boolean> {
    try {
      const found = await this.#store.get(this.key);
      if (found === undefined || taken(found.value)?.token !== this.#held.value.token)
        return this.#lose('Somebody else has the lease.');
      this.#version = found.version;
    } catch {
      // The store cannot be reached: the lease counts as held until its time is over.
    }
    return this.#reason === undefined;
  }

  #schedule(): void {
    const { ttlMs, timers } = this.#held;
    const left = this.#renewedAt + ttlMs - timers.now();
    if (left <= 0) return void this.#lose('The lease could not be renewed in time.');
    this.#timer = timers.setTimeout(
      () => {
        // Scheduled before renewing: waiting for a store that does not answer must not outlast the lease.
        if (!this.#released) this.#schedule();
        if (!this.#released && this.#reason === undefined) void this.renew();
      },
      Math.min(left, ttlMs / 3),
    );
  }

  #lose(reason: string): false {
    this.#held.timers.clearTimeout(this.#timer);
    if (this.#reason || this.#released) return false;
    this.#reason = new Error(`${this.key}: ${reason}`);
    this.#lost?.abort(this.#reason);
    attempt(() => this.#held.onlost?.(), undefined);
    return false;
  }
}
