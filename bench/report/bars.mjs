import { classOf, line, rect, text } from './svg.mjs';

const ROW = 20;
const HEAD = 26;
const LABEL = 128;
const VALUE = 46;

export const barsHeight = ({ bars }) => HEAD + bars.length * ROW + 22;

/**
 * One panel of horizontal bars, each a share of the reference, whose full length is marked.
 * @param {{ title: string, bars: { label: string, subject: string, share: number }[] }} panel
 */
export function drawBars({ title, bars }, width) {
  const full = width - LABEL - VALUE;
  const longest = Math.max(1, ...bars.map(({ share }) => share));
  const scale = full / longest;
  const end = HEAD + bars.length * ROW;
  const rows = bars.flatMap(({ label, subject, share }, index) => {
    const y = HEAD + index * ROW;
    const length = Math.max(1.5, share * scale);
    return [
      text(LABEL - 8, y + 14, label, {
        'text-anchor': 'end',
        'font-weight': subject === 'crosspoint' ? '600' : undefined,
      }),
      rect(LABEL, y + 3, { width: length, height: ROW - 6 }, { rx: 2, class: `bar ${classOf(subject)}` }),
      text(LABEL + length + 5, y + 14, `${Math.round(share * 100)} %`, { class: 'soft' }),
    ];
  });
  const mark = LABEL + scale;
  return [text(0, 14, title, { class: 'head' }), line([mark, HEAD - 4], [mark, end + 4], { class: 'grid' }), ...rows];
}
