// How a cost grows with a size: the exponent of the power of the size that fits it best. 0 is flat, 1 is proportional, 2 is a square.

/** Sizes at the end of a curve from which its second exponent is taken: constant costs, which hide growth at small sizes, matter least there. */
const LAST = 3;

/**
 * The slope of the straight line through the logarithms of the points, by least squares.
 * @param {{ x: number, y: number }[]} points
 * @returns {number | undefined} nothing for fewer than two sizes
 */
export function exponentOf(points) {
  const logs = points.filter(({ x, y }) => x > 0 && y > 0).map(({ x, y }) => [Math.log(x), Math.log(y)]);
  const mean = (at) => logs.reduce((sum, pair) => sum + pair[at], 0) / logs.length;
  const [meanX, meanY] = [mean(0), mean(1)];
  const spread = logs.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0);
  if (logs.length < 2 || spread === 0) return undefined;
  return logs.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0) / spread;
}

/**
 * Both exponents of a curve: over all of its sizes, and over the last three.
 * @param {{ x: number, y: number }[]} points
 * @returns {{ whole: number, end: number } | undefined} nothing for fewer than two sizes
 */
export function growthOf(points) {
  const ordered = points.toSorted((one, other) => one.x - other.x);
  const whole = exponentOf(ordered);
  return whole === undefined ? undefined : { whole, end: exponentOf(ordered.slice(-LAST)) ?? whole };
}
