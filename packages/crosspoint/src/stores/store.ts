/** A JSON value; a store keeps its text. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json | undefined };

/** A kept value and the version it had when it was read. Versions are opaque: they are equal or they are not. */
export interface StoredRecord {
  readonly value: Json;
  readonly version: string;
}

export interface PutOptions {
  /** How long the record lives from now on; for ever when absent. */
  readonly ttlMs?: number;
  /** Writes only if the record still has this version; `null`: only if there is none. */
  readonly ifVersion?: string | null;
  /** The caller who leaves it behind; see `Store`. Absent: the record is kept until it expires or is deleted. */
  readonly leftBy?: string;
}

export interface LogEntry {
  /**
   * Of letters, digits and dashes, never `0`. Grows within its log and is not used again, not even after the log was deleted or has
   * expired; comparable through `read` only.
   */
  readonly position: string;
  readonly value: Json;
}

export interface AppendOptions {
  /** How long the log lives after the last entry. */
  readonly ttlMs?: number;
  /** Oldest entries beyond this many may be dropped; those within it are kept. */
  readonly maxEntries?: number;
  /** Oldest entries may be dropped while the log holds more bytes of JSON than this; the newest is always kept. A store outside the process may ignore it. */
  readonly maxBytes?: number;
  /** The caller who leaves the log behind; see `Store`. The first entry of a log says so for all of it. */
  readonly leftBy?: string;
}

export interface ReadOptions {
  /** What is behind this position or key, whether or not it is still there; from the beginning when absent. */
  readonly after?: string;
  readonly limit?: number;
}

export interface AddOptions {
  /** How long the record lives from the moment it is made; adding to one that is there leaves its life alone. For ever when absent. */
  readonly ttlMs?: number;
}

/**
 * The one place where state is kept: records that expire and can be swapped safely, logs that only grow, and messages to whoever listens.
 * Every method may reject with a `StoreUnavailableError` when the store cannot be reached; whether the change was made is then unknown, but none
 * leaves half a change behind. Expired records and logs are not seen again, whenever their memory is freed.
 *
 * What is written with `leftBy` counts against what that caller, and all callers together, may leave behind. When a caller has spent its share,
 * its own oldest records and entries are dropped; when all together have spent theirs, those of the caller who holds the most. What is
 * written without `leftBy` is never dropped for want of room. A store outside the process may leave this to its own limits.
 */
export interface Store {
  /** Whether other processes use what is kept here. Then what belongs to a session or a task may be going on elsewhere. */
  readonly isShared: boolean;

  get(key: string): Promise<StoredRecord | undefined>;
  /** The new version, or `undefined` when the condition did not hold and nothing was written. */
  put(key: string, value: Json, options?: PutOptions): Promise<string | undefined>;
  /** Gives a record a new life from now; false when there is none. */
  touch(key: string, ttlMs: number): Promise<boolean>;
  delete(key: string, ifVersion?: string): Promise<boolean>;
  /** Adds to a number, as one step whoever else does, and gives the sum. No record counts as 0; one that holds no number rejects. */
  add(key: string, amount: number, options?: AddOptions): Promise<number>;
  /** Keys that begin with `prefix`, in order, behind `after`. */
  keys(prefix: string, options?: ReadOptions): Promise<readonly string[]>;
  /** How many keys begin with `prefix`, without reading them. Those that expired a moment ago may be counted still. */
  count(prefix: string): Promise<number>;

  /** The position of the new entry. */
  append(log: string, value: Json, options?: AppendOptions): Promise<string>;
  read(log: string, options?: ReadOptions): Promise<readonly LogEntry[]>;
  deleteLog(log: string): Promise<void>;

  /** Reaches whoever is subscribed now, on any node; at most once, and possibly not at all when the store is interrupted. */
  publish(channel: string, message: Json): Promise<void>;
  /** The returned function ends the subscription. The listener must not throw. */
  subscribe(channel: string, onmessage: (message: Json) => void): Promise<() => Promise<void>>;

  /** Ends what the store itself has opened; what it was given stays open. Nothing may be called afterwards. */
  close(): Promise<void>;
}
