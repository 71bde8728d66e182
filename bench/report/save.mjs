import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { drawChart } from './chart.mjs';
import { hasBridges, hopsTable } from './hops.mjs';
import { missedTable } from './missed.mjs';
import { summary } from './summary.mjs';
import { markdownTable } from './table.mjs';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const FOLDER = join(ROOT, 'bench', 'results');
const README = join(ROOT, 'README.md');
const PAGE = join(ROOT, 'docs', 'performance.md');
const BEGIN = '<!-- speed -->';
const END = '<!-- /speed -->';
const LAST_SECTION = '\n## More\n';

/** Everything in one document: the short table, then every table in full. */
export function resultsDocument(result) {
  const sections = result.tables.map((table) =>
    [`## ${table.id}: ${table.title}`, ...(table.note ? [table.note] : []), markdownTable(table)].join('\n\n'),
  );
  const peers = Object.entries(result.peers).map(([name, version]) => `${name} ${version}`);
  return `${['# Speed', summary(result), `Versions: ${peers.join(', ')}.`, '![chart](chart.svg)', ...sections].join('\n\n')}\n`;
}

/** Rounds to five digits, which is more than the measurements justify. */
export const shorten = (_key, value) =>
  typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(5)) : value;

/** Writes the results of a run: as data, as a document and as a drawing. */
export function saveResults(result) {
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(join(FOLDER, 'latest.json'), `${JSON.stringify(result, shorten, 1)}\n`);
  writeFileSync(join(FOLDER, 'table.md'), resultsDocument(result));
  writeFileSync(join(FOLDER, 'chart.svg'), drawChart(result));
  console.error('Written: bench/results/latest.json, table.md and chart.svg');
}

/** The results of the last saved run. */
export const savedResult = () => JSON.parse(readFileSync(join(FOLDER, 'latest.json'), 'utf8'));

/** Replaces the text between the two markers. Without markers, a section is added before the last one. */
export function replaceBlock(document, block) {
  const from = document.indexOf(BEGIN);
  const to = document.indexOf(END);
  if (from === -1 || to < from) {
    const at = document.indexOf(LAST_SECTION);
    if (at === -1)
      throw new Error(`README.md has neither ${BEGIN} … ${END} nor "${LAST_SECTION.trim()}" to put the table before.`);
    return `${document.slice(0, at)}\n## Speed\n\n${BEGIN}\n${block}\n${END}\n${document.slice(at)}`;
  }
  return `${document.slice(0, from + BEGIN.length)}\n${block}\n${document.slice(to)}`;
}

/** Replaces the text between `<!-- name -->` and `<!-- /name -->`. */
export function replaceNamed(document, name, block) {
  const [begin, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
  const from = document.indexOf(begin);
  const to = document.indexOf(end);
  if (from === -1 || to < from) throw new Error(`There is no ${begin} … ${end} to put the table into.`);
  return `${document.slice(0, from + begin.length)}\n\n${block}\n\n${document.slice(to)}`;
}

/** Writes a table into docs/performance.md. */
export function writePage(name, block) {
  writeFileSync(PAGE, replaceNamed(readFileSync(PAGE, 'utf8'), name, block));
  console.error('Written: docs/performance.md');
}

/** Writes the short table into the README, and the missed targets and the bridges into docs/performance.md. */
export function writeReadme(result) {
  const block = `${summary(result)}\n\n![Calls a second as a share of what bare Node reaches](bench/results/chart.svg)`;
  writeFileSync(README, replaceBlock(readFileSync(README, 'utf8'), block));
  console.error('Written: README.md');
  writePage('missed', missedTable(result));
  if (hasBridges(result)) writeBridges(result);
}

/** Writes the table of bridges into docs/performance.md. */
export function writeBridges(result) {
  if (!hasBridges(result)) throw new Error('This run has measured no bridges: npm run bench -- b1 b2 --page.');
  writePage('bridge', hopsTable(result));
}
