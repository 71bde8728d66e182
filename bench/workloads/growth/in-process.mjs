// Samples of a part that does its work in its own process and answers commands: processor time of a command, and the memory that it leaves.
import { costOf } from '../../measure/cost.mjs';
import { startSubject } from '../../measure/processes.mjs';

/** Sizes from which memory is measured: below, the changes that the runtime makes by itself are more. */
const LEAST_FOR_MEMORY = 1000;
/** Items that are kept for a measurement of memory: copies of a small state. */
const KEPT = 10_000;

/** How often work of a size is done so that it adds up to `work` items, and takes long enough to be measured. */
export const timesFor = (size, work) => Math.max(1, Math.round(work / size));

/** Processor time of a command in microseconds. */
export async function cpuOf(process, command, argument) {
  const { cpu, foreign } = await costOf([process], () => process.call(command, argument));
  return { cpu: cpu[0], foreign };
}

/** Kilobytes that some work leaves in a process: on the heap and in buffers, and resident. No figure below the least size, nor where the runtime has given back more. */
export async function leftBy(process, size, work, least = LEAST_FOR_MEMORY) {
  const before = await process.call('settle');
  await work();
  const after = await process.call('settle');
  const grown = (...members) => members.reduce((sum, name) => sum + after[name] - before[name], 0) / 1024;
  const figures = Object.entries({ kb: grown('heapUsed', 'external'), residentKb: grown('rss') });
  return Object.fromEntries(figures.filter(([, kb]) => size >= least && kb > 0));
}

/** Kilobytes of one state of a size that `make` makes, from as many copies as it takes. */
export async function sizeOfOne(process, count) {
  const times = timesFor(count, KEPT);
  await process.call('forget');
  const { kb } = await leftBy(process, KEPT, () => process.call('make', { count, times, isKept: true }));
  return { kb: kb / times };
}

/**
 * A sample of a part in a process of its own, with garbage collected on request.
 * @param {string} part
 * @param {(process: object, size: number) => Promise<object>} measure returns the figures
 */
export const inProcess = (part, measure) => async (variant) => {
  const process = await startSubject(variant.subject, part, {}, { nodeArgs: ['--expose-gc'] });
  try {
    return { errors: 0, ...(await measure(process, variant.x)) };
  } finally {
    await process.stop();
  }
};
