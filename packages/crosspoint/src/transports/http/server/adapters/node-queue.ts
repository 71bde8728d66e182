import type { NodeResponse } from './node-exchange.ts';

/** The part of Node's socket that is used. */
export interface NodeSocket {
  readonly localAddress?: string | undefined;
  readonly remoteAddress?: string | undefined;
  readonly destroyed?: boolean;
  /** True on a connection with TLS. */
  readonly encrypted?: boolean;
  once?(event: 'close', listener: () => void): unknown;
  destroy?(): unknown;
}

/** Most requests of one connection that are served while an earlier one is pending. */
export const MAX_QUEUED = 32;

const queues = new WeakMap<NodeSocket, NodeQueue>();

/**
 * Responses of one connection that wait for an earlier one, because the client sent requests without waiting (HTTP pipelining). When the
 * connection closes, Node notifies only the response that occupies it; this queue notifies the others.
 */
export class NodeQueue {
  readonly #waiting = new Map<NodeResponse, (() => void)[]>();
  readonly #socket: NodeSocket;

  private constructor(socket: NodeSocket) {
    this.#socket = socket;
    socket.once?.('close', () => {
      for (const response of this.#waiting.keys()) this.#over(response);
    });
  }

  /** The queue of a response; `undefined` when it already has its connection, as nearly all have. */
  static of(response: NodeResponse): NodeQueue | undefined {
    if (response.socket !== null || response.writableEnded) return undefined;
    const { httpVersionMajor, socket } = response.req ?? {};
    // HTTP/2 and later have no queue, and an unknown socket cannot be watched.
    if (httpVersionMajor !== 1 || socket?.once === undefined) return undefined;
    let queue = queues.get(socket);
    if (queue === undefined) queues.set(socket, (queue = new NodeQueue(socket)));
    return queue;
  }

  /** Adds a response that will be served. False when too many are waiting. */
  enter(response: NodeResponse): boolean {
    if (this.#waiting.has(response)) return true;
    if (this.#waiting.size >= MAX_QUEUED) return false;
    this.#waiting.set(response, []);
    response.on('close', () => this.#over(response));
    return true;
  }

  /** Calls `run` once when the response or its connection has closed; in a microtask if the connection already has. */
  onabort(response: NodeResponse, run: () => void): void {
    if (this.#socket.destroyed === true) return queueMicrotask(run);
    const runs = this.#waiting.get(response);
    runs?.push(run);
  }

  /** Closes the connection, with every response on it. */
  cut(): void {
    this.#socket.destroy?.();
  }

  #over(response: NodeResponse): void {
    const runs = this.#waiting.get(response) ?? [];
    this.#waiting.delete(response);
    for (const run of runs) run();
  }
}
