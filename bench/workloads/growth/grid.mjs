// The shape that all growth workloads have: subjects by sizes, curves, and a target for the exponent of each curve.
import { growthOf } from '../../measure/exponent.mjs';
import { pointsOf } from '../../report/curve.mjs';

/** The greatest exponents: noise of a machine and of garbage collection is about 0.1. */
const MOST = { flat: 0.15, linear: 1.1, sorted: 1.2 };
const NAMES = { flat: 'flat', linear: 'linear', sorted: 'n log n' };

/** The rounds of a growth workload; the sizes are as good as further rounds. */
const ROUNDS = 2;

/** Variants for every subject at every size, each compared with raw at the same size. */
export const grid = (subjects, sizes, variantOf = () => ({})) =>
  subjects.flatMap((subject) =>
    sizes.map((x) => ({
      label: `${subject}, ${x.toLocaleString('en')}`,
      subject,
      x,
      reference: `raw, ${x.toLocaleString('en')}`,
      ...variantOf(subject, x),
    })),
  );

/** Parts of the runtime grow faster than linear themselves, such as objects with thousands of members: an exponent may be that of raw, but no more than this beyond its limit. */
const MOST_OF_RAW = 0.2;

/** Whether the exponent of the last sizes is that of the growth that a curve should have. */
const growsAt = (subject, { metric, growth }) => ({
  label: subject,
  metric,
  text: `${NAMES[growth]}: exponent ≤ ${MOST[growth]} or that of raw`,
  judge: (rows) => {
    const ours = growthOf(pointsOf(rows, subject, metric));
    const raw = growthOf(pointsOf(rows, 'raw', metric))?.end ?? -Infinity;
    return ours && { value: ours.end.toFixed(2), isReached: ours.end <= limitWith(MOST[growth], raw) };
  },
});

const limitWith = (most, raw) => Math.max(most, Math.min(raw, most + MOST_OF_RAW));

/**
 * The members of a workload that follow from its curves.
 * @param {string} x the name of the size
 * @param {{ metric: string, title: string, unit: string, growth: 'flat' | 'linear' | 'sorted' }[]} curves
 * @param {string[]} subjects those that have to grow so
 */
export const curvesBy = (x, curves, subjects = ['crosspoint']) => ({
  rounds: ROUNDS,
  reference: 'raw',
  curves: curves.map((curve) => ({ x, ...curve })),
  metrics: curves.map(({ metric, title, unit }) => ({ key: metric, title: `${title}, ${unit}`, better: 'less' })),
  targets: subjects.flatMap((subject) => curves.map((curve) => growsAt(subject, curve))),
});
