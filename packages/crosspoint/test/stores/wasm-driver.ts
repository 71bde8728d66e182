import sqlite from 'node-sqlite3-wasm';
import type { SqliteDatabase } from '../../src/stores/sqlite.ts';

/** A driver that takes its values as a list. */
export function openWasm(path: string): { database: SqliteDatabase; close: () => void } {
  const opened = new sqlite.Database(path);
  return {
    database: {
      exec: (sql) => opened.exec(sql),
      prepare(sql) {
        const statement = opened.prepare(sql);
        return {
          run: (...values) => statement.run(values),
          all: (...values) => statement.all(values),
          finalize: () => statement.finalize(),
        };
      },
    },
    close: () => opened.close(),
  };
}
