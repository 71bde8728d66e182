import { rangeText, shortNumber } from './figures.mjs';

/**
 * The cells of a table: a row a subject, two columns a metric (the figure and its ratio to the reference).
 * @param {object} table
 */
export function cellsOf({ metrics, reference, rows, targets }) {
  const hasForeign = rows.some(({ figures }) => figures.foreign !== undefined);
  const head = ['', ...metrics.flatMap(({ title }) => (reference ? [title, `of ${reference}`] : [title]))];
  if (hasForeign) head.push('others’ cores');
  if (targets.length > 0) head.push('target');
  return [head, ...rows.map((row) => rowCells(row, { metrics, reference, targets, hasForeign }))];
}

function rowCells(row, { metrics, reference, targets, hasForeign }) {
  const { label, figures, error } = row;
  const cells = metrics.flatMap(({ key }) => {
    const figure = error ? undefined : figures[key];
    const value = figure === undefined ? '–' : shortNumber(figure.median);
    if (!reference) return [value];
    return [value, figure?.ratio === undefined || label === reference ? '' : rangeText(figure)];
  });
  if (hasForeign) cells.push(figures.foreign === undefined ? '' : figures.foreign.median.toFixed(2));
  if (targets.length > 0)
    cells.push(error ? `FAILED: ${error.split('\n', 1)[0].slice(0, 120)}` : verdicts(targets, label));
  else if (error) cells.push(`FAILED: ${error.slice(0, 120)}`);
  return [label, ...cells];
}

const verdicts = (targets, label) =>
  targets
    .filter((target) => target.label === label)
    .map(({ text, value, isReached }) => `${isReached ? 'reached' : 'missed'}: ${text}${value ? ` (${value})` : ''}`)
    .join('; ');

/** For a terminal. */
export function plainTable(table) {
  const cells = cellsOf(table);
  const widths = cells[0].map((_, column) => Math.max(...cells.map((row) => (row[column] ?? '').length)));
  const last = table.targets.length > 0 ? widths.length - 1 : widths.length;
  const line = (row) =>
    row.map((cell, column) =>
      column === 0 || column === last ? cell.padEnd(widths[column]) : cell.padStart(widths[column]),
    );
  return cells.map((row) => line(row).join('  ').trimEnd()).join('\n');
}

/** For a document. */
export function markdownTable(table) {
  const [head, ...rows] = cellsOf(table);
  const rule = head.map((_, column) => (column === 0 || head[column] === 'target' ? '---' : '---:'));
  return [head, rule, ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');
}
