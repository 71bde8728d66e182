import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { memoryStore, type Store } from 'crosspoint/stores';
import type { StoreChoice } from './bridge-command.ts';
import { ProgramError } from './program-error.ts';
import type { SourceReader } from './source-reader.ts';
import { errorMessage } from '../values/guarded.ts';

export interface OpenedStore {
  readonly store: Store;
  close(): Promise<void>;
}

/** Opens the store that was chosen. Rejects with a `ProgramError` when that is not possible. */
export async function openStore(
  choice: StoreChoice,
  sources: SourceReader,
  onproblem: (problem: Error) => void,
): Promise<OpenedStore> {
  switch (choice.kind) {
    case 'memory': {
      const store = memoryStore();
      return { store, close: () => store.close() };
    }
    case 'sqlite':
      return openSqlite(resolve(choice.path));
    case 'redis':
      return openRedis(sources.read('--store redis', choice.url), onproblem);
  }
}

async function openSqlite(path: string): Promise<OpenedStore> {
  if (!existsSync(dirname(path)))
    throw new ProgramError(`--store sqlite: the folder "${dirname(path)}" does not exist. Make it first.`);
  const { openSqliteStore, sqliteStore } = await import('crosspoint/stores/sqlite');
  try {
    if (hasBuiltInSqlite()) {
      const store = await openSqliteStore(path);
      return { store, close: () => store.close() };
    }
    const { DatabaseSync } = await import('@photostructure/sqlite').catch(() => {
      throw new ProgramError(
        '--store sqlite: this Node has no SQLite. Use Node 22.13 or later, or: npm install @photostructure/sqlite@1',
      );
    });
    const database = new DatabaseSync(path);
    const store = sqliteStore(database);
    const close = async (): Promise<void> => {
      await store.close();
      database.close();
    };
    return { store, close };
  } catch (error) {
    if (error instanceof ProgramError) throw error;
    const reason = errorMessage(error);
    throw new ProgramError(`--store sqlite: "${path}" cannot be opened: ${reason}`, { cause: error });
  }
}

function hasBuiltInSqlite(): boolean {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  return major > 22 || (major === 22 && minor >= 13);
}

async function openRedis(url: string, onproblem: (problem: Error) => void): Promise<OpenedStore> {
  if (!URL.canParse(url) || !/^rediss?:\/\//.test(url))
    throw new ProgramError('--store redis: the address must begin with redis:// or rediss://.');
  const { createClient } = await import('@redis/client').catch(() => {
    throw new ProgramError('--store redis: the package @redis/client is missing: npm install @redis/client');
  });
  const { redisStore } = await import('crosspoint/stores/redis');
  const client = createClient({ url });
  const store = redisStore(client, { onproblem });
  const close = async (): Promise<void> => {
    await store.close();
    client.destroy();
  };
  // The first use connects. Done now, so that a wrong address is found at the start.
  await store.get('bridge/started').catch(async (error: unknown) => {
    await close().catch(() => {});
    throw new ProgramError('--store redis: Redis cannot be reached at the address that was given.', { cause: error });
  });
  return { store, close };
}
