import { isJsonObject, isRequestId } from '../../jsonrpc/message.ts';
import type { RequestId } from '../../jsonrpc/message.ts';
import { RenewedMap } from '../../runtime/renewed-map.ts';

/** A stream stays open until one side ends it, so its request is not waited for. */
const STREAM = 'subscriptions/listen';

const FIRST_SWEEP = 256;

/**
 * Recent requests without an answer. Those older than the grace period are forgotten, so that requests that are never answered neither
 * accumulate nor delay the exit.
 */
export class RunningRequests {
  readonly #graceMs: number;
  readonly #arrivals = new RenewedMap<RequestId, number>();
  /** The request being delivered. Most are answered during delivery and never enter the map. */
  #entering: RequestId | undefined;
  #sweepAt = FIRST_SWEEP;

  constructor(graceMs: number) {
    this.#graceMs = graceMs;
  }

  get size(): number {
    return this.#arrivals.size;
  }

  /** A message is about to be delivered; call `noteEntered` afterwards. */
  noteIncoming(value: unknown): void {
    this.noteEntered();
    if (!Array.isArray(value)) return this.#noteIncoming(value);
    // A batch contains no batches; nested ones are not followed, since they could exhaust the stack.
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

  /** The message was delivered. Returns whether it is a request without an answer. */
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

  /** Milliseconds that the youngest request may still take; 0 when none is pending. */
  remainingMs(): number {
    this.noteEntered();
    this.#forgetOld();
    let latest = 0;
    for (const [, arrival] of this.#arrivals) latest = Math.max(latest, arrival);
    return latest === 0 ? 0 : Math.max(0, latest + this.#graceMs - Date.now());
  }

  /** The next sweep comes when the number has doubled, so that the cost per request stays constant. */
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
