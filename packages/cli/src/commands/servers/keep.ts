import type { CommandContext } from '../../context.ts';
import { namedSecrets, type SecretToKeep } from '../../configuration/kept-secrets.ts';
import { editServers, type ServersText } from '../../configuration/servers-file.ts';
import { withStore } from '../../place/open-store.ts';
import { UserSecrets } from '../../place/user-secrets.ts';
import { VERSION } from '../../version.ts';

type Place = Pick<CommandContext, 'home' | 'io' | 'output'>;

/** Keeps the secrets of servers, before the file that names them is written. */
export async function keepSecrets(secrets: readonly SecretToKeep[], { home, io, output }: Place): Promise<void> {
  if (secrets.length === 0) return;
  const store = new UserSecrets(home, io.env);
  for (const { name, value } of secrets) await store.set(name, value);
  output.note(`Kept ${secrets.length === 1 ? 'a secret' : `${secrets.length} secrets`}. ${store.describe()}`);
}

/**
 * Forgets that a server was allowed, with its definitions: the user has changed it here, and is not asked about their own change. `isGone` forgets its inputs,
 * too.
 */
export async function forgetServer(name: string, { home, io }: Place, isGone: boolean): Promise<void> {
  const { Host } = await import('@crosspoint/host');
  await withStore(home, async (store) => {
    const host = new Host({ name: 'crosspoint', version: VERSION, store, secrets: new UserSecrets(home, io.env) });
    try {
      await host.forgetServer(name);
      if (isGone) await host.inputs.resetAll(name);
    } finally {
      await host.close();
    }
  });
}

export interface EditedServers<T> {
  readonly value: T;
  /** Names of secrets that no server needs any more, and that were forgotten. */
  readonly forgotten: readonly string[];
}

/** Edits the user's configuration, and forgets the secrets of servers that it names no longer. */
export async function editOwn<T>(place: Place, edit: (servers: ServersText) => T): Promise<EditedServers<T>> {
  const { value, gone } = await editServers(place.home, (servers) => {
    const before = namedSecrets(servers.text);
    const result = edit(servers);
    const after = new Set(namedSecrets(servers.text));
    return { value: result, gone: before.filter((name) => !after.has(name)) };
  });
  return { value, forgotten: await forgetSecrets(gone, place) };
}

async function forgetSecrets(names: readonly string[], { home, io, output }: Place): Promise<string[]> {
  const store = new UserSecrets(home, io.env);
  const gone: string[] = [];
  for (const name of names)
    try {
      if (await store.delete(name)) gone.push(name);
    } catch (error) {
      const why = error instanceof Error ? error.message : 'unknown error';
      output.note(`The secret ${name} is needed no longer, and could not be forgotten: ${why}`);
    }
  return gone;
}
