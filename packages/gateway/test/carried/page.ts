import { readFileSync } from 'node:fs';

/** The rows of the table under a heading of the page, cell by cell. */
export function rowsUnder(heading: string): string[][] {
  const page = readFileSync(new URL('../../../../docs/guide/bridge-carries.md', import.meta.url), 'utf8');
  const [, section = ''] = page.split(`## ${heading}\n`);
  const lines = (section.split('\n## ')[0] as string).split('\n').filter((line) => line.startsWith('|'));
  return lines.slice(2).map((line) =>
    line
      .slice(1, -1)
      .split(' | ')
      .map((cell) => cell.replace(/^\|?\s*|\s*\|?$/g, '')),
  );
}

/** The codes of errors that a cell names. */
export function codesIn(cell: string): number[] {
  return [...cell.matchAll(/-?\b\d{3,5}\b/g)]
    .map(([code]) => Number(code))
    .filter((code) => code === 429 || code < -32000);
}
