import type { ServerContext } from './context.ts';

interface Storage {
  run<T>(store: ServerContext, run: () => T): T;
  getStore(): ServerContext | undefined;
}

type StorageConstructor = new () => Storage;

/** Runtimes that have asynchronous context say so; asking for the module this way needs no import that others cannot resolve. */
function findStorage(): StorageConstructor | undefined {
  const { process } = globalThis as { process?: { getBuiltinModule?: (id: string) => unknown } };
  const module = process?.getBuiltinModule?.('node:async_hooks') as { AsyncLocalStorage?: StorageConstructor } | undefined;
  return module?.AsyncLocalStorage;
}

/**
 * Which request the running code belongs to. Programs that call the server object inside a handler need it; entering it makes every
 * `await` of the handler dearer, so it stays off until `enable` is called. Without it, the synchronous part of a handler is still known.
 */
export class AsyncContext {
  #storage: Storage | undefined;
  #entered: ServerContext | undefined;

  enable(): void {
    if (this.#storage) return;
    const Found = findStorage();
    if (Found) this.#storage = new Found();
  }

  run<T>(ctx: ServerContext, run: () => T): T {
    if (this.#storage) return this.#storage.run(ctx, run);
    const before = this.#entered;
    this.#entered = ctx;
    try {
      return run();
    } finally {
      this.#entered = before;
    }
  }

  get current(): ServerContext | undefined {
    return this.#storage?.getStore() ?? this.#entered;
  }
}
