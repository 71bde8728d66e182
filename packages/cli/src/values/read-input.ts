import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { CliError } from '../errors/cli-error.ts';
import type { Io } from '../output/io.ts';

/** The text of a file; of stdin for `-`. Nothing else reads stdin, so that a command never waits for it unasked. */
export async function readInput(
  file: string,
  { stdin, cwd, isShared }: Pick<Io, 'stdin' | 'cwd' | 'isShared'>,
): Promise<string> {
  if (file === '-' && isShared === true)
    throw new CliError('usage', 'stdin belongs to the shell, so "-" cannot be read.', { hint: 'Name a file.' });
  if (file === '-') return text(stdin);
  return readFile(resolve(cwd, file), 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new CliError('usage', `The file ${file} cannot be read (${error.code ?? error.message}).`);
  });
}
