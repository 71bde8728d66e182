import type { Store } from 'crosspoint/stores';
import { openSqliteStore, sqliteStore } from 'crosspoint/stores/sqlite';

export interface StoreFile {
  readonly store: Store;
  close(): Promise<void>;
}

/** Opens a SQLite file: with Node's own SQLite from 22.13 on, otherwise with that of a package. Several processes may have it open. */
export async function openStoreFile(path: string): Promise<StoreFile> {
  if (hasSqlite()) {
    const store = await openSqliteStore(path);
    return { store, close: () => store.close() };
  }
  const { DatabaseSync } = await import('@photostructure/sqlite');
  const database = new DatabaseSync(path);
  const store = sqliteStore(database);
  return {
    store,
    async close() {
      await store.close();
      database.close();
    },
  };
}

function hasSqlite(): boolean {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  return major > 22 || (major === 22 && minor >= 13);
}
