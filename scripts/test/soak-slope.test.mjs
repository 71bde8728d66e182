import { describe, expect, test } from 'vitest';
import { judge, slopeOf } from '../soak/slope.mjs';

const points = (count, of) => Array.from({ length: count }, (_, x) => ({ x, y: of(x) }));
const LIMITS = { most: 0.1, least: 2 };

describe('the slope of a series', () => {
  test('is that of its line, and single peaks do not move it', () => {
    expect(slopeOf(points(20, (x) => 3 * x + 1))).toBeCloseTo(3);
    expect(slopeOf(points(40, (x) => (x % 13 === 0 ? 500 : 10)))).toBeCloseTo(0);
  });

  test('tells a leak from memory that goes up and down', () => {
    expect(
      judge(
        points(60, (x) => 50 + 5 * Math.sin(x)),
        LIMITS,
      ).isFlat,
    ).toBe(true);
    expect(
      judge(
        points(60, (x) => 50 + 0.5 * x + 5 * Math.sin(x)),
        LIMITS,
      ).isFlat,
    ).toBe(false);
  });

  test('leaves the beginning out, and judges nothing by a few points', () => {
    expect(
      judge(
        points(60, (x) => (x < 12 ? x * 4 : 48)),
        LIMITS,
      ).isFlat,
    ).toBe(true);
    expect(
      judge(
        points(8, () => 1),
        LIMITS,
      ).isFlat,
    ).toBe(false);
  });
});
