// The results of a run in docs/endurance.md: a table of the series, and the chart beside it.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describeMachine } from '../../bench/cli/machine.mjs';
import { replaceNamed } from '../../bench/report/save.mjs';
import { soakChart } from './chart.mjs';

const inDocs = (name) => fileURLToPath(new URL(`../../docs/${name}`, import.meta.url));
const figure = (value) => (value === undefined ? '–' : value.toFixed(2));

/**
 * The table of a run, with the sentence before it.
 * @param {{ minutes: number, counts: { visits: number, survived: number }, restarts: number, faults: number, verdicts: object[] }} run
 * @param {string} date of the run, year first
 */
export function soakBlock({ minutes, counts, restarts, faults, verdicts }, date) {
  const { system, processor, cores, memoryGb, node } = describeMachine();
  const visits = counts.visits.toLocaleString('en-US');
  const rows = verdicts.map(
    ({ name, unit, middle, added, limit, isFlat }) =>
      `| ${name} | ${unit} | ${figure(middle)} | ${figure(added)} | ${figure(limit)} | ${isFlat ? 'flat' : '**grows**'} |`,
  );
  return [
    `The run of ${date}, ${minutes} minutes on ${system}, ${processor}, ${cores} cores, ${memoryGb} GB, Node ${node}: ${visits} visits, ${restarts} restarts, ${faults} faults.`,
    '',
    '| Series | Unit | Middle | Its slope adds | At most | |',
    '|---|---|---:|---:|---:|---|',
    ...rows,
    '',
    '![Memory, handles and latency over the time of the run](pictures/soak.svg)',
  ].join('\n');
}

/** Writes the chart and the table of a run into the documents. */
export function saveRun({ panels, ...run }) {
  const title = `${run.minutes} minutes of use: ${run.counts.visits.toLocaleString('en-US')} visits, ${run.restarts} restarts`;
  writeFileSync(inDocs('pictures/soak.svg'), soakChart({ title, panels }));
  const page = inDocs('endurance.md');
  const block = soakBlock(run, new Date().toISOString().slice(0, 10));
  writeFileSync(page, replaceNamed(readFileSync(page, 'utf8'), 'soak', block));
  console.error('Written: docs/endurance.md');
}
