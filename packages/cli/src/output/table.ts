import { stripVTControlCharacters } from 'node:util';

/** Rows as columns that line up; the last column is as long as it is. Cells hold no line ends. */
export function tableText(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows) row.forEach((cell, at) => (widths[at] = Math.max(widths[at] ?? 0, widthOf(cell))));
  return rows
    .map((row) =>
      row
        .map((cell, at) => (at === row.length - 1 ? cell : `${cell}${' '.repeat((widths[at] ?? 0) - widthOf(cell))}`))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

const ASCII = /^[\u0020-\u007E]*$/;
let segments: Intl.Segmenter | undefined;

/** Columns that a text takes; styles take none. The segmenter is made when a text needs one: that takes about 9 ms. */
function widthOf(text: string): number {
  const shown = stripVTControlCharacters(text);
  if (ASCII.test(shown)) return shown.length;
  segments ??= new Intl.Segmenter();
  return Array.from(segments.segment(shown)).length;
}
