import { mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import { CliError } from '../errors/cli-error.ts';
import type { Home } from './home.ts';
import { openStoreFile, type StoreFile } from './store-file.ts';

/** Opens the store with approvals, trust, inputs and the audit log, which several commands may have open. */
export async function openStore(home: Home): Promise<StoreFile> {
  await mkdir(home.stateFolder, { recursive: true, mode: 0o700 });
  const file = join(home.stateFolder, 'host.db');
  // Made here for its mode: what was called and with which arguments is nobody else's business.
  try {
    await (await open(file, 'a', 0o600)).close();
    return await openStoreFile(file);
  } catch (error) {
    throw new CliError('internal', `The store ${file} cannot be opened.`, { cause: error });
  }
}

/** Does the work with the store, and closes it. */
export async function withStore<T>(home: Home, work: (store: StoreFile['store']) => Promise<T>): Promise<T> {
  const opened = await openStore(home);
  try {
    return await work(opened.store);
  } finally {
    await opened.close();
  }
}
