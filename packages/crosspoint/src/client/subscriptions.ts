import type { JsonObject } from '../jsonrpc/message.ts';
import type { Connection } from './connection.ts';
import { Listens, type ListensPort } from './listen.ts';
import type { Loss } from './link.ts';
import type { RequestOptions } from './request-options.ts';
import { Watching } from './watching.ts';

export interface SubscriptionsPort extends ListensPort {
  request(method: string, params: JsonObject, options: RequestOptions | undefined): Promise<unknown>;
}

/** Subscriptions to resources, in the words of whichever family is spoken, and the streams of the one that has streams. */
export class Subscriptions {
  readonly listens: Listens;
  readonly watching: Watching;
  readonly #port: SubscriptionsPort;
  readonly #subscribed = new Set<string>();

  constructor(port: SubscriptionsPort) {
    this.#port = port;
    this.listens = new Listens(port);
    this.watching = new Watching({
      clock: port.clock,
      listen: (filter, options) => this.listens.listen(filter, options),
      onproblem: (problem) => port.onproblem(problem),
    });
  }

  async subscribe(uri: string, options: RequestOptions | undefined): Promise<void> {
    const connection = await this.#port.connection(options?.signal);
    if (hasStreams(connection)) return this.watching.subscribe(uri);
    await this.#port.request('resources/subscribe', { uri }, options);
    this.#subscribed.add(uri);
  }

  async unsubscribe(uri: string, options: RequestOptions | undefined): Promise<void> {
    const connection = await this.#port.connection(options?.signal);
    if (hasStreams(connection)) return this.watching.unsubscribe(uri);
    this.#subscribed.delete(uri);
    await this.#port.request('resources/unsubscribe', { uri }, options);
  }

  onlost(loss: Loss): void {
    if (loss !== 'healing') {
      this.watching.stop();
      this.#subscribed.clear();
    }
    this.listens.onlost(loss);
  }

  restore(connection: Connection): void {
    if (hasStreams(connection)) return this.listens.restore(connection);
    for (const uri of this.#subscribed) {
      this.#port.request('resources/subscribe', { uri }, undefined).catch((error: unknown) => {
        this.#port.onproblem(error instanceof Error ? error : new Error(String(error)));
      });
    }
  }
}

export function hasStreams(connection: Connection): boolean {
  return connection.revision.methods.has('subscriptions/listen');
}
