/** The members of a handle that its registry uses. */
interface Handle {
  readonly enabled: boolean;
  remove(): void;
  update(changes: object): void;
}

/** The entries of one kind that a program has registered. It tells one that is disabled from one that does not exist. */
export class RegisteredHandles<Key extends 'name' | 'uri'> {
  readonly #key: Key;
  readonly #handles = new Set<Handle>();

  constructor(key: Key) {
    this.#key = key;
  }

  /** Keeps the handle until it is removed, and returns it. */
  add<T extends Handle>(handle: T): T {
    const { remove, update } = handle;
    handle.remove = () => {
      this.#handles.delete(handle);
      remove.call(handle);
    };
    handle.update = (changes: object) => {
      if ((changes as Record<string, unknown>)[this.#key] === null) handle.remove();
      else update.call(handle, changes);
    };
    this.#handles.add(handle);
    return handle;
  }

  has(key: string): boolean {
    return this.#find(key) !== undefined;
  }

  isDisabled(key: string): boolean {
    return this.#find(key)?.enabled === false;
  }

  #find(key: string): Handle | undefined {
    for (const handle of this.#handles) if ((handle as object as Record<Key, string>)[this.#key] === key) return handle;
    return undefined;
  }
}
