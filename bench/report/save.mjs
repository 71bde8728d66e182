import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { drawChart } from './chart.mjs';
import { summary } from './summary.mjs';
import { markdownTable } from './table.mjs';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const FOLDER = join(ROOT, 'bench', 'results');
const README = join(ROOT, 'README.md');
const BEGIN = '<!-- speed -->';
const END = '<!-- /speed -->';

/** Everything in one document: the short table, then every table in full. */
export function resultsDocument(result) {
  const sections = result.tables.map((table) =>
    [`## ${table.id}: ${table.title}`, ...(table.note ? [table.note] : []), markdownTable(table)].join('\n\n'),
  );
  const peers = Object.entries(result.peers).map(([name, version]) => `${name} ${version}`);
  return `${['# Speed', summary(result), `Versions: ${peers.join(', ')}.`, '![chart](chart.svg)', ...sections].join('\n\n')}\n`;
}

/** Writes what a run found, as data, as a document and as a drawing. */
export function saveResults(result) {
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(join(FOLDER, 'latest.json'), `${JSON.stringify(result, undefined, 1)}\n`);
  writeFileSync(join(FOLDER, 'table.md'), resultsDocument(result));
  writeFileSync(join(FOLDER, 'chart.svg'), drawChart(result));
  console.error('Written: bench/results/latest.json, table.md and chart.svg');
}

/** What a run saved last. */
export const savedResult = () => JSON.parse(readFileSync(join(FOLDER, 'latest.json'), 'utf8'));

/** The text with what is between the two markers replaced; markers that are missing are an error. */
export function replaceBlock(document, block) {
  const from = document.indexOf(BEGIN);
  const to = document.indexOf(END);
  if (from === -1 || to < from) throw new Error(`README.md has no ${BEGIN} … ${END} to put the table between.`);
  return `${document.slice(0, from + BEGIN.length)}\n${block}\n${document.slice(to)}`;
}

/** Puts the short table into the README. */
export function writeReadme(result) {
  const block = `${summary(result)}\n\n![Calls a second as a share of what bare Node reaches](bench/results/chart.svg)`;
  writeFileSync(README, replaceBlock(readFileSync(README, 'utf8'), block));
  console.error('Written: README.md');
}
