// Targets. Each reads the rows of its table and returns its verdict.
import { shortNumber } from '../report/figures.mjs';

const rowOf = (rows, label) => rows.find((row) => row.label === label);
const percent = (ratio) => `${Math.round(ratio * 100)} %`;
const times = (ratio) => `${ratio.toFixed(2)} ×`;

/** The share of the reference that the median must reach. */
export const atLeast = (label, metric, ratio, name = 'raw') => ({
  label,
  metric,
  text: `≥ ${percent(ratio)} of ${name}`,
  judge: (rows) => judgeRatio(rows, { label, metric, show: percent, holds: (value) => value >= ratio }),
});

/** The multiple of the reference that the median may cost. */
export const atMost = (label, metric, ratio, name = 'raw') => ({
  label,
  metric,
  text: `≤ ${ratio} × ${name}`,
  judge: (rows) => judgeRatio(rows, { label, metric, show: times, holds: (value) => value <= ratio }),
});

/** A limit that does not depend on the machine. */
export const limit = (label, metric, most, unit) => ({
  label,
  metric,
  text: `≤ ${most} ${unit}`,
  judge: (rows) => {
    const value = rowOf(rows, label)?.figures[metric]?.median;
    return value === undefined ? undefined : { value: `${shortNumber(value)} ${unit}`, isReached: value <= most };
  },
});

/** A multiple of the median of another row of the same table. */
export const timesRow = (label, metric, ratio, other) => ({
  label,
  metric,
  text: `≥ ${ratio} × ${other}`,
  judge: (rows) => {
    const ours = rowOf(rows, label)?.figures[metric]?.median;
    const theirs = rowOf(rows, other)?.figures[metric]?.median;
    if (ours === undefined || theirs === undefined) return undefined;
    return { value: times(ours / theirs), isReached: ours / theirs >= ratio };
  },
});

/** The share of another metric of the same row that the median must reach: nothing may slow it down meanwhile. */
export const holdsUp = (label, metric, { of, least, when }) => ({
  label,
  metric,
  text: `≥ ${percent(least)} of that ${when}`,
  judge: (rows) => {
    const { [metric]: now, [of]: then } = rowOf(rows, label)?.figures ?? {};
    if (now === undefined || then === undefined) return undefined;
    return { value: percent(now.median / then.median), isReached: now.median / then.median >= least };
  },
});

/** No more than another row, but for an allowance in the unit of the metric. */
export const withinOf = (label, metric, { other, allowance = 0, unit }) => ({
  label,
  metric,
  text: allowance === 0 ? `less than ${other}` : `≤ ${other} + ${allowance} ${unit}`,
  judge: (rows) => {
    const ours = rowOf(rows, label)?.figures[metric]?.median;
    const theirs = rowOf(rows, other)?.figures[metric]?.median;
    if (ours === undefined || theirs === undefined) return undefined;
    const difference = ours - theirs;
    return {
      value: `${difference < 0 ? '−' : '+'}${shortNumber(Math.abs(difference))} ${unit}`,
      isReached: difference <= allowance,
    };
  },
});

/** Less than every row except those named, which are no peers. */
export const leastOf = (label, metric, { but, unit }) => ({
  label,
  metric,
  text: 'less than every peer',
  judge: (rows) => {
    const ours = rowOf(rows, label)?.figures[metric]?.median;
    const theirs = rows.filter((row) => row.label !== label && !but.includes(row.label));
    const values = theirs.map((row) => row.figures[metric]?.median).filter((value) => value !== undefined);
    if (ours === undefined || values.length === 0) return undefined;
    const least = Math.min(...values);
    return { value: `${shortNumber(ours)} against ${shortNumber(least)} ${unit}`, isReached: ours < least };
  },
});

/** The multiple of another row's hop: both count from the row without a hop. */
export const extraHop = (label, metric, { most, of, over }) => ({
  label,
  metric,
  text: `≤ ${most} × the hop of ${of}`,
  judge: (rows) => {
    const [ours, theirs, none] = [label, of, over].map((name) => rowOf(rows, name)?.figures[metric]?.median);
    if (ours === undefined || theirs === undefined || none === undefined || theirs <= none) return undefined;
    const ratio = (ours - none) / (theirs - none);
    return { value: times(ratio), isReached: ratio <= most };
  },
});

function judgeRatio(rows, { label, metric, show, holds }) {
  const ratio = rowOf(rows, label)?.figures[metric]?.ratio;
  return ratio === undefined ? undefined : { value: show(ratio), isReached: holds(ratio) };
}
