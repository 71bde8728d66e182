import { digestOf } from '../values/digest.ts';
import { asJson, type Json } from '../values/json.ts';
import type { ServerEntry } from '../config/server-entry.ts';
import { HostServer } from './host-server.ts';
import type { ServerPort } from './server-port.ts';

/** The servers of a host, by name. They start side by side; each lives and fails by itself. */
export class HostServers {
  readonly #port: ServerPort;
  readonly #servers = new Map<string, HostServer>();
  readonly #onremove: (name: string) => void;
  /** Servers that were taken out and are still ending. */
  readonly #ending = new Set<Promise<void>>();

  constructor(port: ServerPort, onremove: (name: string) => void) {
    this.#port = port;
    this.#onremove = onremove;
  }

  get(name: string): HostServer | undefined {
    return this.#servers.get(name);
  }

  list(): readonly HostServer[] {
    return [...this.#servers.values()];
  }

  /** Adds a server and begins to connect. Throws when there is one of that name. */
  add(entry: ServerEntry): HostServer {
    if (this.#servers.has(entry.name))
      throw new TypeError(`There is already a server "${entry.name}": remove it first, or use change().`);
    const server = new HostServer(entry, this.#port);
    this.#servers.set(entry.name, server);
    server.start();
    return server;
  }

  /** Replaces the configuration of a server. One that is the same stays connected. */
  async change(entry: ServerEntry): Promise<HostServer> {
    const server = this.#servers.get(entry.name);
    if (server === undefined) return this.add(entry);
    if (isSame(server.entry, entry)) return server;
    const next = new HostServer(entry, this.#port);
    // In the place of the old one, so that the order stays.
    this.#servers.set(entry.name, next);
    this.#onremove(entry.name);
    await this.#end(server);
    if (this.#servers.get(entry.name) === next) next.start();
    return next;
  }

  /** Ends a server and takes what it offered out of the catalogue. */
  async remove(name: string): Promise<void> {
    const server = this.#servers.get(name);
    if (server === undefined) return;
    this.#servers.delete(name);
    this.#onremove(name);
    await this.#end(server);
  }

  /** Makes the servers those of a configuration: new ones are added, changed ones changed, all others removed. */
  async apply(entries: readonly ServerEntry[]): Promise<void> {
    const wanted = new Set(entries.map(({ name }) => name));
    const gone = this.list().filter(({ name }) => !wanted.has(name));
    await Promise.all([...gone.map(({ name }) => this.remove(name)), ...entries.map((entry) => this.change(entry))]);
  }

  /** Resolves when every server is ready, or is known not to be. */
  async settled(signal?: AbortSignal): Promise<void> {
    await Promise.all(this.list().map((server) => server.settled(signal)));
  }

  async close(): Promise<void> {
    await Promise.all([...this.list().map((server) => this.#end(server)), ...this.#ending]);
  }

  async #end(server: HostServer): Promise<void> {
    const ending = server.close();
    this.#ending.add(ending);
    await ending.finally(() => this.#ending.delete(ending));
  }
}

/** An entry without the function that fills its template: the digest of a bundle or document is among its other members. */
function dataOf(entry: ServerEntry): Json {
  return asJson({ ...entry, template: undefined });
}

function isSame(before: ServerEntry, after: ServerEntry): boolean {
  if (before.reach.type === 'transport' || after.reach.type === 'transport') return before === after;
  return digestOf(dataOf(before)) === digestOf(dataOf(after));
}
