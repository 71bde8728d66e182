// Whether a series stays flat, by its slope. Nothing here measures anything.
import { median } from '../../bench/measure/statistics.mjs';

/** The share of a series that is left out at its beginning, while code is compiled and caches fill. */
const WARM_UP = 0.25;

/** The slope that half of all pairs are above (Theil and Sen): single peaks do not move it. */
export function slopeOf(points) {
  const slopes = [];
  for (let one = 0; one < points.length; one += 1)
    for (let other = one + 1; other < points.length; other += 1)
      slopes.push((points[other].y - points[one].y) / (points[other].x - points[one].x));
  return median(slopes);
}

/**
 * Judges a series: flat when what its slope adds over the whole time is less than `most`, a share of its middle value, or `least`, whichever is more.
 * @param {{ x: number, y: number }[]} points in the order of time
 * @param {{ most: number, least: number }} limits
 */
export function judge(points, { most, least }) {
  const kept = points.slice(Math.floor(points.length * WARM_UP));
  if (kept.length < 8) return { isFlat: false, reason: `only ${kept.length} points` };
  const slope = slopeOf(kept);
  const added = slope * (kept.at(-1).x - kept[0].x);
  const middle = median(kept.map(({ y }) => y));
  const limit = Math.max(most * middle, least);
  return { isFlat: added <= limit, slope, added, middle, limit };
}
