import { resolve } from 'node:path';
import { visibleLine } from '@crosspoint/host';
import { problemLine, type FileFormatId, type LostField } from '@crosspoint/host/config';
import { convertServers } from '../../configuration/convert-servers.ts';
import { FORMAT_WORDS, type SourceFile } from '../../configuration/read-source.ts';
import type { CommandContext } from '../../context.ts';
import { CliError } from '../../errors/cli-error.ts';
import { writePrivateFile } from '../../place/edit-file.ts';

export interface ConvertWords {
  readonly to: string | undefined;
  readonly output: string | undefined;
  readonly 'with-secrets': boolean;
  readonly names: readonly string[] | undefined;
}

/** Prints or writes a configuration in another format, and tells every field that is lost. */
export async function printConverted(source: SourceFile, words: ConvertWords, context: CommandContext): Promise<void> {
  const { io, output, globals } = context;
  const to = formatOf(words.to);
  if (words['with-secrets'] && words.output === undefined)
    throw new CliError('usage', '--with-secrets needs --output FILE: secrets are not printed.');
  const converted = convertServers(source, {
    to,
    withSecrets: words['with-secrets'],
    names: words.names,
    folder: io.cwd,
  });
  const { text, lost, problems } = converted;
  const file = words.output === undefined ? undefined : resolve(io.cwd, words.output);
  if (file !== undefined) await writePrivateFile(file, text);
  const isWhole = globals.json || file !== undefined;
  if (!globals.json) {
    for (const problem of problems) output.note(problemLine(problem));
    for (const one of lost) output.note(lostLine(one));
  }
  const document = file === undefined ? { document: JSON.parse(text) as unknown } : { file };
  const told = { format: to, ...document, lost, problems };
  if (isWhole) output.result(told, () => `Written to ${file ?? ''}. ${lost.length} fields are lost.`);
  else output.bytes(Buffer.from(text));
}

export function lostLine({ pointer, why }: LostField): string {
  return visibleLine(`lost ${pointer}: ${why}`);
}

function formatOf(word: string | undefined): FileFormatId {
  const format = FORMAT_WORDS.find((one) => one === word);
  if (format !== undefined) return format;
  throw new CliError('usage', `--to is missing: the format to write, one of ${FORMAT_WORDS.join(', ')}.`);
}
