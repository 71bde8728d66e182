import { builtInModule } from '../../runtime/built-in-module.ts';

interface Storage<Scope> {
  run<Args extends readonly unknown[], T>(store: Scope | undefined, run: (...args: Args) => T, ...args: Args): T;
  enterWith(store: Scope | undefined): void;
  getStore(): Scope | undefined;
}

/**
 * Finds the scope that the running code belongs to. Asynchronous context makes every `await` slower, so it stays off until `enable` is called. Without it,
 * only the synchronous part of a function is known.
 */
export class AsyncScopes<Scope extends object> {
  #storage: Storage<Scope> | undefined;
  #entered: Scope | undefined;

  /** Turns it on. Called in the synchronous part of a scope, it applies to the rest of that scope too. */
  enable(): void {
    if (this.#storage) return;
    const hooks = builtInModule<{ AsyncLocalStorage?: new () => Storage<Scope> }>('node:async_hooks');
    const Found = hooks?.AsyncLocalStorage;
    if (!Found) return;
    this.#storage = new Found();
    if (this.#entered) this.#storage.enterWith(this.#entered);
  }

  run<A, B, T>(scope: Scope, run: (a: A, b: B) => T, a: A, b: B): T {
    if (this.#storage) return this.#storage.run(scope, run, a, b);
    const before = this.#entered;
    this.#entered = scope;
    try {
      return run(a, b);
    } finally {
      this.#restore(before);
    }
  }

  /** Takes the caller out of the scope that `enable` entered within it. */
  #restore(before: Scope | undefined): void {
    this.#entered = before;
    this.#storage?.enterWith(before);
  }

  get innermost(): Scope | undefined {
    return this.#storage?.getStore() ?? this.#entered;
  }
}
