/** The part of a database that the explorer uses. */
export interface Database {
  all(sql: string): Record<string, unknown>[];
  close(): void;
}

/** Opens a file for reading alone: with `node:sqlite` where the runtime has it, else with the build of SQLite for WebAssembly. */
export async function openDatabase(path: string): Promise<Database> {
  const name: string = 'node:sqlite';
  const builtIn = await import(name).catch(() => undefined);
  if (builtIn !== undefined) {
    const database = new builtIn.DatabaseSync(path, { readOnly: true });
    return { all: (sql) => database.prepare(sql).all(), close: () => database.close() };
  }
  const { default: sqlite } = await import('node-sqlite3-wasm');
  const database = new sqlite.Database(path, { fileMustExist: true, readOnly: true });
  return { all: (sql) => database.all(sql), close: () => database.close() };
}
