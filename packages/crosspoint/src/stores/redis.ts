import { storeServing } from '../server/stored/store-serving.ts';
import { Channels } from './channels.ts';
import { RedisLink, closeRedisClient, type RedisClient } from './redis/redis-client.ts';
import { clusterClient, isRedisCluster, type RedisCluster } from './redis/redis-cluster.ts';
import { RedisScripting } from './redis/redis-scripting.ts';
import { ADD, APPEND, CLEAR, COUNT, DELETE, LIST, PUT, TOUCH } from './redis/redis-scripts.ts';
import { RedisSlots } from './redis/redis-slots.ts';
import type {
  AddOptions,
  AppendOptions,
  Json,
  LogEntry,
  PutOptions,
  ReadOptions,
  Store,
  StoredRecord,
  StoreServing,
} from './store.ts';

export interface RedisStoreOptions {
  /** Prefix of every key. `{crosspoint}:` when absent. With several slots each has a number in the braces: `{crosspoint:17}:`. */
  readonly prefix?: string;
  /**
   * The number of hash slots that keys are spread over, from 1 to 16,384; the same on all nodes. 256 for a cluster and 1 for a single server when
   * absent. A list of keys that names no session, task or caller takes a command for each slot.
   */
  readonly slots?: number;
  /** Milliseconds after which a command counts as failed. 2,000 when absent. */
  readonly timeoutMs?: number;
  /** Milliseconds that a command waits for a lost connection to be made again. 1,000 when absent. */
  readonly waitMs?: number;
  /** Called for lost connections, which the client makes again by itself. */
  readonly onproblem?: (error: Error) => void;
}

const POSITION = /^\d{1,20}-\d{1,20}$/;

/**
 * Keeps everything in Redis 6.2 or later, or in a cluster of Redis 7 or later, for any number of nodes. The caller closes the client; for messages the
 * store opens connections of its own, with a duplicate of the client.
 */
export function redisStore(client: RedisClient | RedisCluster, options: RedisStoreOptions = {}): Store {
  return isRedisCluster(client)
    ? new RedisStore(clusterClient(client), { slots: 256, ...options })
    : new RedisStore(client, options);
}

class RedisStore implements Store {
  readonly isShared = true;
  readonly serving: StoreServing = storeServing;
  readonly #link: RedisLink;
  readonly #scripting: RedisScripting;
  readonly #makeSubscriber: () => RedisLink;
  readonly #slots: RedisSlots;
  readonly #channels = new Channels();
  /** Channels subscribed to in Redis. */
  readonly #heard = new Map<string, Promise<unknown>>();
  #subscriber: RedisLink | undefined;

  constructor(
    client: RedisClient,
    { prefix = '{crosspoint}:', slots = 1, timeoutMs = 2000, waitMs = 1000, onproblem = () => {} }: RedisStoreOptions,
  ) {
    const rules = { timeoutMs, waitMs, onproblem };
    this.#slots = new RedisSlots(prefix, slots);
    this.#link = new RedisLink(client, rules);
    this.#scripting = new RedisScripting(this.#link, this.#slots);
    this.#makeSubscriber = () => new RedisLink(client.duplicate(), rules);
  }

  async get(key: string): Promise<StoredRecord | undefined> {
    const [value, version] = (await this.#link.send(['HMGET', this.#name('r', key), 'v', 'n'])) as (string | null)[];
    if (typeof value !== 'string' || typeof version !== 'string') return undefined;
    return { value: JSON.parse(value) as Json, version };
  }

  async put(key: string, value: Json, { ttlMs, ifVersion }: PutOptions = {}): Promise<string | undefined> {
    const version = crypto.randomUUID();
    const condition = ifVersion === undefined ? 'any' : ifVersion === null ? 'new' : 'is';
    const args = [key, life(ttlMs), JSON.stringify(value), version, condition, ifVersion ?? ''];
    return Number(await this.#onRecord(PUT, key, args)) === 1 ? version : undefined;
  }

  async touch(key: string, ttlMs: number): Promise<boolean> {
    return Number(await this.#onRecord(TOUCH, key, [key, life(ttlMs)])) === 1;
  }

  async delete(key: string, ifVersion?: string): Promise<boolean> {
    return Number(await this.#onRecord(DELETE, key, [key, ifVersion ?? ''])) === 1;
  }

  async add(key: string, amount: number, { ttlMs }: AddOptions = {}): Promise<number> {
    const sum = await this.#onRecord(ADD, key, [key, life(ttlMs), String(amount), crypto.randomUUID()]);
    if (typeof sum !== 'string') throw new TypeError(`The record ${key} holds no number to add to.`);
    return Number(sum);
  }

  async keys(prefix: string, { after, limit }: ReadOptions = {}): Promise<readonly string[]> {
    const [first, last] = range(prefix);
    const from = after !== undefined && after >= prefix ? `(${after}` : first;
    const pages = await this.#inSlots(LIST, prefix, [from, last, String(limit ?? -1)]);
    const found = (pages as string[][]).flat();
    return pages.length === 1 ? found : found.sort(byCodePoints).slice(0, limit);
  }

  async count(prefix: string): Promise<number> {
    const counts = await this.#inSlots(COUNT, prefix, range(prefix));
    return counts.reduce<number>((sum, count) => sum + Number(count), 0);
  }

  async append(log: string, value: Json, { ttlMs, maxEntries }: AppendOptions = {}): Promise<string> {
    const args = [JSON.stringify(value), life(ttlMs), maxEntries === undefined ? '' : String(Math.max(1, maxEntries))];
    return String(await this.#onLog(APPEND, log, args));
  }

  async read(log: string, { after, limit }: ReadOptions = {}): Promise<readonly LogEntry[]> {
    if (after !== undefined && !POSITION.test(after)) return [];
    const count = limit === undefined ? [] : ['COUNT', String(limit)];
    const from = after === undefined ? '-' : `(${after}`;
    const entries = (await this.#link.send(['XRANGE', this.#name('l', log), from, '+', ...count])) as [
      string,
      string[],
    ][];
    return entries.map(([position, [, text = 'null']]) => ({ position, value: JSON.parse(text) as Json }));
  }

  async deleteLog(log: string): Promise<void> {
    await this.#onLog(CLEAR, log, []);
  }

  async publish(channel: string, message: Json): Promise<void> {
    await this.#link.send(['PUBLISH', this.#name('c', channel), JSON.stringify(message)]);
  }

  async subscribe(channel: string, onmessage: (message: Json) => void): Promise<() => Promise<void>> {
    const end = this.#channels.add(channel, onmessage);
    try {
      await this.#hear(channel);
    } catch (error) {
      end();
      throw error;
    }
    return async () => {
      end();
      await this.#unhear(channel);
    };
  }

  async close(): Promise<void> {
    this.#channels.clear();
    this.#heard.clear();
    this.#link.release();
    const subscriber = this.#subscriber?.client;
    this.#subscriber = undefined;
    if (subscriber) closeRedisClient(subscriber);
  }

  /** Subscribes to a channel. The client subscribes again by itself after a lost connection. */
  #hear(channel: string): Promise<unknown> {
    const known = this.#heard.get(channel);
    if (known) return known;
    this.#subscriber ??= this.#makeSubscriber();
    const { client } = this.#subscriber;
    const asked = this.#subscriber.run(() =>
      client.subscribe(this.#name('c', channel), (text) => this.#channels.tell(channel, text)),
    );
    this.#heard.set(channel, asked);
    asked.catch(() => this.#heard.delete(channel));
    return asked;
  }

  async #unhear(channel: string): Promise<void> {
    if (this.#channels.has(channel) || !this.#heard.delete(channel)) return;
    const subscriber = this.#subscriber;
    // Without a connection there is no subscription to end; a message that still comes finds no listener.
    if (subscriber?.client.isReady) await subscriber.run(() => subscriber.client.unsubscribe(this.#name('c', channel)));
  }

  #onRecord(script: string, key: string, args: readonly string[]): Promise<unknown> {
    const slot = this.#slots.of(key);
    return this.#scripting.run(script, slot, [`${slot.prefix}r:${key}`, ...slot.index], args);
  }

  #onLog(script: string, log: string, args: readonly string[]): Promise<unknown> {
    return this.#scripting.run(script, this.#slots.of(log), [this.#name('l', log)], args);
  }

  #inSlots(script: string, prefix: string, args: readonly string[]): Promise<unknown[]> {
    return Promise.all(this.#slots.ofPrefix(prefix).map((slot) => this.#scripting.run(script, slot, slot.index, args)));
  }

  /** The name of a record, log or channel in Redis. */
  #name(kind: 'r' | 'l' | 'c', key: string): string {
    return `${this.#slots.of(key).prefix}${kind}:${key}`;
  }
}

function life(ttlMs: number | undefined): string {
  return ttlMs === undefined || ttlMs === Number.POSITIVE_INFINITY ? '' : String(Math.max(1, Math.ceil(ttlMs)));
}

/** The range of keys with a prefix, in the notation of `ZRANGEBYLEX`. */
function range(prefix: string): [from: string, to: string] {
  return prefix === '' ? ['-', '+'] : [`[${prefix}`, `(${prefix}\u{10FFFF}`];
}

/** The order of Redis, which compares UTF-8. */
function byCodePoints(one: string, other: string): number {
  let index = 0;
  while (index < one.length && one[index] === other[index]) index += 1;
  return (one.codePointAt(index) ?? -1) - (other.codePointAt(index) ?? -1);
}
