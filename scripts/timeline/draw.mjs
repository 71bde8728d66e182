// Draws a trace as a picture: a row for each span, under the one that led to it, at its time.
import { flatSpans } from '@crosspoint/host/timeline';
import { escape } from '../../bench/report/svg.mjs';

const WIDTH = 1000;
const LABELS = 345;
const ROW = 17;
const TOP = 74;
const MARGIN = 16;
const INDENT = 13;

/** Kinds in the order of the legend, each with a colour for a light and a dark ground. */
const KINDS = {
  run: ['#60646c', '#a8adb5'],
  model: ['#6a4fb3', '#b39df3'],
  call: ['#0a7d55', '#3ddc97'],
  request: ['#2e9e77', '#2a8f68'],
  http: ['#1f6fb5', '#74b3f0'],
  asked: ['#b45f06', '#f0a35e'],
  question: ['#d08700', '#ffd166'],
  decision: ['#8a8f98', '#8a8f98'],
  login: ['#a33a5c', '#f08bab'],
  connect: ['#7a6a00', '#d9c750'],
  restart: ['#c0262d', '#ff7b72'],
};
const colours = (at) =>
  Object.entries(KINDS)
    .map(([kind, pair]) => `.k-${kind}{--c:${pair[at]}}`)
    .join('');
const STYLE = [
  'svg{font:11px system-ui,sans-serif;--ink:#1c2024;--soft:#60646c;--grid:#d9dde3;--ground:#fff;--bad:#c0262d}',
  colours(0),
  `@media (prefers-color-scheme:dark){svg{--ink:#eceef0;--soft:#a8adb5;--grid:#3a4048;--ground:#14171b;--bad:#ff7b72}${colours(1)}}`,
  '.ground{fill:var(--ground)}text{fill:var(--ink)}.soft{fill:var(--soft)}.title{font-weight:600;font-size:15px}.bad{fill:var(--bad)}',
  '.bar{fill:var(--c)}.event{fill:var(--ink)}.grid{stroke:var(--grid)}.tree{stroke:var(--grid);fill:none}',
].join('\n');

const round = (value) => Math.round(value * 10) / 10;
const text = (x, y, content, kind = '') =>
  `<text x="${round(x)}" y="${round(y)}" class="${kind}">${escape(content)}</text>`;

/** Names without the ports of this machine. */
const labelOf = ({ kind, name }) => {
  const shown = name.replaceAll(/127\.0\.0\.1:\d+/g, '');
  return shown === kind ? kind : `${kind} ${shown}`;
};

/** The picture of one trace, given by its first span. */
export function drawTrace(root) {
  const spans = flatSpans([root]);
  const end = Math.max(...spans.map(({ startedAt, durationMs = 0 }) => startedAt + durationMs));
  const scale = (WIDTH - LABELS - 2 * MARGIN) / (end - root.startedAt);
  const at = (time) => LABELS + MARGIN + (time - root.startedAt) * scale;
  const height = TOP + spans.length * ROW + MARGIN;
  const rows = new Map(spans.map((span, index) => [span.id, index]));
  const depths = new Map([[root.id, 0]]);
  for (const { id, parent } of spans) if (id !== root.id) depths.set(id, depths.get(parent) + 1);
  const xOf = (id) => MARGIN + depths.get(id) * INDENT;
  const middle = (id) => TOP + rows.get(id) * ROW + ROW / 2;
  const row = (span) => {
    const { id, parent, kind, startedAt, durationMs = 0, status, events } = span;
    const y = middle(id);
    const tree =
      id === root.id ? [] : [`<path class="tree" d="M${xOf(parent) + 3} ${middle(parent) + 6}V${y}H${xOf(id) - 3}"/>`];
    return [
      ...tree,
      text(xOf(id), y + 4, `${labelOf(span)}${status === 'failed' ? ' ✗' : ''}`, status === 'failed' ? 'bad' : ''),
      `<rect class="bar k-${kind}" x="${round(at(startedAt))}" y="${y - 5}" width="${round(Math.max(2, durationMs * scale))}" height="10" rx="2"/>`,
      ...events.map((event) => `<circle class="event" cx="${round(at(event.at))}" cy="${y}" r="1.6"/>`),
    ].join('');
  };
  const step = [10, 20, 50, 100, 200, 500, 1000, 2000, 5000].find((ms) => (end - root.startedAt) / ms <= 12) ?? 10_000;
  const marks = Array.from({ length: Math.floor((end - root.startedAt) / step) + 1 }, (_, index) => {
    const x = round(at(root.startedAt + index * step));
    return `<line class="grid" x1="${x}" x2="${x}" y1="${TOP - 6}" y2="${height - MARGIN}"/>${text(x - 8, TOP - 12, `${index * step}`, 'soft')}`;
  });
  const legend = Object.keys(KINDS).map(
    (kind, index) =>
      `<rect class="bar k-${kind}" x="${MARGIN + index * 76}" y="36" width="10" height="10" rx="2"/>${text(MARGIN + 14 + index * 76, 45, kind, 'soft')}`,
  );
  const title = `${root.name}: ${spans.length} spans, milliseconds`;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" role="img">
<title>${escape(title)}</title>
<style>${STYLE}</style>
<rect class="ground" width="${WIDTH}" height="${height}"/>
${text(MARGIN, 24, title, 'title')}
${legend.join('\n')}
${marks.join('\n')}
${spans.map(row).join('\n')}
</svg>
`;
}
