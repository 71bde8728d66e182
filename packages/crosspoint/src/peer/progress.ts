import type { RequestId } from '../jsonrpc/message.ts';
import { RateLimit, type Rate } from './rate-limit.ts';
import type { Clock } from './clock.ts';

export interface Progress {
  progress: number;
  total?: number;
  message?: string;
}

export const DEFAULT_PROGRESS_RATE: Rate = { perSecond: 20, burst: 50 };

/**
 * Reports the progress of one request: values only grow, nothing follows the end, and a flood is thinned. A value that comes too soon
 * is kept and sent with the next one that may go, or just before the end, so the last value always arrives.
 */
export class ProgressReporter {
  readonly #token: RequestId;
  readonly #emit: (params: Progress & { progressToken: RequestId }) => void;
  readonly #limit: RateLimit | undefined;
  #last = Number.NEGATIVE_INFINITY;
  #held: Progress | undefined;
  #ended = false;

  constructor(
    token: RequestId,
    emit: (params: Progress & { progressToken: RequestId }) => void,
    clock: Clock,
    rate: Rate | false = DEFAULT_PROGRESS_RATE,
  ) {
    this.#token = token;
    this.#emit = emit;
    this.#limit = rate === false ? undefined : new RateLimit(rate, clock);
  }

  /** Reports a value. Ignores values that do not grow or are not finite, and everything after the end. */
  report(value: Progress): void {
    if (this.#ended || !Number.isFinite(value.progress) || value.progress <= this.#last) return;
    this.#last = value.progress;
    if (this.#limit?.take() === false) {
      this.#held = value;
      return;
    }
    this.#held = undefined;
    this.#emit({ progressToken: this.#token, ...value });
  }

  /** Sends the value that is held back. Call it before the answer is sent. */
  end(): void {
    if (!this.#ended && this.#held !== undefined) this.#emit({ progressToken: this.#token, ...this.#held });
    this.#held = undefined;
    this.#ended = true;
  }
}
