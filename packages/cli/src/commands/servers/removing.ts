import type { CommandContext } from '../../context.ts';
import { editOwn, forgetServer } from './keep.ts';

export interface RemovedServers {
  readonly removed: readonly string[];
  readonly file: string;
  /** Names of the secrets that went with them. */
  readonly secrets: readonly string[];
}

/** Removes servers from the user's configuration; none of them where one does not exist. */
export async function removeServers(names: readonly string[], context: CommandContext): Promise<RemovedServers> {
  const { configFile } = context.home;
  const { forgotten } = await editOwn(context, (servers) => {
    for (const name of names) if (!servers.has(name)) servers.entry(name, configFile);
    for (const name of names) servers.remove(name);
  });
  for (const name of names) await forgetServer(name, context, true);
  return { removed: names, file: configFile, secrets: forgotten };
}
