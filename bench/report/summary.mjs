import { machineLine } from '../cli/machine.mjs';
import { shortNumber } from './figures.mjs';

const SUBJECTS = ['crosspoint', 'mcp-lite', 'tmcp', 'official-v2', 'official-v1', 'fastmcp'];
const share = (ratio) => (ratio < 0.095 ? (ratio * 100).toPrecision(1) : Math.round(ratio * 100));
const percent = (figure) => (figure.ratio === undefined ? '–' : `${share(figure.ratio)} %`);
const times = (figure) => (figure.ratio === undefined ? '–' : `${figure.ratio.toFixed(2)} ×`);
const plain = (unit) => (figure) => `${shortNumber(figure.median)} ${unit}`;

const same = (subject) => subject;
const newer = (subject) => `${subject} @2026`;
const pair = (subject) => `${subject} → ${subject}`;
const ended = (end) => (subject) => `${subject} ${end}`;

/** The lines of the short table: the place of each figure, and its format. */
const LINES = [
  { title: 'HTTP `tools/call`, `2025-11-25`: rate', table: 'w1', metric: 'rate', show: percent },
  { title: '… CPU a request', table: 'w1', metric: 'cpu', show: times },
  { title: 'HTTP `tools/call`, `2026-07-28`: rate', table: 'w2', metric: 'rate', show: percent },
  { title: '… CPU a request', table: 'w2', metric: 'cpu', show: times },
  { title: 'HTTP session, event stream: rate', table: 'w3', metric: 'rate', show: percent },
  { title: 'stdio server, sequential: rate', table: 'w4a', metric: 'oneRate', show: percent },
  { title: 'stdio server, 64 in flight: rate', table: 'w4a', metric: 'manyRate', show: percent },
  { title: '… `2026-07-28`', table: 'w4a', metric: 'manyRate', show: percent, labelOf: newer },
  {
    title: 'stdio client with server, 64 in flight: rate',
    table: 'w4b',
    metric: 'manyRate',
    show: percent,
    labelOf: pair,
  },
  { title: 'client and server in one process: rate', table: 'w5', metric: 'oneRate', show: percent },
  { title: '… `2026-07-28`', table: 'w5', metric: 'oneRate', show: percent, labelOf: newer },
  { title: 'memory of an idle session', table: 'w6', metric: 'rss', show: plain('KB') },
  {
    title: 'import of a stdio server with zod, over bare `node`',
    table: 'w7a',
    metric: 'wallMs',
    show: times,
    labelOf: (subject) => `${subject} stdio server${subject === 'crosspoint' ? ' + zod' : ''}`,
  },
  {
    title: '… without a schema library',
    table: 'w7a',
    metric: 'wallMs',
    show: times,
    labelOf: (subject) => (subject === 'crosspoint' ? 'crosspoint stdio server' : ''),
  },
  { title: 'spawn to first answer', table: 'w7b', metric: 'wallMs', show: plain('ms') },
  { title: 'packages installed', table: 'w8a', metric: 'packages', show: (figure) => shortNumber(figure.median) },
  { title: 'size installed', table: 'w8a', metric: 'mb', show: plain('MB') },
  {
    title: 'bundle of an HTTP server, gzip',
    table: 'w8b',
    metric: 'gzipKb',
    show: plain('KB'),
    labelOf: ended('HTTP'),
  },
  {
    title: 'bundle of an HTTP client, gzip',
    table: 'w8c',
    metric: 'gzipKb',
    show: plain('KB'),
    labelOf: ended('HTTP'),
  },
  { title: '10 MB result over HTTP: time', table: 'w9a', metric: 'ms', show: times },
  { title: '10 MB result over stdio: time', table: 'w9b', metric: 'ms', show: times },
  { title: '`tools/list`, 1,000 tools: rate', table: 'w10', metric: 'rate', show: percent },
  { title: 'one change to 500 streams: time', table: 'w11a', metric: 'ms', show: times },
  { title: 'one change to 500 listeners: time', table: 'w11b', metric: 'ms', show: times },
  { title: 'three questions, `2026-07-28`: CPU', table: 'w12a', metric: 'cpu', show: times },
  { title: 'three questions, `2025-11-25`: CPU', table: 'w12b', metric: 'cpu', show: times },
];

function targetCell({ targets }, label, metric) {
  const own = targets.filter((target) => target.label === label && target.metric === metric);
  return own.map(({ text, isReached }) => `${text}: ${isReached ? 'reached' : 'missed'}`).join('; ');
}

function lineCells(tables, { title, table: id, metric, show, labelOf = same }) {
  const table = tables.find((one) => one.id === id);
  if (table === undefined) return undefined;
  const cellOf = (subject) => {
    const label = labelOf(subject);
    const row =
      table.rows.find((one) => one.label === label) ?? table.rows.find((one) => one.label === `${label} server`);
    const figure = row?.error ? undefined : row?.figures[metric];
    return figure === undefined ? '–' : show(figure);
  };
  return [title, ...SUBJECTS.map(cellOf), targetCell(table, labelOf('crosspoint'), metric)];
}

/** The short table, with machine and settings. */
export function summary({ tables, machine, date, command, settings }) {
  const rows = LINES.map((line) => lineCells(tables, line)).filter((cells) => cells !== undefined);
  const head = ['', ...SUBJECTS, 'target'];
  const rule = head.map((_, column) => (column === 0 || column === head.length - 1 ? '---' : '---:'));
  const table = [head, rule, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
  return [
    `Measured on ${date} with \`${command}\`: ${machineLine(machine)}; medians of ${settings.rounds} interleaved rounds.`,
    'Shares and multiples are of bare Node doing the same work with no library and no checks.',
    '',
    table,
  ].join('\n');
}
