// Statistics over samples. Nothing here measures anything.

const ascending = (values) => values.toSorted((one, other) => one - other);

/** @param {number[]} values at least one */
export function median(values) {
  const sorted = ascending(values);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** The value below which the given share of the others lie, from values in ascending order. */
export function percentile(sorted, share) {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}

/**
 * One figure of one subject over all rounds. The ratio is the median of the ratios of each round, not the ratio of the medians: both
 * samples of a round were taken in the same minute, so a slow machine slowed both.
 * @param {(number | undefined)[]} values one a round
 * @param {(number | undefined)[]} reference the reference's, of the same rounds
 */
export function summarise(values, reference) {
  const kept = values.filter((value) => value !== undefined);
  if (kept.length === 0) return undefined;
  const ratios = values.flatMap((value, round) =>
    value === undefined || !reference[round] ? [] : [value / reference[round]],
  );
  const summary = { median: median(kept), low: Math.min(...kept), high: Math.max(...kept) };
  if (ratios.length === 0) return summary;
  return { ...summary, ratio: median(ratios), ratioLow: Math.min(...ratios), ratioHigh: Math.max(...ratios) };
}
