import { growthOf } from '../measure/exponent.mjs';
import { ratioText, shortNumber } from './figures.mjs';

/** The points of one subject of a curve, in ascending order. */
export const pointsOf = (rows, subject, metric) =>
  rows
    .filter((row) => row.subject === subject && row.figures[metric] !== undefined)
    .map(({ x, figures }) => ({ x, y: figures[metric].median, ratio: figures[metric].ratio }))
    .toSorted((one, other) => one.x - other.x);

/** The points of each subject of a curve, with the exponents by which they grow. */
export function seriesOf({ rows }, { metric }) {
  const subjects = [...new Set(rows.map(({ subject }) => subject))];
  return subjects.map((subject) => {
    const points = pointsOf(rows, subject, metric);
    return { subject, points, growth: growthOf(points) };
  });
}

/** A curve as a panel for `drawLines`. */
export const panelOfCurve = (table, curve) => ({
  title: `${table.title.replace('growth: ', '')}: ${curve.title}`,
  x: curve.x,
  unit: curve.unit,
  series: seriesOf(table, curve),
});

/** Whether a panel has a line to draw. */
export const isDrawn = ({ series }) => series.some(({ points }) => points.length > 1);

const exponent = (value) => value.toFixed(2).replace('-', '−');

/** Both exponents in words: that of the whole curve, and that of its last sizes where there are more. */
export const growthText = ({ whole, end }) =>
  whole === end ? exponent(whole) : `${exponent(whole)} (${exponent(end)} at the end)`;

/** A curve as a table: a row for every size, a column for every subject, and the exponents in the last row. */
export function curveCells(table, curve) {
  const series = seriesOf(table, curve);
  const sizes = [...new Set(series.flatMap(({ points }) => points.map(({ x }) => x)))].toSorted(
    (one, other) => one - other,
  );
  const cellOf = ({ subject, points }, size) => {
    const point = points.find(({ x }) => x === size);
    if (point === undefined) return '–';
    return `${shortNumber(point.y)}${subject === 'raw' || point.ratio === undefined ? '' : ` (${ratioText(point.ratio)})`}`;
  };
  const head = [curve.x, ...series.map(({ subject }) => subject)];
  const body = sizes.map((size) => [size.toLocaleString('en'), ...series.map((one) => cellOf(one, size))]);
  return [head, ...body, ['exponent', ...series.map(({ growth }) => (growth ? growthText(growth) : '–'))]];
}
