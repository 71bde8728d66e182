// The cost of a hop through each bridge, as a table for the documentation.
import { machineLine } from '../cli/machine.mjs';
import { shortNumber } from './figures.mjs';

const SUFFIX = ' @2026';
const HEAD = [
  'From and to',
  'Bridge',
  'One call at a time: hop, µs CPU',
  'of the bare hop',
  'p50, µs',
  '64 in flight: hop, µs CPU',
  'of the bare hop',
  'calls/s',
];

const WAYS = { oneAll: 'one call at a time', manyAll: '64 in flight' };

const suffixOf = (label) => (label.endsWith(SUFFIX) ? SUFFIX : '');
const medianOf = (row, metric) => row?.figures[metric]?.median;

/** Cells of one way of calling: the hop, and its multiple of the bare one. Both count from the direct call. */
function hopCells(rows, row, metric) {
  const suffix = suffixOf(row.label);
  const [none, bare] = ['direct', 'bare proxy'].map((name) =>
    medianOf(
      rows.find(({ label }) => label === `${name}${suffix}`),
      metric,
    ),
  );
  const own = medianOf(row, metric);
  if (own === undefined || none === undefined) return ['–', ''];
  const ratio = bare === undefined || bare <= none ? '' : `${((own - none) / (bare - none)).toFixed(2)} ×`;
  return [shortNumber(own - none), ratio];
}

function lineOf({ title, rows }, row) {
  const { label, error } = row;
  const suffix = suffixOf(label);
  const where = `${title.replace(/^bridge: /, '')}${suffix === '' ? '' : ', 2026-07-28'}`;
  const name = suffix === '' ? label : label.slice(0, -suffix.length);
  if (error) return [where, name, 'failed', '', '', '', '', ''];
  const figure = (metric) => shortNumber(medianOf(row, metric)) || '–';
  return [
    where,
    name,
    ...hopCells(rows, row, 'oneAll'),
    figure('oneP50'),
    ...hopCells(rows, row, 'manyAll'),
    figure('manyRate'),
  ];
}

/** Whether a run has measured bridges. */
export const hasBridges = ({ tables }) => tables.some(({ id }) => /^b\d/.test(id));

/** One line for each bridge in each cell, and the targets that were missed. */
export function hopsTable({ tables, machine, date, command, settings }) {
  const measured = tables.filter(({ id }) => /^b\d/.test(id));
  const lines = measured.flatMap((table) =>
    table.rows.filter(({ label }) => !label.startsWith('direct')).map((row) => lineOf(table, row)),
  );
  const rule = HEAD.map((_, column) => (column < 2 ? '---' : '---:'));
  const targets = measured.flatMap((table) => table.targets.map((target) => ({ ...target, id: table.id })));
  const missed = targets.filter(({ isReached }) => !isReached);
  const told = missed.map(
    ({ id, label, metric, value }) => `${id} ${label}, ${WAYS[metric]}: ${value ?? 'not measured'}`,
  );
  return [
    `Measured on ${date} with \`${command}\`: ${machineLine(machine)}; medians of ${settings.rounds} interleaved rounds.`,
    `${targets.length - missed.length} of ${targets.length} targets (at most 1.5 × the hop of the bare proxy) were reached${told.length > 0 ? `; missed: ${told.join('; ')}` : ''}.`,
    '',
    ...[HEAD, rule, ...lines].map((cells) => `| ${cells.join(' | ')} |`),
  ].join('\n');
}
