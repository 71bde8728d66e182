import type { DatabaseSyncInstance } from '@photostructure/sqlite';

/** The part of a database that the explorer uses. */
export interface Database {
  all(sql: string): Record<string, unknown>[];
  close(): void;
}

/** Opens a file for reading alone. */
export async function openDatabase(path: string): Promise<Database> {
  const database = await openFile(path, { readOnly: true });
  return { all: (sql) => database.prepare(sql).all(), close: () => database.close() };
}

/** Opens a file with `node:sqlite` where the runtime has it, else, on Node 20, with the package that has the same API. */
export async function openFile(path: string, options: { readonly readOnly?: boolean }): Promise<DatabaseSyncInstance> {
  const name: string = 'node:sqlite';
  const { DatabaseSync } = await import(name).catch(() => import('@photostructure/sqlite'));
  return new DatabaseSync(path, options);
}
