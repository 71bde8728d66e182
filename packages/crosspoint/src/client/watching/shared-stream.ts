import { pause } from '../../peer/clock.ts';
import { ProtocolError } from '../../protocol/errors.ts';
import { asError } from '../../runtime/guard.ts';
import { RELISTEN, SETTLED_MS, backoff } from '../connecting/healing.ts';
import type { ListenHandle, SubscriptionFilter } from './listen-streams.ts';
import type { Engine } from '../engine.ts';

/**
 * The one stream that carries the lists with a change handler and the subscribed resources. The filter of a stream cannot be changed: a
 * stream with the new filter is opened first, then the old one is closed, so that no change is missed.
 */
export class SharedStream {
  readonly #engine: Engine;
  readonly #uris = new Set<string>();
  #lists: Omit<SubscriptionFilter, 'resourceSubscriptions'> = {};
  #handle: ListenHandle | undefined;
  #work: Promise<void> = Promise.resolve();
  #life = new AbortController();
  #asked: SubscriptionFilter = {};
  #openedAt = 0;
  #failures = 0;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  watchLists(lists: Omit<SubscriptionFilter, 'resourceSubscriptions'>): Promise<void> {
    this.#lists = lists;
    return this.#update();
  }

  /** Adds a resource. Rejects, and watches nothing, when the server does not honour it. */
  async subscribe(uri: string): Promise<void> {
    if (this.#uris.has(uri)) return;
    this.#uris.add(uri);
    try {
      await this.#update();
      if (this.#uris.has(uri) && this.#handle?.honored.resourceSubscriptions?.includes(uri) !== true) {
        throw new ProtocolError('other', `The server granted no subscription to ${uri}.`);
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

  /** Updates run one at a time; each uses the newest filter, so queued ones find nothing left to do. */
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
    const handle = await this.#engine.subscriptions.listens.listen(filter);
    if (signal.aborted) return handle.close();
    this.#asked = filter;
    this.#handle = handle;
    this.#openedAt = this.#engine.clock.now();
    old?.close();
    void handle.closed.then((how) => this.#ended(handle, how === 'local', signal));
  }

  #filter(): SubscriptionFilter {
    return this.#uris.size === 0 ? this.#lists : { ...this.#lists, resourceSubscriptions: [...this.#uris] };
  }

  /** Reopens a stream that the server ended, with growing delays. */
  async #ended(handle: ListenHandle, wanted: boolean, signal: AbortSignal): Promise<void> {
    if (this.#handle !== handle) return;
    this.#handle = undefined;
    // A server that honours no part of the filter is not asked again.
    if (wanted || Object.keys(handle.honored).length === 0) return;
    // Only a stream that stayed open resets the delays: a server may acknowledge every stream and end it at once.
    if (this.#engine.clock.now() - this.#openedAt > SETTLED_MS) this.#failures = 0;
    while (this.#handle === undefined) {
      await pause(backoff(this.#failures, RELISTEN, Math.random()), this.#engine.clock, signal);
      if (signal.aborted) return;
      this.#failures += 1;
      try {
        await this.#update();
        return;
      } catch (error) {
        this.#engine.onproblem(asError(error));
      }
    }
  }
}
