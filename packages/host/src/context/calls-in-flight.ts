import type { RequestId } from 'crosspoint/client';
import type { Provenance } from '../inbox/item.ts';

/** A call of a tool, as questions that it leads to name it. */
export type CallInFlight = NonNullable<Provenance['call']>;

/** Options for `callTool`, with which a call can be found by the ids of its requests. */
export interface FollowedCall {
  readonly onsent: (id: RequestId) => void;
}

/**
 * The calls that one client has in flight, so that a question can name the call that led to it.
 *
 * A question inside a result, and one on the HTTP stream of a call, is certain to belong to it. Over a single channel (stdio, or the older
 * HTTP+SSE) a server with a handshake does not say which call it asks for: it is the only one that runs, or unknown where several do.
 *
 * ```ts
 * const calls = new CallsInFlight();
 * await calls.during({ id: '1', tool: 'pay', arguments: {} }, (followed) => client.callTool({ name: 'pay' }, followed));
 * ```
 */
export class CallsInFlight {
  readonly #byRequest = new Map<RequestId, CallInFlight>();
  readonly #running = new Map<CallInFlight, string | undefined>();

  /** Runs a call: give the options to `callTool`. It is in flight until the promise settles. `conversation` names the one that it belongs to. */
  async during<T>(call: CallInFlight, work: (followed: FollowedCall) => Promise<T>, conversation?: string): Promise<T> {
    const ids: RequestId[] = [];
    this.#running.set(call, conversation);
    try {
      return await work({
        onsent: (id) => {
          ids.push(id);
          this.#byRequest.set(id, call);
        },
      });
    } finally {
      this.#running.delete(call);
      for (const id of ids) this.#byRequest.delete(id);
    }
  }

  /** The number of calls that run. */
  get size(): number {
    return this.#running.size;
  }

  /** The call that a question belongs to, by the `relatedRequestId` of its context; `undefined` when that is not known. */
  find(relatedRequestId: RequestId | null | undefined): CallInFlight | undefined {
    if (relatedRequestId === null) return undefined;
    if (relatedRequestId !== undefined) return this.#byRequest.get(relatedRequestId);
    const [only] = this.#running.keys();
    return this.#running.size === 1 ? only : undefined;
  }

  /** The conversation of a call that is in flight; `undefined` when that is not known. */
  conversationOf(call: CallInFlight): string | undefined {
    return this.#running.get(call);
  }
}
