import { isJsonObject, isRequestId } from '../../jsonrpc/message.ts';
import type { JsonObject, RequestId } from '../../jsonrpc/message.ts';

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
  #sweepAt = FIRST_SWEEP;

  constructor(graceMs: number) {
    this.#graceMs = graceMs;
  }

  noteIncoming(value: unknown): void {
    if (Array.isArray(value)) for (const item of value) this.#noteIncoming(item);
    else this.#noteIncoming(value);
  }

  // A batch holds messages and no further batches: whoever nests them deeper means to exhaust the stack.
  #noteIncoming(item: unknown): void {
    if (isJsonObject(item) && typeof item['method'] === 'string') this.#note(item['method'], item);
  }

  #note(method: string, { id, params }: JsonObject): void {
    if (isRequestId(id) && method !== STREAM) {
      this.#arrivals.set(id, Date.now());
      if (this.#arrivals.size >= this.#sweepAt) this.#sweep();
    } else if (method === 'notifications/cancelled' && isJsonObject(params) && isRequestId(params['requestId'])) {
      this.#arrivals.delete(params['requestId']);
    }
  }

  noteOutgoing(value: unknown): void {
    if (this.#arrivals.size === 0) return;
    if (Array.isArray(value)) for (const item of value) this.#noteOutgoing(item);
    else this.#noteOutgoing(value);
  }

  #noteOutgoing(item: unknown): void {
    if (isJsonObject(item) && item['method'] === undefined && isRequestId(item['id']))
      this.#arrivals.delete(item['id']);
  }

  /** How long the youngest of them may still take; 0 when nothing is worth waiting for. */
  remainingMs(): number {
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
