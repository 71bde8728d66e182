/** The members of a handle that are used here. */
interface Handle {
  readonly enabled: boolean;
  remove(): void;
  update(changes: object): void;
}

/** The entries of one kind that a program has registered. It tells one that is disabled from one that does not exist. */
export class RegisteredHandles {
  readonly #what: string;
  readonly #key: 'name' | 'uri';
  readonly #handles = new Set<Handle>();

  /** `what` is the word for the kind in errors; `key` is the member by which an entry is known. */
  constructor(what: string, key: 'name' | 'uri') {
    this.#what = what;
    this.#key = key;
  }

  /** Registers an entry and keeps its handle until it is removed. A handle that was removed changes nothing, and does not throw. */
  add<T extends Handle>(key: string, register: () => T): T {
    if (this.has(key)) throw new Error(`${this.#what} ${key} is already registered`);
    const handle = register();
    const remove = handle.remove.bind(handle);
    const update = handle.update.bind(handle);
    const change = (changes: object): void => {
      if (this.#handles.has(handle)) update(changes);
    };
    Object.assign(handle, {
      enable: () => change({ enabled: true }),
      disable: () => change({ enabled: false }),
      remove: () => {
        if (this.#handles.delete(handle)) remove();
      },
      update: (changes: object) => {
        if ((changes as Record<string, unknown>)[this.#key] === null) handle.remove();
        else change(changes);
      },
    });
    this.#handles.add(handle);
    return handle;
  }

  has(key: string): boolean {
    return this.#find(key) !== undefined;
  }

  /** The words for an entry that cannot be used. */
  lacks(key: string): string {
    return `${this.#what} ${key} ${this.#find(key)?.enabled === false ? 'disabled' : 'not found'}`;
  }

  #find(key: string): Handle | undefined {
    for (const handle of this.#handles)
      if ((handle as object as Record<string, unknown>)[this.#key] === key) return handle;
    return undefined;
  }
}
