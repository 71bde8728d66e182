import { visibleLine } from '../../values/visible-text.ts';
import { sourcePointer } from '../formats/shapes.ts';
import { hideSecrets } from '../hidden-values.ts';
import { DIALECTS } from '../interpolation/dialects.ts';
import { placedTexts } from '../interpolation/resolve-entry.ts';
import { mapReferences, parseTemplate, shownSource } from '../interpolation/template.ts';
import type { Origin, ServerEntry } from '../server-entry.ts';

/** One value of an entry and the place it was read from. */
export interface FieldDescription {
  /** JSON pointer into the file. */
  readonly pointer: string;
  /** The value as it was written, on one line; secrets are hidden. */
  readonly shown: string;
  /** The references in it, such as `${env:HOME}`. */
  readonly references: readonly string[];
}

export interface EntryDescription {
  readonly name: string;
  readonly origin: Origin;
  readonly fields: readonly FieldDescription[];
}

/**
 * Says where each value of an entry was read from, before anything is expanded. Values of secrets are not in it.
 *
 * ```ts
 * for (const { pointer, shown } of describeEntry(entry).fields) console.log(pointer, shown);
 * ```
 */
export function describeEntry(entry: ServerEntry): EntryDescription {
  const dialect = DIALECTS[entry.origin.format];
  const texts = placedTexts(entry.reach).map((placed) => ({
    pointer: sourcePointer(entry, placed.path),
    shown: visibleLine(mapReferences(hideSecrets(placed), shownSource)),
    references: parseTemplate(placed.text, dialect).flatMap((part) =>
      'source' in part ? [shownSource(part.source)] : [],
    ),
  }));
  const members = (['isDisabled', 'timeoutMs', 'alwaysLoad', 'roots', 'isTrusted'] as const).flatMap((member) =>
    entry[member] === undefined
      ? []
      : [
          {
            pointer: sourcePointer(entry, [member]),
            shown: visibleLine(JSON.stringify(entry[member])),
            references: [],
          },
        ],
  );
  return { name: entry.name, origin: entry.origin, fields: [...texts, ...members] };
}
