import { afterAll, describe, expect, it } from 'vitest';
import { stopAll } from '../measure/processes.mjs';
import { b1a, b1d, b2b } from '../workloads/bridges.mjs';
import { extraHop } from '../workloads/targets.mjs';

const SHORT = { warmupMs: 30, sampleMs: 60 };
/** Rows that need none of the peers, of a few tables; references are the same in all tables of HTTP. */
const rowsOf = ({ id, variants, sample }) =>
  variants
    .filter(({ subject }) => subject === 'crosspoint' || (['direct', 'bare'].includes(subject) && !/^b1[bcd]/.test(id)))
    .map((variant) => ({ name: `${id} ${variant.label}`, variant, sample }));

afterAll(stopAll);

describe('calls through a bridge', () => {
  it.each([b1a, b1d, b2b].flatMap(rowsOf))('$name', async ({ variant, sample }) => {
    const figures = await sample(variant, SHORT);
    expect(figures.firstError).toBeUndefined();
    expect(figures.errors).toBe(0);
    expect(figures.manyRate).toBeGreaterThan(0);
    expect(figures.manyAll).toBeGreaterThan(0);
    if (variant.subject === 'direct') expect(figures.manyCpu).toBeUndefined();
    else expect(figures.manyAll).toBeGreaterThan(figures.manyCpu);
  });

  it('cost a multiple of the bare hop, counted from the direct call', () => {
    const rows = Object.entries({ direct: 20, bare: 60, ours: 80 }).map(([label, median]) => ({
      label,
      figures: { all: { median } },
    }));
    const target = (most) => extraHop('ours', 'all', { most, of: 'bare', over: 'direct' }).judge(rows);
    expect(target(1.5)).toEqual({ value: '1.50 ×', isReached: true });
    expect(target(1.4)).toMatchObject({ isReached: false });
    expect(extraHop('ours', 'rate', { most: 1, of: 'bare', over: 'direct' }).judge(rows)).toBeUndefined();
  });
});
