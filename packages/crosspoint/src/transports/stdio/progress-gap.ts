import type { JSONRPCBatch, JSONRPCMessage, RequestId } from '../../jsonrpc/message.ts';

/**
 * Milliseconds between the last progress of a call and its answer. Official clients drop progress that comes in one chunk with the answer: of 100
 * calls that report and end at once they lose the last report of 100 without a gap, of 48 to 96 with one turn of the event loop, and of 1 to 8
 * with this (15 at worst, with eight busy processes for each core). The official server loses 63 to 100.
 */
const GAP_MS = 1;

/** Finds the answers that would arrive in one chunk with the last progress of their call. Costs calls without progress two comparisons. */
export class ProgressGap {
  /** When progress of a call was last sent, the oldest first. */
  readonly #sent = new Map<RequestId, number>();
  readonly #waiting = new Map<NodeJS.Timeout, () => void>();

  /** Notes an outgoing message. Returns whether it is an answer that has to wait. */
  note(message: JSONRPCMessage | JSONRPCBatch, related: RequestId): boolean {
    if ('method' in message) {
      if (message.method === 'notifications/progress') this.#noteProgress(related);
      return false;
    }
    if (this.#sent.size === 0) return false;
    const sentAt = this.#sent.get(related);
    return sentAt !== undefined && this.#sent.delete(related) && performance.now() - sentAt < GAP_MS;
  }

  /** Forgets calls whose gap is over, so that calls without an answer do not accumulate. */
  #noteProgress(related: RequestId): void {
    const now = performance.now();
    for (const [id, sentAt] of this.#sent) {
      if (now - sentAt < GAP_MS) break;
      this.#sent.delete(id);
    }
    this.#sent.delete(related);
    this.#sent.set(related, now);
  }

  /** Runs `send` when the gap is over. */
  wait(send: () => void): void {
    const timer = setTimeout(() => {
      this.#waiting.delete(timer);
      send();
    }, GAP_MS);
    this.#waiting.set(timer, send);
  }

  /** Runs everything that waits, at once. */
  end(): void {
    for (const [timer, send] of this.#waiting) {
      clearTimeout(timer);
      send();
    }
    this.#waiting.clear();
  }
}
