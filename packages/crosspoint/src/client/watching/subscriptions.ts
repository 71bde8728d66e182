import type { JsonObject } from '../../jsonrpc/message.ts';
import { hasCapability } from '../../protocol/capabilities.ts';
import { asError } from '../../runtime/guard.ts';
import type { ClientConnection } from '../connecting/connection.ts';
import { ClientListenStreams } from './listen-streams.ts';
import type { Loss } from '../connecting/link.ts';
import type { RequestOptions } from '../calls/request-options.ts';
import { Watch, type WatchHandle, type WatchOptions, type WatchTarget } from './watch.ts';
import { SharedStream } from './shared-stream.ts';
import { readChange, type ListKind } from '../../protocol/listing.ts';
import type { Engine } from '../engine.ts';

/** Subscriptions to resources and lists, by requests or by streams, whichever the revision has. */
export class Subscriptions {
  readonly listens: ClientListenStreams;
  readonly sharedStream: SharedStream;
  readonly #engine: Engine;
  /** URIs that the program subscribed to, and the number of watches for each URI. The server knows one subscription per URI. */
  readonly #subscribed = new Set<string>();
  readonly #wanted = new Map<string, number>();
  readonly #watches = new Set<Watch>();

  constructor(engine: Engine) {
    this.#engine = engine;
    this.listens = new ClientListenStreams(engine);
    this.sharedStream = new SharedStream(engine);
  }

  async subscribe(uri: string, options: RequestOptions | undefined): Promise<void> {
    const connection = await this.#engine.link.connection(options?.signal);
    if (hasStreams(connection)) return this.sharedStream.subscribe(uri);
    await this.#engine.calls.request('resources/subscribe', { uri }, options);
    this.#subscribed.add(uri);
  }

  async unsubscribe(uri: string, options: RequestOptions | undefined): Promise<void> {
    const connection = await this.#engine.link.connection(options?.signal);
    if (hasStreams(connection)) return this.sharedStream.unsubscribe(uri);
    this.#subscribed.delete(uri);
    if (!this.#wanted.has(uri)) await this.#engine.calls.request('resources/unsubscribe', { uri }, options);
  }

  /** In revisions with streams, requests change notifications for the lists that have a handler. */
  async watchLists(kinds: readonly ListKind[]): Promise<void> {
    const server = this.#engine.link.server;
    const connection = await this.#engine.link.connection();
    const watched =
      server === undefined || !hasStreams(connection)
        ? []
        : kinds.filter((kind) => hasCapability(server.capabilities, `${kind}.listChanged`));
    if (watched.length > 0)
      await this.sharedStream.watchLists(Object.fromEntries(watched.map((kind) => [`${kind}ListChanged`, true])));
  }

  async watch(target: WatchTarget, options: WatchOptions): Promise<WatchHandle> {
    const connection = await this.#engine.link.connection(options.signal);
    const watch = new Watch(target, options, this.#engine);
    this.#watches.add(watch);
    try {
      if (hasStreams(connection)) await watch.listen();
      else await watch.subscribe(this.#engine.link.server?.capabilities ?? {});
    } catch (error) {
      watch.lose('lost');
      throw error;
    }
    return watch;
  }

  /** A notification in revisions without streams. */
  onnotification(method: string, params: JsonObject | undefined): void {
    const change = this.#watches.size === 0 ? undefined : readChange(method, params);
    if (change !== undefined) for (const watch of this.#watches) watch.tell(change);
  }

  onlost(loss: Loss): void {
    if (loss !== 'healing') {
      this.sharedStream.stop();
      this.#subscribed.clear();
      this.#wanted.clear();
      for (const watch of this.#watches) watch.lose(loss === 'closed' ? 'closed' : 'lost');
    }
    this.listens.onlost(loss);
  }

  restore(connection: ClientConnection): void {
    if (hasStreams(connection)) return this.listens.restore(connection);
    for (const uri of new Set([...this.#subscribed, ...this.#wanted.keys()])) {
      this.#engine.calls.request('resources/subscribe', { uri }, undefined).catch((error: unknown) => {
        this.#engine.onproblem(asError(error));
      });
    }
    for (const watch of this.#watches) watch.tellAll();
  }

  forget(watch: Watch): void {
    this.#watches.delete(watch);
  }

  /** Subscribes to a resource for one more watch. */
  async want(uri: string): Promise<void> {
    const before = this.#wanted.get(uri) ?? 0;
    this.#wanted.set(uri, before + 1);
    if (before > 0 || this.#subscribed.has(uri)) return;
    try {
      await this.#engine.calls.request('resources/subscribe', { uri }, undefined);
    } catch (error) {
      this.#wanted.delete(uri);
      throw error;
    }
  }

  /** Ends the subscription of one watch to a resource. */
  async unwant(uri: string): Promise<void> {
    const before = this.#wanted.get(uri) ?? 0;
    if (before > 1) this.#wanted.set(uri, before - 1);
    if (before !== 1) return;
    this.#wanted.delete(uri);
    if (!this.#subscribed.has(uri)) await this.#engine.calls.request('resources/unsubscribe', { uri }, undefined);
  }
}

export function hasStreams(connection: ClientConnection): boolean {
  return connection.revision.methods.has('subscriptions/listen');
}
