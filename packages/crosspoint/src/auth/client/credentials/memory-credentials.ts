import type { Json } from '../../../stores/store.ts';
import { ShelvedCredentials, type Shelf } from './credential-store.ts';

/** Stores credentials until the program ends. */
export class MemoryCredentials extends ShelvedCredentials {
  constructor() {
    super(new MemoryShelf());
  }
}

class MemoryShelf implements Shelf {
  readonly #values = new Map<string, string>();
  readonly #queues = new Map<string, Promise<unknown>>();

  async get(name: string): Promise<Json | undefined> {
    const text = this.#values.get(name);
    return text === undefined ? undefined : (JSON.parse(text) as Json);
  }

  async put(name: string, value: Json | undefined): Promise<void> {
    if (value === undefined) this.#values.delete(name);
    else this.#values.set(name, JSON.stringify(value));
  }

  async exclusive<T>(name: string, work: () => Promise<T>): Promise<T> {
    const before = this.#queues.get(name) ?? Promise.resolve();
    const mine = before.then(work, work);
    const settled = mine.then(
      () => {},
      () => {},
    );
    this.#queues.set(name, settled);
    try {
      return await mine;
    } finally {
      if (this.#queues.get(name) === settled) this.#queues.delete(name);
    }
  }
}
