import { isDrawn, panelOfCurve } from './curve.mjs';
import { barsHeight, drawBars } from './bars.mjs';
import { drawLines } from './lines.mjs';
import { drawing, group, text } from './svg.mjs';

const WIDTH = 960;
const MARGIN = 28;
const COLUMNS = 2;
const GAP = 36;
const CURVE_HEIGHT = 230;

/** The panels with bars: the share of the reference's rate that each variant reaches. */
const PANELS = [
  { table: 'w1', metric: 'rate', title: 'HTTP tools/call, 2025-11-25', only: (label) => !label.includes('(handler)') },
  { table: 'w2', metric: 'rate', title: 'HTTP tools/call, 2026-07-28' },
  { table: 'w3', metric: 'rate', title: 'HTTP session, event stream' },
  { table: 'w10', metric: 'rate', title: 'tools/list, 1,000 tools', only: (label) => !label.includes('@') },
  { table: 'w4a', metric: 'oneRate', title: 'stdio server, one call at a time' },
  { table: 'w4a', metric: 'manyRate', title: 'stdio server, 64 in flight' },
  {
    table: 'w4b',
    metric: 'manyRate',
    title: 'stdio client with server, 64 in flight',
    only: (label) => !/[^w] → raw/.test(label),
  },
  { table: 'w5', metric: 'oneRate', title: 'client and server in one process' },
];

/** Growth workloads whose first curve is drawn here. docs/growth.md has all of them. */
const CURVES = ['gt', 'gs', 'gb', 'gha', 'ghb', 'ghc'];

/** Shortens `crosspoint → crosspoint @2026`, which names the subject twice. */
const shortLabel = (label) => label.replace(/^(\S+) → \1/, '$1');

function panelOf({ tables }, { table: id, metric, title, only = () => true }) {
  const rows = tables.find((table) => table.id === id)?.rows ?? [];
  const bars = rows
    .filter(
      ({ label, reference, error, figures }) =>
        !error && label !== reference && only(label) && figures[metric]?.ratio !== undefined,
    )
    .map(({ label, subject, figures }) => ({ label: shortLabel(label), subject, share: figures[metric].ratio }));
  return bars.length === 0 ? [] : [{ title, bars }];
}

/** Puts panels into rows of two, each row as high as its highest. */
function layOut(panels, { top, heightOf, draw }) {
  const width = (WIDTH - 2 * MARGIN - GAP) / COLUMNS;
  const drawn = [];
  let y = top;
  for (let at = 0; at < panels.length; at += COLUMNS) {
    const row = panels.slice(at, at + COLUMNS);
    row.forEach((panel, column) => drawn.push(group(MARGIN + column * (width + GAP), y, draw(panel, width))));
    y += Math.max(...row.map(heightOf));
  }
  return { drawn, end: y };
}

/** The whole result as one drawing. */
export function drawChart(result) {
  const { machine, date } = result;
  const panels = PANELS.flatMap((panel) => panelOf(result, panel));
  const curves = result.tables
    .filter(({ id }) => CURVES.includes(id))
    .map((table) => panelOfCurve(table, table.curves[0]))
    .filter(isDrawn);
  const heading = [
    text(MARGIN, 34, 'How near to the bare runtime', { class: 'title' }),
    text(
      MARGIN,
      54,
      `Calls a second as a share of what bare Node reaches with no library and no checks (the line). ${machine.processor}, ${machine.cores} cores, Node ${machine.node}, ${date}.`,
      { class: 'soft' },
    ),
  ];
  const bars = layOut(panels, { top: 84, heightOf: barsHeight, draw: drawBars });
  const second =
    curves.length === 0 ? [] : [text(MARGIN, bars.end + 24, 'How the cost of a call grows', { class: 'title' })];
  const lines = layOut(curves, {
    top: bars.end + 48,
    heightOf: () => CURVE_HEIGHT + 20,
    draw: (panel, width) => drawLines(panel, { width, height: CURVE_HEIGHT }),
  });
  const height = (curves.length === 0 ? bars.end : lines.end) + MARGIN / 2;
  const size = { width: WIDTH, height, title: 'Crosspoint and other implementations compared with the bare runtime' };
  return drawing(size, [...heading, ...bars.drawn, ...second, ...lines.drawn]);
}
