import type { SqliteDatabase } from './sqlite-driver.ts';

/** The expiry of a record that never expires: the latest time that a `Date` can hold. */
export const NEVER = 8_640_000_000_000_000;

const MODE_ATTEMPTS = 20;

/** Sets how a connection waits for others and writes. Several processes may do so at once, with a file that is new to all of them. */
export function setModes(database: SqliteDatabase): void {
  // Wait for another process that is writing rather than fail; in WAL mode readers go on meanwhile.
  database.exec('PRAGMA busy_timeout = 2000');
  for (let attempt = 1; ; attempt += 1) {
    try {
      database.exec('PRAGMA journal_mode = WAL');
      break;
    } catch (error) {
      if (attempt === MODE_ATTEMPTS) throw error;
      // A change of the mode fails at once while another process writes. A transaction waits for that process.
      database.exec('BEGIN IMMEDIATE; COMMIT');
    }
  }
  database.exec('PRAGMA synchronous = NORMAL');
}

/** Statements that create the missing tables. Several processes may run them at once. */
export const SCHEMA: readonly string[] = [
  `CREATE TABLE IF NOT EXISTS crosspoint_records (
    key TEXT PRIMARY KEY, value TEXT NOT NULL, version TEXT NOT NULL, expires_at INTEGER NOT NULL
  ) WITHOUT ROWID`,
  'CREATE INDEX IF NOT EXISTS crosspoint_records_expiry ON crosspoint_records (expires_at)',
  `CREATE TABLE IF NOT EXISTS crosspoint_logs (
    log TEXT PRIMARY KEY, entries INTEGER NOT NULL, expires_at INTEGER NOT NULL
  ) WITHOUT ROWID`,
  `CREATE TABLE IF NOT EXISTS crosspoint_entries (
    position INTEGER PRIMARY KEY AUTOINCREMENT, log TEXT NOT NULL, value TEXT NOT NULL
  )`,
  'CREATE INDEX IF NOT EXISTS crosspoint_entries_log ON crosspoint_entries (log, position)',
  `CREATE TABLE IF NOT EXISTS crosspoint_messages (
    id INTEGER PRIMARY KEY AUTOINCREMENT, channel TEXT NOT NULL, message TEXT NOT NULL, sender TEXT NOT NULL, at INTEGER NOT NULL
  )`,
];

export const SQL = {
  get: 'SELECT value, version, expires_at FROM crosspoint_records WHERE key = ? AND expires_at > ?',
  put: `INSERT INTO crosspoint_records (key, value, version, expires_at) VALUES (?, ?, ?, ?)
    ON CONFLICT (key) DO UPDATE SET value = excluded.value, version = excluded.version, expires_at = excluded.expires_at`,
  putNew: `INSERT INTO crosspoint_records (key, value, version, expires_at) VALUES (?, ?, ?, ?)
    ON CONFLICT (key) DO UPDATE SET value = excluded.value, version = excluded.version, expires_at = excluded.expires_at WHERE crosspoint_records.expires_at <= ? RETURNING version`,
  swap: `UPDATE crosspoint_records SET value = ?, version = ?, expires_at = ?
    WHERE key = ? AND version = ? AND expires_at > ? RETURNING version`,
  touch: 'UPDATE crosspoint_records SET expires_at = ? WHERE key = ? AND expires_at > ? RETURNING version',
  remove: 'DELETE FROM crosspoint_records WHERE key = ? AND expires_at > ? RETURNING version',
  removeVersion: 'DELETE FROM crosspoint_records WHERE key = ? AND expires_at > ? AND version = ? RETURNING version',
  keys: 'SELECT key FROM crosspoint_records WHERE key >= ? AND key < ? AND key > ? AND expires_at > ? ORDER BY key LIMIT ?',
  count: 'SELECT count(*) AS found FROM crosspoint_records WHERE key >= ? AND key < ? AND expires_at > ?',

  log: 'SELECT entries FROM crosspoint_logs WHERE log = ? AND expires_at > ?',
  putLog: `INSERT INTO crosspoint_logs (log, entries, expires_at) VALUES (?, ?, ?)
    ON CONFLICT (log) DO UPDATE SET entries = excluded.entries, expires_at = excluded.expires_at`,
  append: 'INSERT INTO crosspoint_entries (log, value) VALUES (?, ?) RETURNING position',
  read: 'SELECT position, value FROM crosspoint_entries WHERE log = ? AND position > ? ORDER BY position LIMIT ?',
  trim: `DELETE FROM crosspoint_entries WHERE log = ? AND position <=
    (SELECT position FROM crosspoint_entries WHERE log = ? ORDER BY position DESC LIMIT 1 OFFSET ?)`,
  removeEntries: 'DELETE FROM crosspoint_entries WHERE log = ?',
  removeLog: 'DELETE FROM crosspoint_logs WHERE log = ?',

  publish: 'INSERT INTO crosspoint_messages (channel, message, sender, at) VALUES (?, ?, ?, ?)',
  lastMessage: 'SELECT coalesce(max(id), 0) AS id FROM crosspoint_messages',
  messages: 'SELECT id, channel, message FROM crosspoint_messages WHERE id > ? AND sender <> ? ORDER BY id LIMIT 1000',

  sweepRecords: 'DELETE FROM crosspoint_records WHERE expires_at <= ?',
  sweepEntries: 'DELETE FROM crosspoint_entries WHERE log IN (SELECT log FROM crosspoint_logs WHERE expires_at <= ?)',
  sweepLogs: 'DELETE FROM crosspoint_logs WHERE expires_at <= ?',
  sweepMessages: 'DELETE FROM crosspoint_messages WHERE at <= ?',
} as const;
