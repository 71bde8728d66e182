/** A JSON value; a store keeps its text. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json | undefined };

/** A record as the JSON that it is. Its type says which members it has, not that they are JSON. */
export function asJson(value: object): Json {
  return value as Json;
}

/** A kept value and the version it had when it was read. Versions are opaque: they are equal or they are not. */
export interface StoredRecord {
  readonly value: Json;
  readonly version: string;
}

export interface PutOptions {
  /** Lifetime in milliseconds from now; unlimited when absent. */
  readonly ttlMs?: number;
  /** Writes only if the record still has this version; `null`: only if there is none. */
  readonly ifVersion?: string | null;
  /** The caller who leaves the record behind; see `Store`. Without it the record is kept until it expires or is deleted. */
  readonly leftBy?: string | undefined;
}

export interface LogEntry {
  /**
   * Letters, digits and dashes, never `0`. Positions grow within their log and are not used again, even after the log was deleted or has expired.
   * Only `read` can compare them.
   */
  readonly position: string;
  readonly value: Json;
}

export interface AppendOptions {
  /** Lifetime of the log in milliseconds, counted from the last entry. */
  readonly ttlMs?: number;
  /** The oldest entries beyond this number may be dropped; those within it are kept. */
  readonly maxEntries?: number;
  /** Oldest entries may be dropped while the log holds more bytes of JSON than this; the newest is always kept. A store outside the process may ignore it. */
  readonly maxBytes?: number;
  /** The caller who leaves the log behind; see `Store`. The first entry decides for the whole log. */
  readonly leftBy?: string;
}

export interface ReadOptions {
  /** Reads after this position or key, which need not exist any more; from the beginning when absent. */
  readonly after?: string;
  readonly limit?: number;
}

export interface AddOptions {
  /** Lifetime in milliseconds of a record that `add` makes; an existing record keeps its own. Unlimited when absent. */
  readonly ttlMs?: number;
}

/** Code that a store brings to the servers that use it, so that servers without a store do not carry it. */
export type StoreServing = object;

/**
 * The place where all state is kept: records that expire and can be swapped safely, logs that only grow, and messages between nodes.
 * Every method may reject with a `StoreUnavailableError` when the store cannot be reached. Whether the change was made is then unknown, but it is
 * never half made. Expired records and logs are not returned, even before their memory is freed.
 *
 * Records and entries written with `leftBy` count against the bytes that their caller, and all callers together, may leave behind. Beyond its own
 * limit a caller loses its oldest records and entries; beyond the common limit, the caller with the most bytes does. Records and entries without
 * `leftBy` are never dropped for want of room. A store outside the process may use its own limits instead.
 */
export interface Store {
  /** Whether other processes use this store. Sessions and tasks may then be alive in another process. */
  readonly isShared: boolean;
  /** The code of servers that work on a store: `storeServing`. A server refuses a store without it; clients and hosts do not need it. */
  readonly serving?: StoreServing | undefined;

  get(key: string): Promise<StoredRecord | undefined>;
  /** The new version, or `undefined` when the condition did not hold and nothing was written. */
  put(key: string, value: Json, options?: PutOptions): Promise<string | undefined>;
  /** Gives a record a new lifetime from now; false when there is no record. */
  touch(key: string, ttlMs: number): Promise<boolean>;
  delete(key: string, ifVersion?: string): Promise<boolean>;
  /** Adds to a number atomically and returns the sum. A missing record counts as 0; a record that holds no number rejects. */
  add(key: string, amount: number, options?: AddOptions): Promise<number>;
  /** Keys that begin with `prefix`, in order, behind `after`. */
  keys(prefix: string, options?: ReadOptions): Promise<readonly string[]>;
  /** The number of keys with the prefix, without reading them. Keys that have just expired may still be counted. */
  count(prefix: string): Promise<number>;

  /** Adds an entry and returns its position. */
  append(log: string, value: Json, options?: AppendOptions): Promise<string>;
  read(log: string, options?: ReadOptions): Promise<readonly LogEntry[]>;
  deleteLog(log: string): Promise<void>;

  /** Sends a message to the current subscribers on all nodes: at most once, and possibly not at all when the store is interrupted. */
  publish(channel: string, message: Json): Promise<void>;
  /** Subscribes a listener, which must not throw. The returned function ends the subscription. */
  subscribe(channel: string, onmessage: (message: Json) => void): Promise<() => Promise<void>>;

  /** Closes what the store itself has opened; a client or database that it was given stays open. No method may be called afterwards. */
  close(): Promise<void>;
}
