import { ratioText, shortNumber } from './figures.mjs';

/** The points of each subject of a curve, in ascending order. */
export function seriesOf({ curve, rows }) {
  const subjects = [...new Set(rows.map(({ subject }) => subject))];
  return subjects.map((subject) => ({
    subject,
    points: rows
      .filter((row) => row.subject === subject && row.figures[curve.metric] !== undefined)
      .map(({ x, figures }) => ({ x, y: figures[curve.metric].median, ratio: figures[curve.metric].ratio })),
  }));
}

/** A curve as a table: a row for every size, a column for every subject. */
export function curveCells(table) {
  const series = seriesOf(table);
  const sizes = [...new Set(series.flatMap(({ points }) => points.map(({ x }) => x)))].toSorted(
    (one, other) => one - other,
  );
  const cellOf = ({ subject, points }, size) => {
    const point = points.find(({ x }) => x === size);
    if (point === undefined) return '–';
    return `${shortNumber(point.y)}${subject === 'raw' || point.ratio === undefined ? '' : ` (${ratioText(point.ratio)})`}`;
  };
  const head = [table.curve.x, ...series.map(({ subject }) => subject)];
  return [head, ...sizes.map((size) => [size.toLocaleString('en'), ...series.map((one) => cellOf(one, size))])];
}
