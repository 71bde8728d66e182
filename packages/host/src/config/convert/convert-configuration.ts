import { detectFormat } from '../formats/detect-format.ts';
import type { FileFormatId, FilePlace } from '../formats/format.ts';
import { FILE_FORMATS } from '../formats/formats.ts';
import { sourcePointer } from '../formats/shapes.ts';
import { DIALECTS } from '../interpolation/dialects.ts';
import type { LostField, Problem } from '../problem.ts';
import type { ServerEntry } from '../server-entry.ts';
import { withTexts, type ReachText } from '../texts.ts';
import { Translator } from './translate-texts.ts';

/** A configuration to convert. */
export interface ConvertSource extends FilePlace {
  readonly text: string;
  /** Found from the path and the content when absent. */
  readonly format?: FileFormatId;
}

export interface Converted {
  readonly text: string;
  /** Every field that is not in `text`, or not with the same meaning. */
  readonly lost: readonly LostField[];
  /** Problems of the text that was read. */
  readonly problems: readonly Problem[];
}

/**
 * Writes a configuration in another format, references in its spelling, and lists every field that is lost. Nothing is expanded, and no value of the
 * file is in `lost` or `problems`. A reference that has no spelling there is left out with its field, or with its server where the server cannot be
 * without it: it would be sent as it stands. Throws `TypeError` when the format cannot be told.
 *
 * ```ts
 * const { text, lost } = convertConfiguration({ text: await readFile('.vscode/mcp.json', 'utf8'), format: 'vscode' }, 'claude-code');
 * ```
 */
export function convertConfiguration(source: ConvertSource, to: FileFormatId): Converted {
  const format = source.format ?? detectFormat(source.file, source.text);
  if (format === undefined)
    throw new TypeError(
      'The format of the configuration cannot be told from its path and its content: name it with `format`.',
    );
  const { problems, ...document } = FILE_FORMATS[format].read(source.text, source);
  const translator = new Translator(DIALECTS[format], DIALECTS[to], document.inputs);
  const lost: LostField[] = [];
  const entries = document.entries.flatMap((entry) => translated(entry, translator, lost) ?? []);
  const written = FILE_FORMATS[to].write({ ...document, entries });
  return { text: written.text, lost: [...lost, ...written.lost], problems };
}

/** Fields without which a server is not the same. */
const NEEDED = ['command', 'args', 'url'];

function translated(entry: ServerEntry, translator: Translator, lost: LostField[]): ServerEntry | undefined {
  const { name: server } = entry;
  const needed: LostField[] = [];
  const others: LostField[] = [];
  let isWhole = true;
  const reach = withTexts(entry.reach, ({ path, text }: ReachText): string | undefined => {
    const translation = translator.translate(text);
    const isLeftOut = translation.text === undefined;
    const isNeeded = NEEDED.includes(String(path[0]));
    isWhole &&= !(isLeftOut && isNeeded);
    const ending = isLeftOut && !isNeeded ? ' The field is left out.' : '';
    for (const why of translation.lost)
      (isNeeded ? needed : others).push({ pointer: sourcePointer(entry, path), server, why: `${why}${ending}` });
    return translation.text;
  });
  lost.push(...needed, ...(isWhole ? others : []));
  if (isWhole) return { ...entry, reach };
  lost.push({
    pointer: sourcePointer(entry, []),
    server,
    why: 'The server is left out: it cannot be without these fields.',
  });
  return undefined;
}
