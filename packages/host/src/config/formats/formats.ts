import type { FileFormat, FileFormatId } from './format.ts';
import { readFileText } from './read-file.ts';
import type { FormatShape } from './shape.ts';
import { SHAPES } from './shapes.ts';
import { writeFileText } from './write-file.ts';

function fileFormat(shape: FormatShape): FileFormat {
  return {
    id: shape.id,
    title: shape.title,
    read: (text, place = {}) => readFileText(shape, text, place),
    write: (document) => writeFileText(shape, document),
  };
}

/**
 * The formats of configuration files, by name.
 *
 * ```ts
 * const { entries, problems } = FILE_FORMATS.vscode.read(text, { file, scope: 'project' });
 * ```
 */
export const FILE_FORMATS: Readonly<Record<FileFormatId, FileFormat>> = Object.fromEntries(
  SHAPES.map((shape) => [shape.id, fileFormat(shape)]),
) as Record<FileFormatId, FileFormat>;
