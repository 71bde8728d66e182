import { StoreUnavailableError, type Store } from 'crosspoint/stores';

export interface Failure {
  /** The number of the write, from 1, that fails. */
  readonly at: number;
  /** Whether the write is made all the same, or made a little later. */
  readonly made: 'never' | 'at once' | 'late';
  /** Whether everything fails from then on, as after the end of a process. */
  readonly forever: boolean;
}

/** A store whose writes fail as told. `writes` counts them. */
export function failingStore(store: Store, failure: Failure): Store & { writes: number } {
  let isDead = false;
  const failed = (): never => {
    throw new StoreUnavailableError(new Error('The test has cut it off.'));
  };
  const made = {
    writes: 0,
    get: async (key: string) => (isDead ? failed() : store.get(key)),
    async put(...given: Parameters<Store['put']>): Promise<string | undefined> {
      if (isDead) return failed();
      if ((made.writes += 1) !== failure.at) return store.put(...given);
      isDead = failure.forever;
      if (failure.made === 'at once') await store.put(...given);
      if (failure.made === 'late') setTimeout(() => void store.put(...given), 10);
      return failed();
    },
  };
  return new Proxy(made, {
    get: (target, name) => Reflect.get(target, name) ?? Reflect.get(store, name),
  }) as unknown as Store & { writes: number };
}
