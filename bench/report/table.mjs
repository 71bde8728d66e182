import { curveCells } from './curve.mjs';
import { rangeText, shortNumber } from './figures.mjs';

/** The first line of an error, short enough for a cell. */
const shortError = (error) => `FAILED: ${error.split('\n', 1)[0].slice(0, 100)}`;

const verdict = ({ text, value, isReached }) => `${isReached ? 'reached' : 'missed'}: ${text} (${value})`;
const verdicts = (targets, label) =>
  targets
    .filter((target) => target.label === label)
    .map(verdict)
    .join('; ');

function rowCells(row, { metrics, reference, targets, hasForeign }) {
  const { label, figures, error, reference: compared } = row;
  const cells = metrics.flatMap(({ key }) => {
    const figure = error ? undefined : figures[key];
    const value = figure === undefined ? '–' : shortNumber(figure.median);
    if (!reference) return [value];
    return [value, figure?.ratio === undefined || label === compared ? '' : rangeText(figure)];
  });
  if (hasForeign) cells.push(figures.foreign === undefined ? '' : figures.foreign.median.toFixed(2));
  return [label, ...cells, error ? shortError(error) : verdicts(targets, label)];
}

/**
 * The cells of a table: a row per variant, two columns per metric (the figure and its ratio to the reference), and the target.
 * @param {object} table as in latest.json
 * @returns {string[][]} the head first
 */
export function cellsOf(table) {
  const { metrics, reference, rows } = table;
  const hasForeign = rows.some(({ figures }) => figures.foreign !== undefined);
  const head = ['', ...metrics.flatMap(({ title }) => (reference ? [title, `of ${reference}`] : [title]))];
  if (hasForeign) head.push('others’ cores');
  const cells = rows.map((row) => rowCells(row, { ...table, hasForeign }));
  return cells.some((row) => row.at(-1) !== '')
    ? [[...head, 'target'], ...cells]
    : [head, ...cells.map((row) => row.slice(0, -1))];
}

const isText = (head, column) => column === 0 || head[column] === 'target';

/** The tables that a workload is shown as: one with all metrics, or one for each of its curves. */
const tablesOf = (table) =>
  table.curves
    ? table.curves.map((curve) => ({ caption: `${curve.title}, ${curve.unit}`, cells: curveCells(table, curve) }))
    : [{ cells: cellsOf(table) }];

function plainCells(cells) {
  const widths = cells[0].map((_, column) => Math.max(...cells.map((row) => row[column].length)));
  const pad = (cell, column) =>
    isText(cells[0], column) ? cell.padEnd(widths[column]) : cell.padStart(widths[column]);
  return cells.map((row) => row.map(pad).join('  ').trimEnd()).join('\n');
}

/** For a terminal. */
export function plainTable(table) {
  const shown = tablesOf(table).map(({ caption, cells }) => (caption ? `${caption}\n` : '') + plainCells(cells));
  const targets = table.curves ? table.targets.map((target) => `${verdict(target)} [${target.metric}]`) : [];
  return [...shown, ...(targets.length > 0 ? [targets.join('\n')] : [])].join('\n\n');
}

function markdownCells([head, ...rows]) {
  const rule = head.map((_, column) => (isText(head, column) ? '---' : '---:'));
  return [head, rule, ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');
}

/** For a document. */
export const markdownTable = (table) =>
  tablesOf(table)
    .map(({ caption, cells }) => (caption ? `${caption}:\n\n` : '') + markdownCells(cells))
    .join('\n\n');
