/** A value bound to a statement. */
export type SqliteValue = string | number | null;

/** A prepared statement, as `node:sqlite`, `@photostructure/sqlite`, `bun:sqlite` and `better-sqlite3` have it. */
export interface SqliteStatement {
  run(...values: SqliteValue[]): unknown;
  /** Every row as an object by the names of its columns. */
  all(...values: SqliteValue[]): unknown[];
  /** Frees the statement, in drivers that need to be told. */
  finalize?(): unknown;
}

/** Statements of a store, run by their text. */
export interface SqliteStatements {
  query(sql: string, ...values: SqliteValue[]): unknown[];
  run(sql: string, ...values: SqliteValue[]): void;
}

/**
 * The part of a SQLite driver that the store uses: synchronous, SQLite 3.35 or later, with the locks of the operating system, which a process that
 * is killed cannot leave behind. On Node 20 `new DatabaseSync(path)` of `@photostructure/sqlite` (release 1) fits.
 */
export interface SqliteDatabase {
  exec(sql: string): unknown;
  prepare(sql: string): SqliteStatement;
}

type Opened = SqliteDatabase & { close(): void };
type OpenDatabase = new (path: string) => Opened;

/** Opens a file with the runtime's own SQLite. On a runtime without one, the error says what to do. */
export async function openBuiltIn(path: string): Promise<Opened> {
  const isBun = 'Bun' in globalThis;
  // The module's name is not a literal in `import`, so that no bundler looks for a module that its target lacks.
  const name = isBun ? 'bun:sqlite' : 'node:sqlite';
  let found: Record<string, unknown>;
  try {
    found = (await import(/* @vite-ignore */ name)) as Record<string, unknown>;
  } catch (cause) {
    throw new TypeError(
      `This runtime has no ${name}, which Node has from 22.13 on. On Node 20 install @photostructure/sqlite@1 and call sqliteStore(new DatabaseSync(path)) with its DatabaseSync.`,
      { cause },
    );
  }
  const Database = found[isBun ? 'Database' : 'DatabaseSync'] as OpenDatabase;
  return new Database(path);
}
