import type { NodeResponse } from './node-exchange.ts';

/** Node's socket, as far as it is used. */
export interface NodeSocket {
  readonly localAddress?: string | undefined;
  readonly remoteAddress?: string | undefined;
  readonly destroyed?: boolean;
  once?(event: 'close', listener: () => void): unknown;
  destroy?(): unknown;
}

/** How many requests of one connection are worked on while an earlier one is. */
export const MAX_QUEUED = 32;

const queues = new WeakMap<NodeSocket, NodeQueue>();

/**
 * The answers of one connection that wait for an earlier one to end, because the client sent requests without waiting (HTTP pipelining).
 * Node tells only the answer that has the connection when it closes: those behind it are told here.
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

  /** The queue that an answer stands in; `undefined` for one that has its connection already, as nearly all have. */
  static of(response: NodeResponse): NodeQueue | undefined {
    if (response.socket !== null || response.writableEnded) return undefined;
    const { httpVersionMajor, socket } = response.req ?? {};
    // Later versions of HTTP have no queue, and nothing can be told of a socket that nobody knows.
    if (httpVersionMajor !== 1 || socket?.once === undefined) return undefined;
    let queue = queues.get(socket);
    if (queue === undefined) queues.set(socket, (queue = new NodeQueue(socket)));
    return queue;
  }

  /** Takes an answer that will be worked on. False when too many wait. */
  enter(response: NodeResponse): boolean {
    if (this.#waiting.has(response)) return true;
    if (this.#waiting.size >= MAX_QUEUED) return false;
    this.#waiting.set(response, []);
    response.on('close', () => this.#over(response));
    return true;
  }

  /** Calls a function once when the answer is over, by its end or that of the connection; soon, if that has closed. */
  onabort(response: NodeResponse, run: () => void): void {
    if (this.#socket.destroyed === true) return queueMicrotask(run);
    const runs = this.#waiting.get(response);
    runs?.push(run);
  }

  /** Frees the connection of everything on it. */
  cut(): void {
    this.#socket.destroy?.();
  }

  #over(response: NodeResponse): void {
    const runs = this.#waiting.get(response) ?? [];
    this.#waiting.delete(response);
    for (const run of runs) run();
  }
}
