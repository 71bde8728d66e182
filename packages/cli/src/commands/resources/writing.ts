import { open, stat, type FileHandle } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { ReadResourceResult } from 'crosspoint/client';
import type { CommandContext } from '../../context.ts';
import { CliError } from '../../errors/cli-error.ts';
import type { Io } from '../../output/io.ts';

/** Where contents go: a file, or stdout. */
export interface Destination {
  /** Whole path; `undefined` for stdout. */
  readonly file: string | undefined;
  readonly isReplaced: boolean;
}

/** The destination of `--out`. Rejects, before anything is read, where nothing may be written there. */
export async function prepareFile(word: string, isReplaced: boolean, { cwd, stdout }: Io): Promise<Destination> {
  if (word === '-') {
    if (stdout.isTTY) throw new CliError('usage', '--out -: stdout is a terminal, which would act on the bytes.');
    return { file: undefined, isReplaced };
  }
  const file = resolve(cwd, word);
  const there = await stat(file).catch(() => undefined);
  if (there !== undefined && (!isReplaced || !there.isFile()))
    throw new CliError('usage', `--out: ${file} exists. Nothing was read or written.`, {
      ...(there.isFile() && { hint: 'Choose another file, or add --replace.' }),
    });
  return { file, isReplaced };
}

/** Writes the one content of a resource as it is. */
export async function writeContent(
  { contents }: ReadResourceResult,
  { file, isReplaced }: Destination,
  { output }: CommandContext,
): Promise<void> {
  const [content] = contents;
  if (content === undefined || contents.length > 1)
    throw new CliError(
      'failed',
      `The resource has ${contents.length} contents, and --out writes one. Nothing was written.`,
      {
        hint: 'Without --out, all of them are in the JSON.',
      },
    );
  const bytes = bytesOf(content);
  if (file === undefined) return output.bytes(bytes);
  await written(file, isReplaced, (handle) => handle.writeFile(bytes));
  const { uri, mimeType } = content;
  const told = { file, uri, ...(mimeType !== undefined && { mimeType }), bytes: bytes.length };
  output.result(told, () => `${bytes.length} bytes are in ${file}.`);
}

function bytesOf(content: ReadResourceResult['contents'][number]): Uint8Array {
  if ('text' in content) return Buffer.from(content.text, 'utf8');
  const { blob } = content;
  const bytes = Buffer.from(blob, 'base64');
  const again = bytes.toString('base64');
  // The padding at the end may be left out.
  if (!again.startsWith(blob) || !['', '=', '=='].includes(again.slice(blob.length)))
    throw new CliError('invalid', 'The bytes of the resource are no base64. Nothing was written.');
  return bytes;
}

async function written(file: string, isReplaced: boolean, work: (handle: FileHandle) => Promise<void>): Promise<void> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(file, isReplaced ? 'w' : 'wx');
    await work(handle);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new CliError('usage', `--out: ${file} cannot be written (${code ?? message}).`);
  } finally {
    await handle?.close();
  }
}
