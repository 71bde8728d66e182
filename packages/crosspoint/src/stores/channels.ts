import { attempt } from '../runtime/guard.ts';
import type { Json } from './store.ts';

/** The listeners of this process, by channel. */
export class Channels {
  readonly #channels = new Map<string, Set<(message: Json) => unknown>>();

  get size(): number {
    return this.#channels.size;
  }

  has(channel: string): boolean {
    return this.#channels.has(channel);
  }

  /** Subscribes a listener. The returned function ends this subscription alone, and may be called again. */
  add(channel: string, onmessage: (message: Json) => void): () => void {
    const listeners = this.#channels.get(channel) ?? new Set();
    this.#channels.set(channel, listeners);
    // One listener function may be subscribed twice; each subscription ends alone.
    const own = (message: Json): unknown => onmessage(message);
    listeners.add(own);
    return () => {
      listeners.delete(own);
      if (listeners.size === 0 && this.#channels.get(channel) === listeners) this.#channels.delete(channel);
    };
  }

  /** Gives each listener its own copy of a message, in a later microtask than the call that published it. */
  tell(channel: string, text: string): void {
    const listeners = this.#channels.get(channel);
    for (const listener of listeners ?? []) {
      queueMicrotask(() => {
        // An error of one listener affects neither the store nor the other listeners.
        if (listeners?.has(listener)) attempt(() => listener(JSON.parse(text) as Json), undefined);
      });
    }
  }

  clear(): void {
    for (const listeners of this.#channels.values()) listeners.clear();
    this.#channels.clear();
  }
}
