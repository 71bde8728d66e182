import { circle, classOf, line, path, text } from './svg.mjs';

const LEFT = 52;
const TOP = 30;
const BOTTOM = 34;
const RIGHT = 12;

const decades = (low, high) => {
  const marks = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power += 1)
    marks.push(10 ** power);
  return marks;
};

const STEPS = [
  [1e6, 'M'],
  [1e3, 'k'],
];
const shortTick = (value) => {
  const [size, unit] = STEPS.find(([least]) => value >= least) ?? [1, ''];
  return `${value / size}${unit}`;
};

/** The name of every series at the end of its line, moved apart where they would lie on each other. */
function nameEnds(series, { toX, toY }) {
  const ends = series
    .filter(({ points }) => points.length > 0)
    .map(({ subject, points }) => ({ subject, x: toX(points.at(-1).x), y: toY(points.at(-1).y) }))
    .toSorted((one, other) => one.y - other.y);
  let last = -Infinity;
  return ends.map(({ subject, x, y }) => {
    last = Math.max(y + 4, last + 13);
    return text(x + 8, last, subject, { class: 'soft', 'font-weight': subject === 'crosspoint' ? '600' : undefined });
  });
}

/**
 * One panel of lines, logarithmic in both directions: a constant is flat, and proportional growth rises one step per step.
 * @param {{ title: string, unit: string, x: string, series: { subject: string, points: { x: number, y: number }[] }[] }} panel
 */
export function drawLines({ title, unit, x, series }, { width, height }) {
  const points = series.flatMap((one) => one.points);
  const xMarks = decades(Math.min(...points.map((point) => point.x)), Math.max(...points.map((point) => point.x)));
  const yMarks = decades(Math.min(...points.map((point) => point.y)), Math.max(...points.map((point) => point.y)));
  const right = width - RIGHT - 70;
  const position = (value, marks) => Math.log10(value / marks[0]) / Math.log10(marks.at(-1) / marks[0] || 10);
  const toX = (value) => LEFT + position(value, xMarks) * (right - LEFT);
  const toY = (value) => height - BOTTOM - position(value, yMarks) * (height - BOTTOM - TOP);
  return [
    text(0, 14, title, { class: 'head' }),
    ...yMarks.flatMap((mark) => [
      line([LEFT, toY(mark)], [right, toY(mark)], { class: 'grid' }),
      text(LEFT - 6, toY(mark) + 4, shortTick(mark), { 'text-anchor': 'end', class: 'soft' }),
    ]),
    ...xMarks.map((mark) =>
      text(toX(mark), height - BOTTOM + 16, shortTick(mark), { 'text-anchor': 'middle', class: 'soft' }),
    ),
    text((LEFT + right) / 2, height - 4, `${x}; ${unit}`, { 'text-anchor': 'middle', class: 'soft' }),
    ...series.map(({ subject, points: own }) =>
      path(
        own.map((point) => [toX(point.x), toY(point.y)]),
        { class: `stroke ${classOf(subject)}` },
      ),
    ),
    ...series.flatMap(({ subject, points: own }) =>
      own.map((point) => circle([toX(point.x), toY(point.y)], 2.5, { class: `dot ${classOf(subject)}` })),
    ),
    ...nameEnds(series, { toX, toY }),
  ];
}
