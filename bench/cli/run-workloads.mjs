import { interleave, judge, NOISY_CORES, rowsOf } from '../measure/interleave.mjs';
import { pinDriver } from '../measure/processes.mjs';
import { plainTable } from '../report/table.mjs';
import { saveResults, writeBridges, writeReadme } from '../report/save.mjs';
import { saveGrowth } from '../report/save-growth.mjs';
import { describeMachine, machineLine } from './machine.mjs';
import { peerVersions } from './peers.mjs';

/** One line a sample, so that a long run can be watched. */
function tellProgress(workload, metric, { round, label, figures, error }) {
  const what = error ? `FAILED: ${error.message.slice(0, 500)}` : `${metric} ${figures[metric]?.toPrecision(4)}`;
  const foreign = figures?.foreign > 0.2 ? `, others use ${figures.foreign.toFixed(2)} cores` : '';
  console.error(`  ${workload} round ${round + 1}  ${label.padEnd(28)} ${what}${foreign}`);
}

async function runWorkload(workload, settings) {
  const { id, title, note, curves, metrics, reference, targets } = workload;
  const rounds = Math.min(settings.rounds, workload.rounds ?? Infinity);
  const since = performance.now();
  const tell = (event) => tellProgress(id, metrics[0].key, event);
  const taken = await interleave(workload, { ...settings, rounds }, tell);
  const rows = rowsOf(workload, taken);
  const judged = judge(targets, rows);
  return {
    id,
    title,
    note,
    curves,
    metrics,
    reference,
    rounds,
    seconds: (performance.now() - since) / 1000,
    rows,
    targets: judged,
  };
}

function print({ id, title, note, ...table }) {
  console.log(`\n${id}  ${title}\n\n${plainTable(table)}\n`);
  if (note) console.log(`${note}\n`);
}

/** @param {boolean} isAll whether these are all workloads with all subjects: only then the files of the results are written unasked */
export async function runWorkloads(workloads, options, isAll) {
  const { settings } = options;
  const machine = describeMachine();
  const command = ['npm run bench', ...(process.argv.length > 2 ? ['--', ...process.argv.slice(2)] : [])].join(' ');
  console.log(
    `${machineLine(machine)}\n${settings.rounds} rounds of ${settings.sampleMs} ms; ratios are medians of the rounds, with their range`,
  );
  pinDriver();
  const since = performance.now();
  const tables = [];
  for (const workload of workloads) {
    const reason = workload.unless?.();
    if (reason !== undefined) {
      console.log(`\n${workload.id}  left out: ${reason}\n`);
      continue;
    }
    tables.push(await runWorkload(workload, settings));
    print(tables.at(-1));
  }
  const seconds = (performance.now() - since) / 1000;
  const result = {
    date: new Date().toISOString().slice(0, 10),
    command,
    machine,
    peers: peerVersions(),
    settings,
    seconds,
    tables,
  };
  summarise(result);
  if ((isAll && !settings.isQuick) || options.save) saveResults(result);
  if (options.readme) writeReadme(result);
  else if (options.page) writeBridges(result);
  if (options.pictures) saveGrowth(result);
}

function summarise({ tables, seconds }) {
  const targets = tables.flatMap((table) => table.targets);
  const reached = targets.filter(({ isReached }) => isReached).length;
  const failed = tables.flatMap(({ id, rows }) =>
    rows.filter(({ error }) => error).map(({ label }) => `${id} ${label}`),
  );
  console.log(`${reached} of ${targets.length} targets reached, in ${Math.round(seconds)} s`);
  const rows = tables.flatMap((table) => table.rows).filter(({ figures }) => figures.foreign !== undefined);
  const busy = rows.filter(({ figures }) => figures.foreign.median > NOISY_CORES).length;
  if (busy > 0)
    console.log(
      `The machine was busy with other things in ${busy} of ${rows.length} rows: do not quote these figures.`,
    );
  if (failed.length === 0) return;
  console.log(`Failed: ${failed.join(', ')}`);
  process.exitCode = 1;
}
