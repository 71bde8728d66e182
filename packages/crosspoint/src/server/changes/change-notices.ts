import type { JsonObject } from '../../jsonrpc/message.ts';
import type { Change } from './listening.ts';

/** Receives changes. */
export interface Listener {
  tell(change: Change): void;
}

/** Merges repeated notices: five registrations in one tick are one change. */
export class ChangeNotices {
  readonly #mergeable: ReadonlySet<string>;
  readonly #pending = new Set<string>();

  constructor(mergeable: readonly string[]) {
    this.#mergeable = new Set(mergeable);
  }

  /** Announces a change to those who listen at the time it is sent. */
  tell(change: Change, listeners: () => Iterable<Listener>): void {
    const send = (): void => {
      for (const listener of listeners()) listener.tell(change);
    };
    if (change.kind === 'resource' || change.kind === 'extension') send();
    else this.#merge(JSON.stringify(change), send);
  }

  /** Sends at once, or once per tick for the methods that are mergeable. */
  once({ method, params }: { method: string; params?: JsonObject }, send: () => void): void {
    if (params === undefined && this.#mergeable.has(method)) this.#merge(method, send);
    else send();
  }

  #merge(key: string, send: () => void): void {
    if (this.#pending.has(key)) return;
    this.#pending.add(key);
    queueMicrotask(() => {
      this.#pending.delete(key);
      send();
    });
  }
}
