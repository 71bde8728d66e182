import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { CliError } from '../errors/cli-error.ts';

/** The whole paths of folders that were typed. Rejects for one that is no folder. */
export async function readFolders(where: string, words: readonly string[], cwd: string): Promise<readonly string[]> {
  const paths = words.map((word) => resolve(cwd, word));
  for (const path of paths) {
    const isFolder = await stat(path).then(
      (found) => found.isDirectory(),
      () => false,
    );
    if (!isFolder) throw new CliError('usage', `${where}: there is no folder ${path}.`);
  }
  return paths;
}
