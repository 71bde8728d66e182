import { pause, type Clock } from '../../peer/clock.ts';
import { ProtocolError } from '../../protocol/errors.ts';
import { asError } from '../../runtime/guard.ts';
import { RELISTEN, SETTLED_MS, backoff } from '../connecting/healing.ts';
import type { ListenHandle, ListenOptions, SubscriptionFilter } from './listen.ts';

export interface WatchingPort {
  readonly clock: Clock;
  listen(filter: SubscriptionFilter, options?: ListenOptions): Promise<ListenHandle>;
  onproblem(problem: Error): void;
}

/**
 * Everything the client watches on its own, on one stream: the lists with a change handler, and the subscribed resources. A stream cannot
 * be changed, so another one is opened with the new filter and then the old one is closed: no event falls between them.
 */
export class Watching {
  readonly #port: WatchingPort;
  readonly #uris = new Set<string>();
  #lists: Omit<SubscriptionFilter, 'resourceSubscriptions'> = {};
  #handle: ListenHandle | undefined;
  #work: Promise<void> = Promise.resolve();
  #life = new AbortController();
  #asked: SubscriptionFilter = {};
  #openedAt = 0;
  #failures = 0;

  constructor(port: WatchingPort) {
    this.#port = port;
  }

  watchLists(lists: Omit<SubscriptionFilter, 'resourceSubscriptions'>): Promise<void> {
    this.#lists = lists;
    return this.#update();
  }

  /** Rejects when the server does not honour it; nothing is watched then. */
  async subscribe(uri: string): Promise<void> {
    if (this.#uris.has(uri)) return;
    this.#uris.add(uri);
    try {
      await this.#update();
      if (this.#uris.has(uri) && this.#handle?.honored.resourceSubscriptions?.includes(uri) !== true) {
        throw new ProtocolError('other', `The server does not send updates of ${uri}.`);
      }
    } catch (error) {
      this.#uris.delete(uri);
      throw error;
    }
  }

  async unsubscribe(uri: string): Promise<void> {
    if (this.#uris.delete(uri)) await this.#update();
  }

  stop(): void {
    this.#life.abort();
    this.#life = new AbortController();
    this.#handle = undefined;
    this.#uris.clear();
    this.#lists = {};
    this.#failures = 0;
  }

  /** One change at a time; those that pile up meanwhile see the newest wishes and have nothing left to do. */
  #update(): Promise<void> {
    const { signal } = this.#life;
    const next = this.#work.then(() => (signal.aborted ? undefined : this.#reopen()));
    this.#work = next.catch(() => {});
    return next;
  }

  async #reopen(): Promise<void> {
    const filter = this.#filter();
    const old = this.#handle;
    if (old !== undefined && JSON.stringify(this.#asked) === JSON.stringify(filter)) return;
    if (Object.keys(filter).length === 0) {
      this.#handle = undefined;
      old?.close();
      return;
    }
    const { signal } = this.#life;
    const handle = await this.#port.listen(filter);
    if (signal.aborted) return handle.close();
    this.#asked = filter;
    this.#handle = handle;
    this.#openedAt = this.#port.clock.now();
    old?.close();
    void handle.closed.then((how) => this.#ended(handle, how === 'local', signal));
  }

  #filter(): SubscriptionFilter {
    return this.#uris.size === 0 ? this.#lists : { ...this.#lists, resourceSubscriptions: [...this.#uris] };
  }

  /** A stream that the server ended is asked for again, ever more slowly. */
  async #ended(handle: ListenHandle, wanted: boolean, signal: AbortSignal): Promise<void> {
    if (this.#handle !== handle) return;
    this.#handle = undefined;
    // A server that tells of nothing that was wanted is not asked again and again.
    if (wanted || Object.keys(handle.honored).length === 0) return;
    // Only a stream that lasted is a sign that all is well again: a server may acknowledge and then end every one of them.
    if (this.#port.clock.now() - this.#openedAt > SETTLED_MS) this.#failures = 0;
    while (this.#handle === undefined) {
      await pause(backoff(this.#failures, RELISTEN, Math.random()), this.#port.clock, signal);
      if (signal.aborted) return;
      this.#failures += 1;
      try {
        await this.#update();
        return;
      } catch (error) {
        this.#port.onproblem(asError(error));
      }
    }
  }
}
