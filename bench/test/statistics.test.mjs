import { describe, expect, it } from 'vitest';
import { median, percentile, summarise } from '../measure/statistics.mjs';

describe('statistics', () => {
  it('takes the middle of an odd number of values and the mean of the middle two of an even number', () => {
    expect(median([9, 1, 5])).toBe(5);
    expect(median([4, 1, 3, 2])).toBe(2.5);
    expect(median([7])).toBe(7);
  });

  it('changes nothing it is given', () => {
    const values = [3, 1, 2];
    median(values);
    expect(values).toEqual([3, 1, 2]);
  });

  it('finds the value below which a share lies', () => {
    const sorted = Array.from({ length: 100 }, (_, index) => index + 1);
    expect(percentile(sorted, 0.5)).toBe(51);
    expect(percentile(sorted, 0.99)).toBe(100);
    expect(percentile([5], 0.99)).toBe(5);
  });

  it('takes the median of the ratios of the rounds, not the ratio of the medians', () => {
    const summary = summarise([10, 40, 90], [10, 20, 100]);
    expect(summary).toEqual({ median: 40, low: 10, high: 90, ratio: 1, ratioLow: 0.9, ratioHigh: 2 });
  });

  it('leaves out rounds that one of both lacks', () => {
    expect(summarise([10, undefined, 30], [5, 10, undefined])).toMatchObject({ median: 20, ratio: 2 });
    expect(summarise([10, 30], [])).toEqual({ median: 20, low: 10, high: 30 });
    expect(summarise([undefined], [1])).toBeUndefined();
  });
});
