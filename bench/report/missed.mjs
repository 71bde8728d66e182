// The targets that a run has missed, as a table.
import { shortNumber } from './figures.mjs';

function rangeOf({ rows }, { label, metric }) {
  const figure = rows.find((row) => row.label === label)?.figures[metric];
  if (figure === undefined || figure.ratioLow === undefined) return '';
  return `${figure.ratioLow.toFixed(2)} to ${figure.ratioHigh.toFixed(2)} × (${shortNumber(figure.median)})`;
}

/** One line per target, with the range of the ratios over all rounds, and the median of the figure where there is one to compare with. */
export function missedTable({ tables, date }) {
  const lines = tables.flatMap((table) =>
    table.targets
      .filter(({ isReached }) => isReached === false)
      .map((target) => {
        const { title } = table.metrics.find(({ key }) => key === target.metric) ?? { title: target.metric };
        const cells = [table.id, `${table.title}: ${title}`, target.label, target.text, target.value];
        return `| ${[...cells, rangeOf(table, target)].join(' | ')} |`;
      }),
  );
  const head = ['| | figure | row | aimed at | reached | all rounds |', '|---|---|---|---|---|---|'];
  return [`Of the run of ${date.slice(0, 10)}:`, '', ...head, ...lines].join('\n');
}
