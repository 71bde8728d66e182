import type { ClientMiddleware, ClientOptions } from 'crosspoint/client';
import type { ServerOptions } from 'crosspoint/server';

type Store = NonNullable<ServerOptions['store']>;
type Keys = NonNullable<NonNullable<ServerOptions['asking']>['keys']>;

/** Options of a bridge. Times in milliseconds. */
export interface BridgeOptions {
  /** Bounds for calls that wait for the answers of a client without a connection. */
  readonly parking?: {
    /** How long such a call waits. Five minutes when absent. */
    readonly forMs?: number;
    /** Most of them at a time. 1,000 when absent. */
    readonly atMost?: number;
    /** Most of them for one caller. 100 when absent. */
    readonly perCaller?: number;
  };
  /** Bounds for connections to the server. */
  readonly sessions?: {
    /** Most of them at a time, of which an authenticated user has at most half. 1,000 when absent. */
    readonly atMost?: number;
    /** Most of them for one caller, where calls that may be asked need one each. 8 when absent. */
    readonly perCaller?: number;
    /** How long one without a user stays open. One minute when absent. */
    readonly idleMs?: number;
  };
  /**
   * Treatment of calls of one caller that may be asked, where a question of the server names no call. `own`: each gets a connection of its own. `wait`: they wait for
   * each other, for servers that keep state in their process. When absent `own`, but over Streamable HTTP only once the server has asked on its standing stream.
   */
  readonly concurrency?: 'own' | 'wait';
  /**
   * How a client without a session is asked what a server with a handshake wants to know. `rounds`, when absent: its call ends with the questions, and it calls again.
   * `tasks`: where the client declares tasks, its call becomes one, and the questions are part of it.
   */
  readonly questions?: 'rounds' | 'tasks';
  /** Rounds of questions that a server without sessions may ask in one call of a client with one. 10 when absent. */
  readonly maxRounds?: number;
  /** The server keeps nothing between calls, so that all callers may share connections. */
  readonly stateless?: boolean;
  /** Keeps parked calls and tasks, so that another process goes on with them when this one has ended. */
  readonly store?: Store;
  /**
   * How long a process that shares the store may give no sign of life before another goes on with its parked calls and tasks. 3,000 when absent. Each running task
   * costs a write in every third of it.
   */
  readonly leaseMs?: number;
  /** Secrets that seal the state which clients carry; see `asking.keys` of a server. Needed where several processes serve one address. */
  readonly keys?: Keys;
  /** Further options of the face that clients see. */
  readonly server?: Pick<ServerOptions, 'revisions' | 'limits' | 'heartbeat' | 'log' | 'leftBehind'>;
  /** Further options of the clients that speak with the server. */
  readonly client?: Pick<ClientOptions, 'revisions' | 'timeouts' | 'limits' | 'heartbeat' | 'reconnect' | 'verdicts'>;
  /** Middleware of the clients that speak with the server. That of the face is added with `use`. */
  readonly middleware?: readonly ClientMiddleware[];
  /** Called with problems that ended no request. */
  readonly onproblem?: (problem: Error) => void;
}
