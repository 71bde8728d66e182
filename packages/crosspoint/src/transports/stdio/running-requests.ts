import { isJsonObject, isRequestId } from '../../jsonrpc/message.ts';
import type { RequestId } from '../../jsonrpc/message.ts';

/** A stream stays open until one side ends it, so its request is not worth waiting for. */
const STREAM = 'subscriptions/listen';

const FIRST_SWEEP = 256;

/**
 * Requests that came in lately and have no answer yet. Those older than the grace are forgotten, so that requests which are never
 * answered neither pile up nor hold up the end.
 */
export class RunningRequests {
  readonly #graceMs: number;
  readonly #arrivals = new Map<RequestId, number>();
  /** The one that is being handed over. Most are answered before that is done, and are not written down at all. */
  #entering: RequestId | undefined;
  #sweepAt = FIRST_SWEEP;

  constructor(graceMs: number) {
    this.#graceMs = graceMs;
  }

  /** A message is about to be handed over; `noteEntered` belongs behind it. */
  noteIncoming(value: unknown): void {
    this.noteEntered();
    if (!Array.isArray(value)) return this.#noteIncoming(value);
    // A batch holds messages and no further batches: whoever nests them deeper means to exhaust the stack.
    for (const item of value) {
      this.noteEntered();
      this.#noteIncoming(item);
    }
  }

  #noteIncoming(item: unknown): void {
    if (!isJsonObject(item)) return;
    const { method, id, params } = item;
    if (typeof method !== 'string') return;
    if (isRequestId(id) && method !== STREAM) this.#entering = id;
    else if (method === 'notifications/cancelled' && isJsonObject(params) && isRequestId(params['requestId']))
      this.#arrivals.delete(params['requestId']);
  }

  /** The message has been handed over. Tells whether it is a request that is still to be answered. */
  noteEntered(): boolean {
    const id = this.#entering;
    if (id === undefined) return false;
    this.#entering = undefined;
    this.#arrivals.set(id, Date.now());
    if (this.#arrivals.size >= this.#sweepAt) this.#sweep();
    return true;
  }

  noteOutgoing(value: unknown): void {
    if (this.#entering === undefined && this.#arrivals.size === 0) return;
    if (Array.isArray(value)) for (const item of value) this.#noteOutgoing(item);
    else this.#noteOutgoing(value);
  }

  #noteOutgoing(item: unknown): void {
    if (!isJsonObject(item) || item['method'] !== undefined) return;
    const { id } = item;
    if (id === this.#entering) this.#entering = undefined;
    else if (isRequestId(id)) this.#arrivals.delete(id);
  }

  /** How long the youngest of them may still take; 0 when nothing is worth waiting for. */
  remainingMs(): number {
    this.noteEntered();
    this.#forgetOld();
    let latest = 0;
    for (const arrival of this.#arrivals.values()) latest = Math.max(latest, arrival);
    return latest === 0 ? 0 : Math.max(0, latest + this.#graceMs - Date.now());
  }

  /** Twice as many as are left are gathered before the next one, so that a request costs no more when there are many. */
  #sweep(): void {
    this.#forgetOld();
    this.#sweepAt = Math.max(FIRST_SWEEP, this.#arrivals.size * 2);
  }

  #forgetOld(): void {
    const limit = Date.now() - this.#graceMs;
    for (const [id, arrival] of this.#arrivals) {
      if (arrival > limit) return;
      this.#arrivals.delete(id);
    }
  }
}
