import type { JsonObject } from '../../jsonrpc/message.ts';
import type { Change } from './listening.ts';

/** Someone who can be told of a change. */
export interface Listener {
  tell(change: Change): void;
}

/** Merges what need only be said once: five registrations in one tick are one change. */
export class ChangeNotices {
  readonly #mergeable: ReadonlySet<string>;
  readonly #pending = new Set<string>();

  constructor(mergeable: readonly string[]) {
    this.#mergeable = new Set(mergeable);
  }

  /** Told to those who listen when it is sent. */
  tell(change: Change, listeners: () => Iterable<Listener>): void {
    const send = (): void => {
      for (const listener of listeners()) listener.tell(change);
    };
    if (change.kind === 'resource' || change.kind === 'extension') send();
    else this.#merge(change.kind, send);
  }

  /** Sends at once, or once a tick for the methods that were named as mergeable. */
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
