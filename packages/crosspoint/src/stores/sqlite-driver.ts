/** What is bound to a statement. */
export type SqliteValue = string | number | null;

/** A prepared statement, as `node:sqlite`, `bun:sqlite` and `better-sqlite3` have it. */
export interface SqliteStatement {
  run(...values: SqliteValue[]): unknown;
  /** Every row as an object by the names of its columns. */
  all(...values: SqliteValue[]): unknown[];
  /** For drivers that must be told when a statement is not needed any more. */
  finalize?(): unknown;
}

/** The little that the store asks of a driver. SQLite 3.35 or later; everything happens at once and in order. */
export interface SqliteDatabase {
  exec(sql: string): unknown;
  prepare(sql: string): SqliteStatement;
}

type Opened = SqliteDatabase & { close(): void };
type OpenDatabase = new (path: string) => Opened;

/** Opens a file with what the runtime brings along. Where it brings nothing the error says what to do. */
export async function openBuiltIn(path: string): Promise<Opened> {
  const isBun = 'Bun' in globalThis;
  // The names are not written where they are imported, so that no bundler looks for a module that its target lacks.
  const name = isBun ? 'bun:sqlite' : 'node:sqlite';
  let found: Record<string, unknown>;
  try {
    found = (await import(/* @vite-ignore */ name)) as Record<string, unknown>;
  } catch (cause) {
    throw new TypeError(
      `This runtime has no ${name}. Open the database with a driver of your own and hand it to sqliteStore.`,
      { cause },
    );
  }
  const Database = found[isBun ? 'Database' : 'DatabaseSync'] as OpenDatabase;
  return new Database(path);
}
