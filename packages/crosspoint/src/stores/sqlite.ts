import { storeServing } from '../server/stored/store-serving.ts';
import { openBuiltIn, type SqliteDatabase, type SqliteStatement, type SqliteValue } from './sqlite-driver.ts';
import type { LeftBehindOptions } from './left-behind.ts';
import { LEFT_SCHEMA, SqliteLeft } from './sqlite-left.ts';
import { SqliteMessages } from './sqlite-messages.ts';
import { NEVER, SCHEMA, SQL, setModes } from './sqlite-schema.ts';
import { StoreUnavailableError } from './store-unavailable-error.ts';
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

export type { SqliteDatabase } from './sqlite-driver.ts';

export interface SqliteStoreOptions extends LeftBehindOptions {
  /** Bytes that all callers together may leave behind in the file, across all processes. 256 MiB when absent. */
  readonly maxBytes?: number;
  /** The time now, in milliseconds. Processes that share a file must agree on it. */
  readonly now?: () => number;
  /** Least milliseconds between two removals of expired records. 30,000 when absent. */
  readonly sweepMs?: number;
  /** Milliseconds between two polls for messages of other processes, while there is a listener. 100 when absent. */
  readonly pollMs?: number;
  /** Whether other processes use the same file; true when absent. */
  readonly shared?: boolean;
}

/**
 * Keeps everything in a SQLite database, which several processes of one machine may share. The caller closes the database after the store.
 *
 * ```ts
 * // On Node 20, after `npm install @photostructure/sqlite@1`. Later releases of Node have `openSqliteStore`.
 * import { DatabaseSync } from '@photostructure/sqlite';
 *
 * const store = sqliteStore(new DatabaseSync('state.db'));
 * ```
 */
export function sqliteStore(database: SqliteDatabase, options: SqliteStoreOptions = {}): Store {
  return new SqliteStore(database, options, () => {});
}

/**
 * Opens a file with the SQLite of the runtime: Node 22.13 or later, Bun, Deno 2.2 or later. Closing the store closes the file. Rejects with a `TypeError` where the runtime
 * has none; on Node 20 use `sqliteStore` with a driver.
 *
 * ```ts
 * const store = await openSqliteStore('state.db');
 * ```
 */
export async function openSqliteStore(path: string, options: SqliteStoreOptions = {}): Promise<Store> {
  const database = await openBuiltIn(path);
  return new SqliteStore(database, { shared: path !== ':memory:', ...options }, () => database.close());
}

class SqliteStore implements Store {
  readonly isShared: boolean;
  readonly serving: StoreServing = storeServing;
  readonly #database: SqliteDatabase;
  readonly #statements = new Map<string, SqliteStatement>();
  readonly #messages: SqliteMessages;
  readonly #left: SqliteLeft;
  readonly #onclose: () => void;
  readonly #now: () => number;
  readonly #sweepMs: number;
  #sweptAt: number;

  constructor(database: SqliteDatabase, options: SqliteStoreOptions, onclose: () => void) {
    const { now = Date.now, sweepMs = 30_000, pollMs = 100, shared = true } = options;
    this.isShared = shared;
    this.#database = database;
    this.#onclose = onclose;
    this.#now = now;
    this.#sweepMs = sweepMs;
    this.#sweptAt = now();
    this.#guard(() => setModes(database));
    for (const sql of [...SCHEMA, ...LEFT_SCHEMA]) this.#guard(() => database.exec(sql));
    const query = (sql: string, ...values: SqliteValue[]): unknown[] => this.#query(sql, ...values);
    const run = (sql: string, ...values: SqliteValue[]): void => this.#run(sql, ...values);
    this.#left = new SqliteLeft({ query, run }, options);
    this.#messages = new SqliteMessages({ query, run }, { pollMs: shared ? pollMs : Number.POSITIVE_INFINITY, now });
  }

  async get(key: string): Promise<StoredRecord | undefined> {
    const row = this.#record(key);
    return row && { value: JSON.parse(row.value) as Json, version: row.version };
  }

  async put(key: string, value: Json, options: PutOptions = {}): Promise<string | undefined> {
    this.#sweep();
    const text = JSON.stringify(value);
    const { leftBy } = options;
    if (leftBy === undefined) return this.#put(key, text, options);
    return this.#atOnce(() => {
      const version = this.#put(key, text, options);
      if (version !== undefined) this.#left.record(key, text, leftBy);
      return version;
    });
  }

  #put(key: string, text: string, { ttlMs, ifVersion }: PutOptions): string | undefined {
    const version = crypto.randomUUID();
    const expiresAt = this.#expiry(ttlMs);
    if (ifVersion === undefined) {
      this.#run(SQL.put, key, text, version, expiresAt);
      return version;
    }
    const written =
      ifVersion === null
        ? this.#query(SQL.putNew, key, text, version, expiresAt, this.#now())
        : this.#query(SQL.swap, text, version, expiresAt, key, ifVersion, this.#now());
    return written.length === 0 ? undefined : version;
  }

  async touch(key: string, ttlMs: number): Promise<boolean> {
    return this.#query(SQL.touch, this.#expiry(ttlMs), key, this.#now()).length > 0;
  }

  async delete(key: string, ifVersion?: string): Promise<boolean> {
    const removed =
      ifVersion === undefined
        ? this.#query(SQL.remove, key, this.#now())
        : this.#query(SQL.removeVersion, key, this.#now(), ifVersion);
    return removed.length > 0;
  }

  async add(key: string, amount: number, { ttlMs }: AddOptions = {}): Promise<number> {
    this.#sweep();
    return this.#atOnce(() => {
      const row = this.#record(key);
      const before: unknown = row === undefined ? 0 : JSON.parse(row.value);
      if (typeof before !== 'number') throw new TypeError(`The record ${key} holds no number to add to.`);
      const expiresAt = row?.expires_at ?? this.#expiry(ttlMs);
      this.#run(SQL.put, key, JSON.stringify(before + amount), crypto.randomUUID(), expiresAt);
      return before + amount;
    });
  }

  async keys(prefix: string, { after = '', limit = -1 }: ReadOptions = {}): Promise<readonly string[]> {
    const found = this.#query(SQL.keys, prefix, behindAll(prefix), after, this.#now(), limit);
    return found.map((row) => (row as { key: string }).key);
  }

  async count(prefix: string): Promise<number> {
    const [row] = this.#query(SQL.count, prefix, behindAll(prefix), this.#now());
    return Number((row as { found: number | bigint }).found);
  }

  async append(log: string, value: Json, { ttlMs, maxEntries, leftBy }: AppendOptions = {}): Promise<string> {
    this.#sweep();
    const text = JSON.stringify(value);
    return this.#atOnce(() => {
      const [known] = this.#query(SQL.log, log, this.#now());
      // Entries left over from an expired log are not part of the new one.
      if (known === undefined) this.#run(SQL.removeEntries, log);
      const entries = Number((known as { entries: number | bigint } | undefined)?.entries ?? 0) + 1;
      const [added] = this.#query(SQL.append, log, text);
      // Trimming has to find the oldest entry to keep, so it runs only when the log is a quarter (at least 8 entries) too long.
      const isLong = maxEntries !== undefined && entries > maxEntries + Math.max(8, maxEntries / 4);
      if (isLong) this.#run(SQL.trim, log, log, maxEntries);
      this.#run(SQL.putLog, log, isLong ? maxEntries : entries, this.#expiry(ttlMs));
      const isCounted = isLong && this.#left.trimmed(log);
      if (leftBy !== undefined && !isCounted) this.#left.entry(log, text, leftBy, known === undefined);
      return String((added as { position: number }).position);
    });
  }

  async read(log: string, { after, limit = -1 }: ReadOptions = {}): Promise<readonly LogEntry[]> {
    const from = after === undefined ? 0 : Number(after);
    if (Number.isNaN(from) || this.#query(SQL.log, log, this.#now()).length === 0) return [];
    return this.#query(SQL.read, log, from, limit).map((row) => {
      const { position, value } = row as { position: number; value: string };
      return { position: String(position), value: JSON.parse(value) as Json };
    });
  }

  async deleteLog(log: string): Promise<void> {
    this.#atOnce(() => {
      this.#run(SQL.removeEntries, log);
      this.#run(SQL.removeLog, log);
    });
  }

  async publish(channel: string, message: Json): Promise<void> {
    this.#messages.publish(channel, JSON.stringify(message), this.isShared);
  }

  async subscribe(channel: string, onmessage: (message: Json) => void): Promise<() => Promise<void>> {
    const end = this.#messages.subscribe(channel, onmessage);
    return async () => end();
  }

  async close(): Promise<void> {
    this.#messages.close();
    for (const statement of this.#statements.values()) statement.finalize?.();
    this.#statements.clear();
    this.#onclose();
  }

  #record(key: string): { value: string; version: string; expires_at: number } | undefined {
    const [row] = this.#query(SQL.get, key, this.#now());
    return row as { value: string; version: string; expires_at: number } | undefined;
  }

  #prepare(sql: string): SqliteStatement {
    let statement = this.#statements.get(sql);
    if (statement === undefined) this.#statements.set(sql, (statement = this.#database.prepare(sql)));
    return statement;
  }

  #query(sql: string, ...values: SqliteValue[]): unknown[] {
    return this.#guard(() => this.#prepare(sql).all(...values));
  }

  /** For statements without rows: some drivers insist on the difference. */
  #run(sql: string, ...values: SqliteValue[]): void {
    this.#guard(() => this.#prepare(sql).run(...values));
  }

  /** Runs a function in a transaction: all of it or nothing. */
  #atOnce<T>(run: () => T): T {
    this.#guard(() => this.#database.exec('BEGIN IMMEDIATE'));
    try {
      const result = run();
      this.#guard(() => this.#database.exec('COMMIT'));
      return result;
    } catch (error) {
      this.#guard(() => this.#database.exec('ROLLBACK'));
      throw error;
    }
  }

  #guard<T>(run: () => T): T {
    try {
      return run();
    } catch (error) {
      throw new StoreUnavailableError(error);
    }
  }

  #expiry(ttlMs: number | undefined): number {
    return ttlMs === undefined ? NEVER : Math.min(NEVER, Math.ceil(this.#now() + ttlMs));
  }

  #sweep(): void {
    const now = this.#now();
    if (now - this.#sweptAt < this.#sweepMs) return;
    this.#sweptAt = now;
    this.#run(SQL.sweepRecords, now);
    this.#atOnce(() => {
      this.#run(SQL.sweepEntries, now);
      this.#run(SQL.sweepLogs, now);
    });
    this.#messages.sweep();
  }
}

/** An upper bound of the texts that begin with the prefix. */
function behindAll(prefix: string): string {
  return `${prefix}\u{10FFFF}`;
}
