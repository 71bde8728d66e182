import { visibleLine } from '@crosspoint/host';
import type { Colours } from '../../output/colours.ts';
import type { LogLine } from '../../server/offers/offer-operations.ts';

const SEVERE = new Set(['error', 'critical', 'alert', 'emergency']);

/** A line for people: time, level or stderr, and the text with every unseen character visible. */
export function lineText(line: LogLine, { dim, red, yellow }: Colours): string {
  if (line.type === 'stderr') return `${dim(line.at)} stderr ${visibleLine(line.line)}`;
  const { at, level, logger, data } = line;
  const word = visibleLine(level);
  const coloured = SEVERE.has(level) ? red(word) : level === 'warning' ? yellow(word) : word;
  const from = logger === undefined ? '' : ` ${dim(`${visibleLine(logger)}:`)}`;
  return `${dim(at)} ${coloured}${from} ${visibleLine(typeof data === 'string' ? data : (JSON.stringify(data) ?? ''))}`;
}
