import { parseArgs } from 'node:util';

export const HELP = `Measures Crosspoint beside the bare runtime and other implementations.

  npm run bench                               everything, about 55 minutes
  npm run bench -- --quick                    a first impression in under 3 minutes, without the growth curves
  npm run bench -- w1 w4a                     these workloads alone
  npm run bench -- w4                         w4a and w4b
  npm run bench -- w1 --subjects crosspoint,raw
  npm run bench -- growth --subjects crosspoint --pictures   all growth curves, with raw, about 8 minutes

  --against FOLDER   compare with another checkout, which is built: this Crosspoint against that one, which is measured twice to show the noise
  --subjects a,b     these subjects alone; raw is always taken along, because everything is compared with it
  --largest N        leave out the sizes of growth curves beyond this
  --rounds N         so many rounds; 5 otherwise, 1 with --quick
  --sample-ms N      how long one sample lasts; 800 otherwise, 200 with --quick
  --no-retake        keep samples that were taken while others used the machine; otherwise they are taken once more
  --save             write the result to bench/results/ even though not everything was run
  --pictures         draw the growth curves into docs/pictures/ and write their exponents into docs/growth.md; alone: those of the last saved run
  --readme           put the short table into README.md, between its two markers; alone: that of the last saved run
  --page             put the table of bridges (b1, b2) into docs/performance.md; alone: that of the last saved run
  --list             name the workloads and their subjects
  --help             this text

Tables go to standard output, progress to standard error. A run of everything writes bench/results/latest.json, table.md and chart.svg.
How to read the figures: bench/README.md.`;

const OPTIONS = {
  quick: { type: 'boolean', default: false },
  against: { type: 'string' },
  subjects: { type: 'string' },
  largest: { type: 'string' },
  rounds: { type: 'string' },
  'sample-ms': { type: 'string' },
  'no-retake': { type: 'boolean', default: false },
  save: { type: 'boolean', default: false },
  pictures: { type: 'boolean', default: false },
  readme: { type: 'boolean', default: false },
  page: { type: 'boolean', default: false },
  list: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
};

const FULL = { rounds: 5, warmupMs: 800, sampleMs: 800 };
const QUICK = { rounds: 1, warmupMs: 200, sampleMs: 200 };

function positive(name, text, otherwise) {
  if (text === undefined) return otherwise;
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1)
    throw new Error(`--${name} takes a whole number from 1 on, not "${text}".`);
  return value;
}

/** @param {string[]} args the command line after the name of the program */
export function readOptions(args) {
  const { values, positionals } = parseArgs({ args, options: OPTIONS, allowPositionals: true });
  const defaults = values.quick ? QUICK : FULL;
  const sampleMs = positive('sample-ms', values['sample-ms'], defaults.sampleMs);
  return {
    ...values,
    workloads: positionals,
    largest: positive('largest', values.largest, Infinity),
    subjects: values.subjects?.split(',').map((name) => name.trim()),
    settings: {
      rounds: positive('rounds', values.rounds, defaults.rounds),
      warmupMs: values['sample-ms'] === undefined ? defaults.warmupMs : sampleMs,
      sampleMs,
      retake: !values['no-retake'] && !values.quick,
      isQuick: values.quick,
    },
  };
}

/** Whether a name stands for a workload: its id, its id without the last letter, or `growth` for all that have curves. */
const isCalled = ({ id, curves }, name) =>
  id === name || id.replace(/[a-z]$/, '') === name || (name === 'growth' && curves !== undefined);

/** The workloads that were asked for, with the subjects and sizes that were asked for. */
export function choose(all, { workloads, subjects, quick, largest = Infinity }) {
  const known = new Set(all.flatMap(({ variants }) => variants.map(({ subject }) => subject)));
  const strange = subjects?.find((name) => !known.has(name));
  if (strange !== undefined) throw new Error(`There is no subject "${strange}". There are: ${[...known].join(', ')}.`);
  const isAsked = (workload) => workloads.some((name) => isCalled(workload, name));
  const unknown = workloads.find((name) => !all.some((workload) => isCalled(workload, name)));
  if (unknown !== undefined)
    throw new Error(`There is no workload "${unknown}". There are: ${all.map(({ id }) => id).join(', ')}.`);
  const isUnasked = ({ curves }) => !(quick && curves);
  const chosen = all.filter(workloads.length === 0 ? isUnasked : isAsked);
  const isWanted = ({ subject, x = 0 }) =>
    x <= largest && (subjects === undefined || subject === 'raw' || subjects.includes(subject));
  return chosen
    .map((workload) => ({ ...workload, variants: workload.variants.filter(isWanted) }))
    .filter(({ variants }) => variants.length > 0);
}
