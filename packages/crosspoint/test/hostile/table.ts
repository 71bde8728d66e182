import { readFileSync } from 'node:fs';

/** The tables of `docs/bad-input.md`, by heading: rows by their first cell, cells by column. */
export type Tables = ReadonlyMap<string, ReadonlyMap<string, Readonly<Record<string, string>>>>;

export function readTables(): Tables {
  const text = readFileSync(new URL('../../../../docs/bad-input.md', import.meta.url), 'utf8');
  const tables = new Map<string, Map<string, Record<string, string>>>();
  let heading = '';
  let columns: string[] | undefined;
  for (const line of text.split('\n')) {
    if (line.startsWith('## ')) heading = line.slice(3);
    if (!line.startsWith('|')) columns = undefined;
    else if (columns === undefined) columns = cellsOf(line);
    else if (!/^\|[\s|:-]+\|$/.test(line)) {
      const cells = cellsOf(line);
      const rows = tables.get(heading) ?? new Map<string, Record<string, string>>();
      tables.set(
        heading,
        rows.set(cells[0] ?? '', Object.fromEntries(columns.map((column, index) => [column, cells[index] ?? '']))),
      );
    }
  }
  return tables;
}

function cellsOf(line: string): string[] {
  return line
    .slice(1, -1)
    .split('|')
    .map((cell) => cell.trim());
}

/** Says the same as `expected` for what was received: each answer with its kind and whose id it has. */
export function describeAnswers(messages: readonly Record<string, any>[], id: unknown): string {
  const words = messages.map((message) => {
    const whose =
      message['id'] === undefined || message['id'] === null
        ? 'no id'
        : message['id'] === id
          ? 'its id'
          : `id ${JSON.stringify(message['id'])}`;
    return 'error' in message
      ? `error ${message['error'].code}, ${whose}`
      : whose === 'its id'
        ? 'result'
        : `result, ${whose}`;
  });
  return words.length === 0 ? 'nothing' : words.join('; ');
}
