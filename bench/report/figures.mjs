/** A number with three significant digits, and none behind the point from 100 on. */
export function shortNumber(value) {
  if (value === undefined || Number.isNaN(value)) return '';
  if (value >= 100 || Number.isInteger(value)) return Math.round(value).toLocaleString('en');
  return value >= 10 ? value.toFixed(1) : value.toPrecision(3).replace(/\.?0+$/, '');
}

/** A ratio as shown beside a figure. */
export const ratioText = (ratio) => `×${ratio >= 100 ? Math.round(ratio) : ratio.toPrecision(3)}`;

/** The ratio with the range over the rounds. */
export function rangeText({ ratio, ratioLow, ratioHigh }) {
  const range = `${ratioLow.toPrecision(3)}–${ratioHigh.toPrecision(3)}`;
  return `${ratioText(ratio)} [${range}]`;
}
