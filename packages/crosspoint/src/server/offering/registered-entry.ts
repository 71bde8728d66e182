import type { Entry } from './registry.ts';
import type { EntryMap } from './entry-map.ts';

/** A registration before it is compiled. */
export interface Registration<Config, Callback> {
  readonly key: string;
  readonly config: Config;
  readonly callback: Callback;
  readonly enabled: boolean;
  readonly order: number;
}

/** A registered entry, and the ways to change it. Every change compiles a new entry that replaces the old one. */
export class RegisteredEntry<Config, Callback, E extends Entry> {
  readonly #entries: EntryMap<E>;
  readonly #compile: (registration: Registration<Config, Callback>) => E;
  readonly #changed: () => void;
  #registration: Registration<Config, Callback>;
  #removed = false;

  /** Throws when the key is taken, or when `compile` throws; then nothing has changed. */
  constructor(
    entries: EntryMap<E>,
    registration: Registration<Config, Callback>,
    compile: (registration: Registration<Config, Callback>) => E,
    changed: () => void,
  ) {
    this.#entries = entries;
    this.#compile = compile;
    this.#changed = changed;
    this.#registration = registration;
    this.#refuseTaken(registration.key);
    entries.set(registration.key, compile(registration));
    changed();
  }

  get current(): Registration<Config, Callback> {
    return this.#registration;
  }

  update(changes: Partial<Omit<Registration<Config, Callback>, 'order'>>): void {
    if (this.#removed)
      throw new Error(`"${this.#registration.key}" was removed and cannot be changed: register it again.`);
    const before = this.#registration;
    const after = { ...before, ...changes };
    if (after.key !== before.key) this.#refuseTaken(after.key);
    const entry = this.#compile(after);
    if (after.key !== before.key) this.#entries.delete(before.key);
    this.#entries.set(after.key, entry);
    this.#registration = after;
    this.#changed();
  }

  remove(): void {
    if (this.#removed) return;
    this.#removed = true;
    this.#entries.delete(this.#registration.key);
    this.#changed();
  }

  #refuseTaken(key: string): void {
    if (this.#entries.has(key))
      throw new Error(
        `"${key}" is already registered: use another name, or update() or remove() of what registering it returned.`,
      );
  }
}
