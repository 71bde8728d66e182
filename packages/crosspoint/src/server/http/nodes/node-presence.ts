import { acquireLease, leaseHolder, type Lease, type LeaseTimers } from '../../../stores/lease.ts';
import type { Store } from '../../../stores/store.ts';

/** Milliseconds for which the state of another node is cached. */
const BELIEVED_MS = 500;

/** Holds the lease of this node, and finds out whether other nodes are alive. */
export class NodePresence {
  /** Letters and digits, so that it can be part of other names. */
  readonly id: string = `n${crypto.randomUUID().replaceAll('-', '').slice(0, 12)}`;
  readonly #store: Store;
  readonly #ttlMs: number;
  readonly #timers: LeaseTimers;
  readonly #others = new Map<string, { readonly at: number; readonly isAlive: Promise<boolean> }>();
  #lease: Lease | undefined;

  constructor(store: Store, ttlMs: number, timers: LeaseTimers) {
    this.#store = store;
    this.#ttlMs = ttlMs;
    this.#timers = timers;
  }

  /** Does nothing while the lease is held; takes it again when the store has lost it. */
  async hold(): Promise<void> {
    if (this.#lease && !this.#lease.lost.aborted) return;
    this.#lease = await acquireLease(this.#store, leaseKey(this.id), {
      ttlMs: this.#ttlMs,
      holder: this.id,
      timers: this.#timers,
    });
  }

  isAlive(node: string): Promise<boolean> {
    if (node === this.id) return Promise.resolve(true);
    const now = this.#timers.now();
    const known = this.#others.get(node);
    if (known && now - known.at < BELIEVED_MS) return known.isAlive;
    if (this.#others.size > 1000) this.#others.clear();
    const isAlive = leaseHolder(this.#store, leaseKey(node)).then((holder) => holder !== undefined);
    this.#others.set(node, { at: now, isAlive });
    return isAlive;
  }

  async leave(): Promise<void> {
    await this.#lease?.release();
  }
}

function leaseKey(node: string): string {
  return `node:${node}`;
}
