import type { Connection } from '../session/connection.ts';
import { AsyncScopes } from './async-scopes.ts';
import type { Call } from './call.ts';

/** The owner of running code: a request that is being handled, or a connection that has sent a notification. */
type AsyncScope = Call | ConnectionScope;

interface ConnectionScope {
  readonly connection: Connection;
  /** Whether its handler has ended: code that it left running belongs to nothing. */
  over: boolean;
}

/** Finds the request that the running code belongs to, for programs that call the server object inside a handler. */
export class AsyncContext extends AsyncScopes<AsyncScope> {
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

  get current(): AsyncScope | undefined {
    const scope = this.innermost;
    return scope?.over === false ? scope : undefined;
  }
}
