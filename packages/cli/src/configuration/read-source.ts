import { detectFormat, FILE_FORMATS, type ConfigScope, type FileFormatId } from '@crosspoint/host/config';
import { CliError } from '../errors/cli-error.ts';
import { readText } from '../place/edit-file.ts';

/** A configuration file of any program, with its text. */
export interface SourceFile {
  readonly file: string;
  readonly text: string;
  readonly format: FileFormatId;
  readonly scope: ConfigScope;
}

export const FORMAT_WORDS: readonly FileFormatId[] = Object.keys(FILE_FORMATS) as FileFormatId[];

/** Reads a file that the user names. `format` where its path and content do not say. */
export async function readSource(file: string, format: string | undefined): Promise<SourceFile> {
  const text = await readText(file);
  if (text === undefined) throw new CliError('usage', `There is no file ${file}.`);
  const found = FORMAT_WORDS.find((one) => one === format) ?? detectFormat(file, text);
  if (found === undefined)
    throw new CliError('usage', `The format of ${file} cannot be told from its path and content.`, {
      hint: `Name it with --format: ${FORMAT_WORDS.join(', ')}.`,
    });
  return { file, text, format: found, scope: 'user' };
}
