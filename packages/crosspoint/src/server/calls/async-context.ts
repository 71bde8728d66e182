import { builtInModule } from '../../runtime/built-in-module.ts';
import type { Connection } from '../session/connection.ts';
import type { Call } from './call.ts';

/** The owner of running code: a request that is being handled, or a connection that has sent a notification. */
type AsyncScope = Call | ConnectionScope;

interface ConnectionScope {
  readonly connection: Connection;
  /** Whether its handler has ended: code that it left running belongs to nothing. */
  over: boolean;
}

interface Storage {
  run<Args extends readonly unknown[], T>(store: AsyncScope | undefined, run: (...args: Args) => T, ...args: Args): T;
  enterWith(store: AsyncScope | undefined): void;
  getStore(): AsyncScope | undefined;
}

interface AsyncHooks {
  AsyncLocalStorage: new () => Storage;
}

/**
 * Finds the request that the running code belongs to, for programs that call the server object inside a handler. Entering it makes every `await` of the handler
 * slower, so it stays off until `enable` is called. Without it, only the synchronous part of a handler is known.
 */
export class AsyncContext {
  #storage: Storage | undefined;
  #entered: AsyncScope | undefined;

  /** Turns it on. Called in the synchronous part of a handler, it applies to the rest of that handler too. */
  enable(): void {
    if (this.#storage) return;
    const Found = builtInModule<Partial<AsyncHooks>>('node:async_hooks')?.AsyncLocalStorage;
    if (!Found) return;
    this.#storage = new Found();
    if (this.#entered) this.#storage.enterWith(this.#entered);
  }

  run<Request, Context, T>(
    scope: AsyncScope,
    run: (request: Request, ctx: Context) => T,
    request: Request,
    ctx: Context,
  ): T {
    if (this.#storage) return this.#storage.run(scope, run, request, ctx);
    const before = this.#entered;
    this.#entered = scope;
    try {
      return run(request, ctx);
    } finally {
      this.#restore(before);
    }
  }

  /** Runs what belongs to a connection but to no request of it: one turn later, or its synchronous part at once. */
  async within(connection: Connection | undefined, run: () => void | Promise<void>, isAtOnce = false): Promise<void> {
    if (!isAtOnce) await Promise.resolve();
    if (connection === undefined) return run();
    const scope: ConnectionScope = { connection, over: false };
    try {
      await this.run(scope, run, undefined, undefined);
    } finally {
      scope.over = true;
    }
  }

  /** Takes the caller of the handler out of the scope that `enable` entered within it. */
  #restore(before: AsyncScope | undefined): void {
    this.#entered = before;
    this.#storage?.enterWith(before);
  }

  get current(): AsyncScope | undefined {
    const scope = this.#storage?.getStore() ?? this.#entered;
    return scope?.over === false ? scope : undefined;
  }
}
