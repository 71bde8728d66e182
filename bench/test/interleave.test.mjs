import { describe, expect, it } from 'vitest';
import { interleave, judge, rowsOf } from '../measure/interleave.mjs';

const METRICS = [{ key: 'rate', title: 'calls/s', better: 'more' }];
const VARIANTS = [
  { label: 'raw', subject: 'raw' },
  { label: 'ours', subject: 'ours' },
];

/** A table whose samples are taken from lists. */
const tableOf = (samples, order = []) => ({
  variants: VARIANTS,
  metrics: METRICS,
  reference: 'raw',
  sample: async ({ label }) => {
    order.push(label);
    const next = samples[label].shift();
    if (next instanceof Error) throw next;
    return next;
  },
});

describe('interleaving', () => {
  it('takes samples of all variants in turn', async () => {
    const order = [];
    const table = tableOf({ raw: [{ rate: 10 }, { rate: 20 }], ours: [{ rate: 5 }, { rate: 5 }] }, order);
    const taken = await interleave(table, { rounds: 2, retake: true }, () => {});
    expect(order).toEqual(['raw', 'ours', 'raw', 'ours']);
    const [, ours] = rowsOf(table, taken);
    expect(ours).toMatchObject({ label: 'ours', reference: 'raw', rounds: 2, error: undefined });
    expect(ours.figures.rate).toMatchObject({ median: 5, ratio: 0.375, ratioLow: 0.25, ratioHigh: 0.5 });
  });

  it('takes a noisy sample once more and keeps the quieter one', async () => {
    const raw = [
      { rate: 1, foreign: 0.9 },
      { rate: 2, foreign: 0.5 },
    ];
    const ours = [
      { rate: 3, foreign: 0.3 },
      { rate: 4, foreign: 0.8 },
    ];
    const table = tableOf({ raw, ours });
    const taken = await interleave(table, { rounds: 1, retake: true }, () => {});
    expect(taken.get('raw').samples).toEqual([{ rate: 2, foreign: 0.5, retaken: 1 }]);
    expect(taken.get('ours').samples).toEqual([{ rate: 3, foreign: 0.3, retaken: 1 }]);
  });

  it('puts a variant out at its first failure or wrong answer, and goes on with the others', async () => {
    const wrong = { rate: 9, errors: 2, firstError: 'not five' };
    const table = tableOf({ raw: [{ rate: 1 }, new Error('it ended'), { rate: 1 }], ours: [wrong] });
    const taken = await interleave(table, { rounds: 3, retake: false }, () => {});
    expect(taken.get('raw').error).toBe('it ended');
    expect(taken.get('ours').error).toContain('2 wrong answers, the first: not five');
    expect(rowsOf(table, taken).map(({ rounds, figures }) => ({ rounds, figures }))).toEqual([
      { rounds: 1, figures: {} },
      { rounds: 0, figures: {} },
    ]);
  });

  it('counts the target of a variant that failed as missed', () => {
    const rows = [
      { label: 'ours', figures: {}, error: 'it ended' },
      { label: 'theirs', figures: {} },
    ];
    const target = (label) => ({ label, metric: 'rate', text: 'much', judge: () => undefined });
    expect(judge([target('ours'), target('theirs')], rows)).toEqual([
      { label: 'ours', metric: 'rate', text: 'much', value: 'failed', isReached: false },
    ]);
  });
});
