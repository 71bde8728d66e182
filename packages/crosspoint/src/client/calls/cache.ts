import { jsonSize } from '../../jsonrpc/json-size.ts';
import { isJsonObject, type JsonObject } from '../../jsonrpc/message.ts';
import { systemClock, type Clock } from '../../peer/clock.ts';

export interface CacheOptions {
  /** Lifetime in milliseconds of results without a hint; 0, the default, does not cache them. */
  readonly defaultTtlMs?: number;
  /** Separates private results. Clients of different users that share a store need different partitions. */
  readonly partition?: string;
  /** A store shared by clients of the same server; one per client when absent. */
  readonly store?: CacheStore;
}

interface Entry {
  /** Approximate characters of JSON. */
  readonly size: number;
  readonly method: string;
  readonly uri: unknown;
  readonly result: JsonObject;
  readonly expiresAt: number;
}

/** Longest lifetime, whatever the server's hint says: one day. */
const MAX_TTL_MS = 86_400_000;

/** Results by key, limited in number and size; the least recently stored are dropped first. */
export class CacheStore {
  readonly #entries = new Map<string, Entry>();
  readonly #generations = new Map<string, number>();
  readonly #maxEntries: number;
  readonly #maxBytes: number;
  #bytes = 0;

  constructor(maxEntries = 1000, maxBytes: number = 64 * 1024 * 1024) {
    this.#maxEntries = maxEntries;
    this.#maxBytes = maxBytes;
  }

  get(key: string, now: number): JsonObject | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined || now < entry.expiresAt) return entry?.result;
    this.#drop(key);
    return undefined;
  }

  set(key: string, entry: Entry): void {
    this.#drop(key);
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size < this.#maxEntries && this.#bytes + entry.size <= this.#maxBytes) break;
      this.#drop(oldest);
    }
    if (entry.size > this.#maxBytes) return;
    this.#entries.set(key, entry);
    this.#bytes += entry.size;
  }

  #drop(key: string): void {
    this.#bytes -= this.#entries.get(key)?.size ?? 0;
    this.#entries.delete(key);
  }

  /** Counts the changes of a method's results. A result requested before a change must not be stored after it. */
  generation(method: string): number {
    return this.#generations.get(method) ?? 0;
  }

  /** Drops results of a method. With `uri`: only those whose URI is a prefix of it or begins with it. */
  invalidate(method: string, uri?: string): void {
    this.#generations.set(method, this.generation(method) + 1);
    for (const [key, entry] of this.#entries) {
      if (entry.method === method && (uri === undefined || isRelated(entry.uri, uri))) this.#drop(key);
    }
  }
}

function isRelated(one: unknown, other: string): boolean {
  return typeof one === 'string' && (one.startsWith(other) || other.startsWith(one));
}

/** The results that one client may reuse, as long as the server's hints allow. */
export class ResultCache {
  readonly #store: CacheStore;
  readonly #clock: Clock;
  readonly #defaultTtlMs: number;
  readonly #partition: string;
  readonly #isShared: boolean;

  constructor(options: CacheOptions, clock: Clock = systemClock) {
    this.#store = options.store ?? new CacheStore();
    this.#clock = clock;
    this.#defaultTtlMs = options.defaultTtlMs ?? 0;
    this.#partition = options.partition ?? '';
    this.#isShared = options.store !== undefined;
  }

  /** Returns a copy, so that a caller cannot change the cached result. */
  find(method: string, params: JsonObject): JsonObject | undefined {
    const now = this.#clock.now();
    const found =
      this.#store.get(this.#key('private', method, params), now) ??
      this.#store.get(this.#key('public', method, params), now);
    return found === undefined ? undefined : structuredClone(found);
  }

  generation(method: string): number {
    return this.#store.generation(method);
  }

  /** Stores a result, unless it has no lifetime or was requested before the last change. A result without a scope is private. */
  keep(method: string, params: JsonObject, found: { result: JsonObject; generation: number }): void {
    const { result, generation } = found;
    const { ttlMs } = result;
    const ttl = typeof ttlMs === 'number' ? ttlMs : this.#defaultTtlMs;
    if (!(ttl > 0) || generation !== this.#store.generation(method)) return;
    const scope = result['cacheScope'] === 'public' ? 'public' : 'private';
    const expiresAt = this.#clock.now() + Math.min(ttl, MAX_TTL_MS);
    const key = this.#key(scope, method, params);
    this.#store.set(key, {
      size: key.length + jsonSize(result),
      method,
      uri: params['uri'],
      result: structuredClone(result),
      expiresAt,
    });
  }

  /** Drops the results that a change notification concerns. */
  onchange(notification: { readonly method: string; readonly params?: JsonObject }): void {
    const uri = notification.params?.['uri'];
    if (notification.method === 'notifications/resources/updated' && typeof uri === 'string')
      this.#store.invalidate('resources/read', uri);
    for (const method of LISTS_BY_CHANGE.get(notification.method) ?? []) this.#store.invalidate(method);
  }

  invalidate(method: string): void {
    this.#store.invalidate(method);
  }

  /** Drops all results, for a server that was replaced by a new run. */
  dropAll(): void {
    for (const method of [...LISTS_BY_CHANGE.values()].flat()) this.#store.invalidate(method);
    this.#store.invalidate('resources/read');
    this.#store.invalidate('server/discover');
  }

  /** The connection has ended and the next server may be another one. A shared store belongs to one server and is kept. */
  leave(): void {
    if (!this.#isShared) this.dropAll();
  }

  /** The key ignores `_meta`, which describes the request and not its subject. */
  #key(scope: 'public' | 'private', method: string, params: JsonObject): string {
    return JSON.stringify([
      scope === 'private' ? this.#partition : null,
      method,
      sorted({ ...params, _meta: undefined }),
    ]);
  }
}

const LISTS_BY_CHANGE: ReadonlyMap<string, readonly string[]> = new Map([
  ['notifications/tools/list_changed', ['tools/list']],
  ['notifications/prompts/list_changed', ['prompts/list']],
  ['notifications/resources/list_changed', ['resources/list', 'resources/templates/list']],
]);

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sorted(value[key])]),
  );
}
