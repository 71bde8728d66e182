import { COLOURS, classOf, drawing, group, line, path, text } from '../../bench/report/svg.mjs';

const WIDTH = 760;
const PANEL = 150;
const LEFT = 70;
const CLASSES = Object.keys(COLOURS).filter((name) => name !== 'raw');

/**
 * The series of a run, one panel below the other.
 * @param {{ title: string, panels: { title: string, unit: string, series: { label: string, points: { x: number, y: number }[] }[] }[] }} run
 */
export function soakChart({ title, panels }) {
  const drawn = panels.map((panel, at) => group(0, 40 + at * (PANEL + 50), drawPanel(panel)));
  const height = 50 + panels.length * (PANEL + 50);
  return drawing({ width: WIDTH, height, title }, [text(16, 26, title, { class: 'title' }), ...drawn]);
}

function drawPanel({ title, unit, series }) {
  const points = series.flatMap((one) => one.points);
  const lastX = Math.max(1, ...points.map(({ x }) => x));
  const topY = Math.max(...points.map(({ y }) => y)) * 1.15 || 1;
  const at = ({ x, y }) => [LEFT + (x / lastX) * (WIDTH - LEFT - 20), 20 + PANEL - (y / topY) * PANEL];
  const marks = [0, 0.5, 1].map((share) => share * topY);
  const shown = (value) => (value >= 100 ? Math.round(value) : Number(value.toPrecision(2)));
  return [
    text(16, 10, `${title}, ${unit}`, { class: 'head' }),
    ...marks.flatMap((y) => [
      line(at({ x: 0, y }), at({ x: lastX, y }), { class: 'grid' }),
      text(LEFT - 8, at({ x: 0, y })[1] + 4, shown(y), { class: 'soft', 'text-anchor': 'end' }),
    ]),
    ...series.map(({ points: own }, index) =>
      path(own.map(at), { class: `stroke ${classOf(CLASSES[index % CLASSES.length])}` }),
    ),
    ...series.map(({ label }, index) =>
      text(WIDTH - 20, 14 + index * 14, label, {
        class: `dot ${classOf(CLASSES[index % CLASSES.length])}`,
        'text-anchor': 'end',
      }),
    ),
    text(WIDTH - 20, PANEL + 36, `${shown(lastX)} min`, { class: 'soft', 'text-anchor': 'end' }),
  ];
}
