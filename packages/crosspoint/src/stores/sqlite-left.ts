import type { LeftBehindOptions } from './left-behind.ts';
import type { SqliteStatements, SqliteValue } from './sqlite-driver.ts';

/** A whole number; drivers differ in its type. */
type Whole = number | bigint;

const RECORD = 0;
const LOG = 1;

/** Bytes in the file beside the text itself, roughly. */
const RECORD_BYTES = 200;
const ENTRY_BYTES = 60;
const MIB = 1024 * 1024;

/**
 * One row for each record and log that a caller has left behind, the newest last. Triggers keep the sums right, whatever deletes a record. A record that
 * is written again counts for no caller until `record` is called.
 */
export const LEFT_SCHEMA: readonly string[] = [
  `CREATE TABLE IF NOT EXISTS crosspoint_left (
    id INTEGER PRIMARY KEY, kind INTEGER NOT NULL, name TEXT NOT NULL, caller TEXT NOT NULL, bytes INTEGER NOT NULL, UNIQUE (kind, name)
  )`,
  'CREATE INDEX IF NOT EXISTS crosspoint_left_caller ON crosspoint_left (caller, id)',
  'CREATE TABLE IF NOT EXISTS crosspoint_callers (caller TEXT PRIMARY KEY, bytes INTEGER NOT NULL) WITHOUT ROWID',
  'CREATE INDEX IF NOT EXISTS crosspoint_callers_bytes ON crosspoint_callers (bytes)',
  'CREATE TABLE IF NOT EXISTS crosspoint_left_sum (id INTEGER PRIMARY KEY CHECK (id = 1), bytes INTEGER NOT NULL)',
  'INSERT OR IGNORE INTO crosspoint_left_sum (id, bytes) VALUES (1, 0)',
  `CREATE TRIGGER IF NOT EXISTS crosspoint_left_added AFTER INSERT ON crosspoint_left BEGIN
    INSERT INTO crosspoint_callers (caller, bytes) VALUES (NEW.caller, NEW.bytes)
      ON CONFLICT (caller) DO UPDATE SET bytes = bytes + excluded.bytes;
    UPDATE crosspoint_left_sum SET bytes = bytes + NEW.bytes;
  END`,
  `CREATE TRIGGER IF NOT EXISTS crosspoint_left_removed AFTER DELETE ON crosspoint_left BEGIN
    UPDATE crosspoint_callers SET bytes = bytes - OLD.bytes WHERE caller = OLD.caller;
    DELETE FROM crosspoint_callers WHERE caller = OLD.caller AND bytes <= 0;
    UPDATE crosspoint_left_sum SET bytes = bytes - OLD.bytes;
  END`,
  `CREATE TRIGGER IF NOT EXISTS crosspoint_record_removed AFTER DELETE ON crosspoint_records BEGIN
    DELETE FROM crosspoint_left WHERE kind = ${RECORD} AND name = OLD.key;
  END`,
  `CREATE TRIGGER IF NOT EXISTS crosspoint_record_written AFTER UPDATE OF value ON crosspoint_records BEGIN
    DELETE FROM crosspoint_left WHERE kind = ${RECORD} AND name = NEW.key;
  END`,
  `CREATE TRIGGER IF NOT EXISTS crosspoint_log_removed AFTER DELETE ON crosspoint_logs BEGIN
    DELETE FROM crosspoint_left WHERE kind = ${LOG} AND name = OLD.log;
  END`,
];

const SQL = {
  add: 'INSERT INTO crosspoint_left (kind, name, caller, bytes) VALUES (?, ?, ?, ?)',
  remove: 'DELETE FROM crosspoint_left WHERE kind = ? AND name = ?',
  find: 'SELECT caller, bytes FROM crosspoint_left WHERE kind = ? AND name = ?',
  oldest: 'SELECT id, kind, name FROM crosspoint_left WHERE caller = ? ORDER BY id LIMIT 1',
  putBack: 'INSERT INTO crosspoint_left (id, kind, name, caller, bytes) VALUES (?, ?, ?, ?, ?)',
  bytesOf: 'SELECT bytes FROM crosspoint_callers WHERE caller = ?',
  sum: 'SELECT bytes FROM crosspoint_left_sum',
  most: 'SELECT caller FROM crosspoint_callers ORDER BY bytes DESC LIMIT 1',
  dropRecord: 'DELETE FROM crosspoint_records WHERE key = ?',
  dropLog: 'DELETE FROM crosspoint_logs WHERE log = ?',
  dropEntries: 'DELETE FROM crosspoint_entries WHERE log = ?',
  measure: 'SELECT count(*) AS entries, coalesce(sum(length(value)), 0) AS bytes FROM crosspoint_entries WHERE log = ?',
  halve: `DELETE FROM crosspoint_entries WHERE log = ? AND position <=
    (SELECT position FROM crosspoint_entries WHERE log = ? ORDER BY position LIMIT 1 OFFSET ?)`,
  setEntries: 'UPDATE crosspoint_logs SET entries = ? WHERE log = ?',
} as const;

/** Counts what callers leave behind in the file, across all processes that share it. Every method runs inside a transaction of the store. */
export class SqliteLeft {
  readonly #statements: SqliteStatements;
  readonly #max: number;
  readonly #maxPerCaller: number;

  constructor(
    statements: SqliteStatements,
    { maxBytes = 256 * MIB, maxBytesPerCaller = maxBytes / 4 }: LeftBehindOptions,
  ) {
    this.#statements = statements;
    this.#max = maxBytes;
    this.#maxPerCaller = maxBytesPerCaller;
  }

  /** Counts a record that a caller has just written; writing it has removed any earlier count. */
  record(key: string, text: string, caller: string): void {
    this.#count(RECORD, key, caller, RECORD_BYTES + key.length + text.length);
  }

  /** Counts an entry that a caller has added to a log, or with which it began one. */
  entry(log: string, text: string, leftBy: string, isFirst: boolean): void {
    const [found] = isFirst ? [] : (this.#statements.query(SQL.find, LOG, log) as { caller: string; bytes: Whole }[]);
    this.#statements.run(SQL.remove, LOG, log);
    const bytes = found ? Number(found.bytes) + ENTRY_BYTES + text.length : this.#measure(log).bytes;
    this.#count(LOG, log, found?.caller ?? leftBy, bytes);
  }

  /** Counts a log anew, its newest entry included, after others were removed; false for a log that is not counted. */
  trimmed(log: string): boolean {
    const [found] = this.#statements.query(SQL.find, LOG, log) as { caller: string }[];
    if (found === undefined) return false;
    this.#statements.run(SQL.remove, LOG, log);
    this.#count(LOG, log, found.caller, this.#measure(log).bytes);
    return true;
  }

  #count(kind: number, name: string, caller: string, bytes: number): void {
    this.#statements.run(SQL.add, kind, name, caller, bytes);
    while (this.#number(SQL.bytesOf, caller) > this.#maxPerCaller) this.#shed(caller);
    while (this.#number(SQL.sum) > this.#max) {
      const [most] = this.#statements.query(SQL.most) as { caller: string }[];
      if (most === undefined) return;
      this.#shed(most.caller);
    }
  }

  /** Drops the oldest record of a caller, or half of its oldest log. */
  #shed(caller: string): void {
    const [oldest] = this.#statements.query(SQL.oldest, caller) as { id: Whole; kind: Whole; name: string }[];
    if (oldest === undefined) return;
    const { id, kind, name } = oldest;
    if (Number(kind) === RECORD) return this.#statements.run(SQL.dropRecord, name);
    const { entries } = this.#measure(name);
    if (entries > 1) this.#statements.run(SQL.halve, name, name, Math.floor(entries / 2) - 1);
    else this.#statements.run(SQL.dropEntries, name);
    if (entries <= 1) return this.#statements.run(SQL.dropLog, name);
    const rest = this.#measure(name);
    this.#statements.run(SQL.setEntries, rest.entries, name);
    this.#statements.run(SQL.remove, LOG, name);
    // In its place: the rest of the log goes before anything newer.
    this.#statements.run(SQL.putBack, Number(id), LOG, name, caller, rest.bytes);
  }

  #measure(log: string): { entries: number; bytes: number } {
    const [row] = this.#statements.query(SQL.measure, log) as { entries: Whole; bytes: Whole }[];
    const entries = Number(row?.entries ?? 0);
    return { entries, bytes: RECORD_BYTES + log.length + ENTRY_BYTES * entries + Number(row?.bytes ?? 0) };
  }

  #number(sql: string, ...values: SqliteValue[]): number {
    const [row] = this.#statements.query(sql, ...values) as { bytes: Whole }[];
    return Number(row?.bytes ?? 0);
  }
}
