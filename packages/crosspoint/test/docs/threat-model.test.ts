import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from './doc-blocks.ts';

const page = readFileSync(join(ROOT, 'docs/security/threat-model.md'), 'utf8');

interface Row {
  readonly section: string;
  readonly cells: readonly string[];
}

/** The rows of every table of the page, without heads. */
function rowsOf(text: string): Row[] {
  const rows: Row[] = [];
  let section = '';
  const lines = text.split('\n');
  for (const [index, line] of lines.entries()) {
    if (line.startsWith('## ')) section = line.slice(3);
    if (!line.startsWith('|') || line.startsWith('|---')) continue;
    if (lines[index + 1]?.startsWith('|---')) continue;
    rows.push({
      section,
      cells: line
        .slice(1, -1)
        .split('|')
        .map((cell) => cell.trim()),
    });
  }
  return rows;
}

const rows = rowsOf(page);
const proofs = [...page.matchAll(/`([\w./-]+\.ts) › ([^`]*)`/g)].map(([, file = '', title = '']) => ({ file, title }));

describe('the threat model', () => {
  it('has a section for every party that may be hostile', () => {
    const sections = [...page.matchAll(/^## (.*)$/gm)].map(([, title]) => title);
    expect(sections).toEqual([
      'Assets',
      'A hostile client',
      'A hostile server',
      'A page in a browser',
      'Another user of the same server',
      'An upstream provider',
      'A skill',
      'An OpenAPI document',
      'A configuration file',
      'A local process',
      'Incidents elsewhere',
      'What is not defended',
    ]);
  });

  it('has a proof for every attack, and a proof or "Not here" for every incident', () => {
    const attacks = rows.filter(({ section }) => section !== 'Assets' && section !== 'What is not defended');
    expect(attacks.length).toBeGreaterThan(60);
    const unproved = attacks.filter(
      ({ cells }) => !/ › /.test(cells[2] ?? '') && !(cells[1] ?? '').startsWith('Not here'),
    );
    expect(unproved.map(({ cells }) => cells[0])).toEqual([]);
  });

  it.each(proofs)('names a test that exists: $file › $title', ({ file, title }) => {
    const path = join(ROOT, file.startsWith('packages/') ? '' : 'packages/crosspoint/test', file);
    expect(existsSync(path)).toBe(true);
    expect(title.length).toBeGreaterThan(10);
    expect(readFileSync(path, 'utf8')).toContain(title);
  });
});
