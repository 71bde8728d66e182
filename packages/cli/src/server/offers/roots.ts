import { access, constants } from 'node:fs/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { InboxItem } from '@crosspoint/host';
import type { ResultOf } from '../operations.ts';
import type { Work } from '../work.ts';
import { connectedClient } from './connected-client.ts';
import type { ListedRoot } from './offer-operations.ts';

/** Folders that the user has typed: the server may be told of them without another question. */
export class TypedFolders {
  readonly #uris = new Set<string>();

  add(folders: readonly string[]): void {
    for (const folder of folders) this.#uris.add(pathToFileURL(folder).href);
  }

  /** Whether a question is about such folders alone. */
  areAllOf(item: InboxItem): boolean {
    return item.kind === 'roots' && item.question.roots.every(({ uri }) => this.#uris.has(uri));
  }
}

export async function listRoots({ host, server }: Work<'roots.list'>): Promise<ResultOf<'roots.list'>> {
  const roots = host.roots.all(server).map(async ({ uri }): Promise<ListedRoot> => {
    const isReadable = await access(fileURLToPath(uri), constants.R_OK).then(
      () => true,
      () => false,
    );
    return { uri, isReadable };
  });
  return { roots: await Promise.all(roots) };
}

export async function setRoots(work: Work<'roots.set'>): Promise<ResultOf<'roots.set'>> {
  const { host, server, params, state } = work;
  const client = await connectedClient(work);
  const known = new Set(host.roots.all(server).map(({ uri }) => uri));
  const wanted = params.folders.map((folder) => pathToFileURL(folder).href);
  const isSame = wanted.length === known.size && wanted.every((uri) => known.has(uri));
  state.folders.add(params.folders.filter((_, at) => !known.has(wanted[at] ?? '')));
  if (!isSame) await host.roots.set(server, params.folders);
  const { roots } = await listRoots({ ...work, params: {} });
  return { roots, isTold: !isSame && client.family === 'handshake' };
}
