// The part of docs/growth.md that a run writes: for each workload a heading, its picture, and the exponents of its curves.
import { machineLine } from '../cli/machine.mjs';
import { seriesOf } from './curve.mjs';
import { shortNumber } from './figures.mjs';
import { pictureOf } from './pictures.mjs';

const EXPECTED = { flat: 'flat', linear: 'proportional', sorted: 'n log n' };
const MINUS = '−';

/** One line for each curve and subject that has to grow so: its exponents, those of raw, and the costs at the least and the greatest size. */
function linesOf(table) {
  return table.curves.flatMap((curve) => {
    const series = seriesOf(table, curve);
    const raw = series.find(({ subject }) => subject === 'raw');
    return table.targets
      .filter(({ metric }) => metric === curve.metric)
      .flatMap(({ label, isReached }) => {
        const own = series.find(({ subject }) => subject === label);
        if (own?.growth === undefined) return [];
        const subject = label === 'crosspoint' ? '' : ` (${label})`;
        const [first, last] = [own.points[0], own.points.at(-1)];
        const cost = ({ x, y }) => `${shortNumber(y)} at ${x.toLocaleString('en')}`;
        return [
          [
            `${curve.title}, ${curve.unit}${subject}`,
            cost(first),
            cost(last),
            exponents(own.growth),
            raw?.growth === undefined ? '' : exponents(raw.growth),
            `${EXPECTED[curve.growth]}${isReached ? '' : ': **missed**'}`,
          ],
        ];
      });
  });
}

const exponents = ({ whole, end }) =>
  [...new Set([whole, end])].map((value) => value.toFixed(2).replace('-', MINUS)).join(' / ');

function sectionOf(table) {
  const title = table.title.replace('growth: ', '');
  const name = `${title[0].toUpperCase()}${title.slice(1)}`;
  const head = ['', 'least', 'greatest', 'exponent', 'of raw', 'expected'];
  const rows = [head, head.map((_, at) => (at === 0 || at === 5 ? '---' : '---:')), ...linesOf(table)];
  return [
    `## ${name}`,
    ...(table.note ? [table.note] : []),
    `![${name}](pictures/${pictureOf(table)})`,
    rows.map((cells) => `| ${cells.join(' | ')} |`).join('\n'),
    `Measured on ${table.date} with \`${table.command}\`; \`npm run bench -- ${table.id}\` measures it alone.`,
  ].join('\n\n');
}

/** @param {object} result with growth tables alone */
export function growthBlock({ machine, tables }) {
  const measured = `Measured on ${machineLine(machine)}. Exponents are of the whole curve / of its last three sizes, where there are more.`;
  return [measured, ...tables.map(sectionOf)].join('\n\n');
}
