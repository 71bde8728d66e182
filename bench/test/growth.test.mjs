import { describe, expect, it } from 'vitest';
import { choose, readOptions } from '../cli/options.mjs';
import { exponentOf, growthOf } from '../measure/exponent.mjs';
import { judge } from '../measure/interleave.mjs';
import { growthText } from '../report/curve.mjs';
import { growthBlock } from '../report/growth-page.mjs';
import { drawGrowth } from '../report/pictures.mjs';
import { withEarlier } from '../report/save-growth.mjs';
import { curvesBy, grid } from '../workloads/growth/grid.mjs';
import { WORKLOADS } from '../workloads/index.mjs';
import { RESULT } from './result.mjs';

const points = (cost, sizes = [1, 10, 100, 1000, 10_000]) => sizes.map((x) => ({ x, y: cost(x) }));

describe('the exponent', () => {
  it('is that of the power by which a cost grows', () => {
    for (const [exponent, cost] of [
      [0, () => 7],
      [0.5, (x) => 3 * Math.sqrt(x)],
      [1, (x) => 0.02 * x],
      [2, (x) => x * x],
    ])
      expect(exponentOf(points(cost))).toBeCloseTo(exponent, 10);
  });

  it('lies in the middle where points lie beside the line', () => {
    expect(
      exponentOf([
        { x: 1, y: 1 },
        { x: 10, y: 20 },
        { x: 100, y: 50 },
        { x: 1000, y: 1000 },
      ]),
    ).toBeCloseTo(0.94, 2);
  });

  it('needs two sizes, and costs that have a logarithm', () => {
    expect(exponentOf([])).toBeUndefined();
    expect(exponentOf([{ x: 5, y: 1 }])).toBeUndefined();
    expect(exponentOf([5, 5].map((x) => ({ x, y: x })))).toBeUndefined();
    expect(exponentOf([{ x: 1, y: 0 }, ...points((x) => x, [10, 100])])).toBeCloseTo(1, 10);
  });

  it('of the last sizes shows growth that a constant hides at the first ones, in whatever order they come', () => {
    const hidden = points((x) => 1000 + x * x * 0.001, [1, 10, 100, 1000, 10_000]).toReversed();
    const { whole, end } = growthOf(hidden);
    expect(whole).toBeLessThan(0.6);
    expect(end).toBeGreaterThan(0.9);
    expect(growthOf(points((x) => x, [1, 10]))).toEqual({ whole: 1, end: 1 });
  });

  it('of n log n is within its limit, and that of a square is not', () => {
    const curves = curvesBy('items', [{ metric: 'ms', title: 'work', unit: 'ms', growth: 'sorted' }]);
    const rowsOf = (cost) =>
      points(cost).map(({ x, y }) => ({
        label: `crosspoint, ${x}`,
        subject: 'crosspoint',
        x,
        figures: { ms: { median: y } },
      }));
    const isReached = (cost) => judge(curves.targets, rowsOf(cost)).map((verdict) => verdict.isReached);
    expect(isReached((x) => x * Math.log2(x + 1))).toEqual([true]);
    expect(isReached((x) => x * x)).toEqual([false]);
    expect(judge(curves.targets, [])).toEqual([]);
  });

  it('may be that of raw where the runtime grows faster than the limit, but not by much', () => {
    const { targets } = curvesBy('items', [{ metric: 'ms', title: 'work', unit: 'ms', growth: 'linear' }]);
    const row = (subject, x, power) => ({
      label: `${subject}, ${x}`,
      subject,
      x,
      figures: { ms: { median: x ** power } },
    });
    const verdict = (ours, raw) =>
      judge(
        targets,
        [10, 100, 1000].flatMap((x) => [row('crosspoint', x, ours), row('raw', x, raw)]),
      )[0];
    expect(verdict(1.25, 1.26)).toMatchObject({ value: '1.25', isReached: true });
    expect(verdict(1.25, 1.2).isReached).toBe(false);
    expect(verdict(1.5, 1.6).isReached).toBe(false);
  });

  it('is written once for a curve of so few sizes that the last ones are all', () => {
    expect(growthText(growthOf(points((x) => x, [1, 10])))).toBe('1.00');
    expect(growthText(growthOf(points((x) => x + 1 / x)))).toBe('0.94 (1.00 at the end)');
  });
});

const [, growth] = RESULT.tables;

describe('the curves', () => {
  it('are drawn with the exponents under them', () => {
    const svg = drawGrowth(growth, RESULT);
    expect(svg.match(/<polyline /g)).toHaveLength(2);
    expect(svg).toContain('Exponent: raw 0.00, crosspoint 0.00');
    expect(svg).toContain('Fast &amp; &lt;new&gt;');
    expect(svg).not.toMatch(/NaN|undefined|Infinity/);
  });

  it('have no picture where nothing was measured at two sizes', () => {
    const { rows, ...table } = growth;
    expect(drawGrowth({ ...table, rows: rows.filter(({ x }) => x === 1) }, RESULT)).toBeUndefined();
  });

  it('are written as a page with a picture and a row for each curve', () => {
    const lines = growthBlock({ ...RESULT, tables: [growth] }).split('\n');
    expect(lines).toContain('## Calls with many tools');
    expect(lines).toContain('![Calls with many tools](pictures/growth-gt.svg)');
    expect(lines).toContain('| a call, µs CPU | 60 at 1 | 61 at 1,000 | 0.00 | 0.00 | flat |');
  });

  it('of workloads that a run did not measure are kept from the run before', () => {
    const table = (id, title, more) => ({ id, title, curves: [], ...more });
    const before = { date: '2025-01-01' };
    const earlier = { tables: [table('gs', 'old', before), table('gt', 'old', before)] };
    const result = { date: '2026-01-01', tables: [{ id: 'w1' }, table('gt', 'new'), table('gp', 'new')] };
    const { tables } = withEarlier(result, earlier);
    expect(tables.map(({ id, title, date }) => `${id} ${title} ${date}`)).toEqual([
      'gs old 2025-01-01',
      'gt new 2026-01-01',
      'gp new 2026-01-01',
    ]);
  });
});

describe('the growth workloads', () => {
  const chosen = (...args) => choose(WORKLOADS, readOptions(args));

  it('are all chosen by one word, and left out of a quick run', () => {
    const ids = chosen('growth').map(({ id }) => id);
    expect(ids).toEqual(WORKLOADS.filter(({ curves }) => curves).map(({ id }) => id));
    expect(ids).toEqual(expect.arrayContaining(['gs', 'gla', 'gr', 'gb', 'gca', 'gk', 'gp', 'gm', 'gha']));
    expect(chosen('--quick').some(({ curves }) => curves)).toBe(false);
  });

  it('can be held to a greatest size and to some subjects; those without any are left out', () => {
    const workloads = chosen('growth', '--subjects', 'crosspoint', '--largest', '1000');
    expect(workloads.map(({ id }) => id)).not.toContain('gha');
    const variants = workloads.flatMap((workload) => workload.variants);
    expect(Math.max(...variants.map(({ x }) => x))).toBe(1000);
    expect(new Set(variants.map(({ subject }) => subject))).toEqual(new Set(['raw', 'crosspoint']));
  });

  it('compare every subject with raw at the same size, and have a target for every curve', () => {
    expect(grid(['raw', 'crosspoint'], [1, 1000]).map(({ label, reference }) => [label, reference])).toEqual([
      ['raw, 1', 'raw, 1'],
      ['raw, 1,000', 'raw, 1,000'],
      ['crosspoint, 1', 'raw, 1'],
      ['crosspoint, 1,000', 'raw, 1,000'],
    ]);
    for (const { curves, targets } of chosen('growth'))
      expect(new Set(targets.map(({ metric }) => metric))).toEqual(new Set(curves.map(({ metric }) => metric)));
  });
});
