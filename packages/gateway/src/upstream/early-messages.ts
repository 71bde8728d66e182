import type { Question } from '../matching/open-call.ts';

type JsonObject = Record<string, unknown>;
type Notification = { method: string; params?: JsonObject };

/** The client downstream that a session of the server belongs to as a whole, for messages that belong to no call. */
export interface Standing {
  request(
    message: { method: string; params: JsonObject },
    facts: Pick<Question, 'signal' | 'resumeAfter' | 'reportProgress'>,
  ): Promise<JsonObject>;
  notify(notification: Notification): void;
}

/** Longest wait for a client to finish its handshake. */
const READY_MS = 10_000;
/** Most notifications that are kept until then. */
const MOST_KEPT = 100;

/** Messages of a server that knows its client before the client has finished its own handshake with the bridge. */
export class EarlyMessages {
  readonly #kept: Notification[] = [];
  readonly #waiting = new Set<(standing: Standing | undefined) => void>();

  keep(notification: Notification): void {
    if (this.#kept.length < MOST_KEPT) this.#kept.push(notification);
  }

  /** The client, once it is ready. `undefined` when it takes too long, or the server withdraws its question. */
  whenReady(signal: AbortSignal): Promise<Standing | undefined> {
    return new Promise((resolve) => {
      const done = (standing: Standing | undefined): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', left);
        this.#waiting.delete(done);
        resolve(standing);
      };
      const left = (): void => done(undefined);
      const timer = setTimeout(left, READY_MS);
      timer.unref();
      signal.addEventListener('abort', left, { once: true });
      this.#waiting.add(done);
    });
  }

  /** The client is ready. */
  end(standing: Standing): void {
    for (const notification of this.#kept.splice(0)) standing.notify(notification);
    for (const done of this.#waiting) done(standing);
  }
}
