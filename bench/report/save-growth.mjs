// Growth curves of a run in the documents: the figures as data, a picture for each workload, and the page.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { growthBlock } from './growth-page.mjs';
import { drawGrowth, pictureOf } from './pictures.mjs';
import { replaceNamed, shorten } from './save.mjs';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const FIGURES = join(ROOT, 'bench', 'results', 'growth.json');
const PICTURES = join(ROOT, 'docs', 'pictures');
const PAGE = join(ROOT, 'docs', 'growth.md');

/** The growth curves that were written last; none at first. */
export const savedGrowth = () => (existsSync(FIGURES) ? JSON.parse(readFileSync(FIGURES, 'utf8')) : { tables: [] });

/** The result with the tables of an earlier one that it has not measured. */
export function withEarlier(result, earlier) {
  const { date, command } = result;
  const tables = result.tables.filter(({ curves }) => curves).map((table) => ({ ...table, date, command }));
  const measured = new Map(tables.map((table) => [table.id, table]));
  const kept = earlier.tables.map((table) => measured.get(table.id) ?? table);
  const known = new Set(kept.map(({ id }) => id));
  return { ...result, tables: [...kept, ...[...measured.values()].filter(({ id }) => !known.has(id))] };
}

/** Draws the curves into docs/pictures/ and writes their exponents into docs/growth.md. */
export function drawIntoDocs(result) {
  mkdirSync(PICTURES, { recursive: true });
  const drawn = result.tables.map((table) => ({ table, picture: drawGrowth(table, result) })).filter(hasPicture);
  for (const { table, picture } of drawn) writeFileSync(join(PICTURES, pictureOf(table)), picture);
  const block = growthBlock({ ...result, tables: drawn.map(({ table }) => table) });
  writeFileSync(PAGE, replaceNamed(readFileSync(PAGE, 'utf8'), 'growth', block));
  console.error(`Written: docs/growth.md and ${drawn.length} pictures`);
}

const hasPicture = ({ picture }) => picture !== undefined;

/** Keeps the growth curves of a run, and draws all that there are. */
export function saveGrowth(result) {
  const { date, machine, tables } = withEarlier(result, savedGrowth());
  const kept = { date, machine, tables };
  writeFileSync(FIGURES, `${JSON.stringify(kept, shorten, 1)}\n`);
  drawIntoDocs(kept);
}
