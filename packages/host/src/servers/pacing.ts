/** How often a server that fails is tried again. */
export interface RetryOptions {
  /** Failures in a row after which only `restart()` tries again; 8 when absent. */
  readonly attempts?: number;
  /** First delay in milliseconds; 500 when absent. */
  readonly initialDelayMs?: number;
  /** Longest delay in milliseconds; 30 000 when absent. */
  readonly maxDelayMs?: number;
}

/** A connection that held this long counts as a success: after it the delays begin anew. */
const SETTLED_MS = 10_000;

/** The delays of one server: each failure in a row doubles them, with up to half of it taken off at random. */
export class Pacing {
  readonly #options: Required<RetryOptions>;
  #failures = 0;

  constructor({ attempts = 8, initialDelayMs = 500, maxDelayMs = 30_000 }: RetryOptions = {}) {
    this.#options = { attempts, initialDelayMs, maxDelayMs };
  }

  /** The number of the next attempt, from 1. */
  get attempt(): number {
    return this.#failures + 1;
  }

  /** Milliseconds until the next attempt after a failure; `undefined` when there were too many. `heldMs`: how long the connection held. */
  failed(heldMs: number): number | undefined {
    if (heldMs >= SETTLED_MS) this.#failures = 0;
    this.#failures += 1;
    const { attempts, initialDelayMs, maxDelayMs } = this.#options;
    if (this.#failures >= attempts) return undefined;
    const full = Math.min(maxDelayMs, initialDelayMs * 2 ** (this.#failures - 1));
    return full * (1 - Math.random() / 2);
  }

  reset(): void {
    this.#failures = 0;
  }
}
