import { resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { CommandContext } from '../../context.ts';
import { CliError } from '../../errors/cli-error.ts';
import { readFolders } from '../../place/read-folders.ts';
import type { ListedRoot } from '../../server/offers/offer-operations.ts';
import { withKept } from '../../server/with-kept.ts';

export async function listFolders(name: string, context: CommandContext): Promise<void> {
  const { roots } = await withKept(name, context, (server) => server.request('roots.list', {}));
  context.output.result({ roots }, () => rootsText(roots));
}

export async function addFolders(name: string, words: readonly string[], context: CommandContext): Promise<void> {
  const added = await readFolders('FOLDER', words, context.io.cwd);
  await change(name, context, (folders) => [...new Set([...folders, ...added])]);
}

export async function removeFolders(name: string, words: readonly string[], context: CommandContext): Promise<void> {
  const { cwd } = context.io;
  const uris = words.map((word) => (word.startsWith('file:') ? word : pathToFileURL(resolve(cwd, word)).href));
  await change(name, context, (folders) => {
    const there = folders.map((folder) => pathToFileURL(folder).href);
    const missing = uris.find((uri) => !there.includes(uri));
    if (missing !== undefined)
      throw new CliError('usage', `${missing} is not among the folders of "${name}". Nothing was changed.`, {
        hint: `crosspoint roots ls ${name} lists them.`,
        mistyped: { word: missing, among: there },
      });
    return folders.filter((_, at) => !uris.includes(there[at] ?? ''));
  });
}

async function change(
  name: string,
  context: CommandContext,
  changed: (folders: readonly string[]) => readonly string[],
): Promise<void> {
  const told = await withKept(name, context, async (server) => {
    const { roots } = await server.request('roots.list', {});
    return server.request('roots.set', { folders: changed(roots.map(({ uri }) => fileURLToPath(uri))) });
  });
  context.output.result(told, () =>
    [rootsText(told.roots), ...(told.isTold ? ['The server was told that its folders have changed.'] : [])].join('\n'),
  );
}

function rootsText(roots: readonly ListedRoot[]): string {
  if (roots.length === 0) return 'The server may ask for no folder.';
  return roots
    .map(({ uri, isReadable }) => `${uri}${isReadable ? '' : ' (cannot be read now, so it is not told)'}`)
    .join('\n');
}
