import process from 'node:process';
import { openSqliteStore, sqliteStore } from 'crosspoint/stores/sqlite';

/** Opens a file with the driver that docs/stores.md names for this runtime. Closing the store closes the file. */
export async function openRecommended(path) {
  if (!process.versions.node.startsWith('20.')) return openSqliteStore(path);
  const { DatabaseSync } = await import('@photostructure/sqlite');
  const database = new DatabaseSync(path);
  const store = sqliteStore(database);
  const close = store.close.bind(store);
  return Object.assign(store, { close: () => close().then(() => database.close()) });
}
