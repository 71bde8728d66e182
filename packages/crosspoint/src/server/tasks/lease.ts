import type { Clock } from '../../peer/clock.ts';
import type { Store } from '../../stores/store.ts';

export interface LeaseSetup {
  readonly store: Store;
  readonly clock: Clock;
  readonly ms: number;
}

/**
 * The right to do something that only one node may do. It is renewed until it is released; a node that cannot renew it in time has lost it and
 * is told so before anyone else can have it.
 */
export class Lease {
  readonly #setup: LeaseSetup;
  readonly #key: string;
  readonly #onlost: () => void;
  #version: string;
  #renewedAt: number;
  #timer: unknown;
  #over = false;

  private constructor(setup: LeaseSetup, key: string, version: string, onlost: () => void) {
    this.#setup = setup;
    this.#key = key;
    this.#version = version;
    this.#onlost = onlost;
    this.#renewedAt = setup.clock.now();
    this.#wait();
  }

  /** `undefined` when another has it. */
  static async take(setup: LeaseSetup, key: string, onlost: () => void): Promise<Lease | undefined> {
    const version = await setup.store.put(key, true, { ifVersion: null, ttlMs: setup.ms });
    return version === undefined ? undefined : new Lease(setup, key, version, onlost);
  }

  async release(): Promise<void> {
    this.#stop();
    await this.#setup.store.delete(this.#key, this.#version);
  }

  #wait(): void {
    const { clock, ms } = this.#setup;
    this.#timer = clock.setTimeout(() => void this.#renew(), ms / 3);
    (this.#timer as { unref?: () => void }).unref?.();
  }

  async #renew(): Promise<void> {
    const { store, clock, ms } = this.#setup;
    const began = clock.now();
    try {
      const version = await store.put(this.#key, true, { ifVersion: this.#version, ttlMs: ms });
      if (this.#over) return;
      if (version === undefined) return this.#lose();
      this.#version = version;
      this.#renewedAt = began;
    } catch {
      // A store that cannot be reached now may be reached in time. When the write came through all the same, its version is unknown
      // and the next attempt loses the lease: nothing is done twice, only once more by another.
    }
    if (this.#over) return;
    if (clock.now() - this.#renewedAt >= ms * 0.8) this.#lose();
    else this.#wait();
  }

  #lose(): void {
    this.#stop();
    this.#onlost();
  }

  #stop(): void {
    this.#over = true;
    this.#setup.clock.clearTimeout(this.#timer);
  }
}
