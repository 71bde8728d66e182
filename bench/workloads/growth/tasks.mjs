// How a server grows with the tasks that it keeps.
import { curvesBy, grid } from './grid.mjs';
import { cpuOf, inProcess, leftBy } from './in-process.mjs';

/** Tasks that are made before anything is measured, so that the code is compiled. */
const BEFORE = 3000;
const LOOKS = 4000;
const LISTS = 20;
const LEAST_TO_MAKE = 100;

async function measureTasks(process, count) {
  await process.call('make', { count: BEFORE });
  await process.call('look', { times: LOOKS });
  await process.call('forget');
  let made;
  const memory = await leftBy(process, count, async () => {
    made = await cpuOf(process, 'make', { count });
  });
  const looked = await cpuOf(process, 'look', { times: LOOKS });
  await process.call('list', { times: LISTS });
  const listed = await cpuOf(process, 'list', { times: LISTS });
  return {
    ...(count >= LEAST_TO_MAKE ? { makeMs: made.cpu / 1000 } : {}),
    lookCpu: looked.cpu / LOOKS,
    listCpu: listed.cpu / LISTS,
    ...memory,
    foreign: Math.max(made.foreign, looked.foreign),
  };
}

export const growthTasks = {
  id: 'gk',
  title: 'growth: 1 to 100,000 kept tasks',
  note: 'Tasks of the 2025-11-25 wire that have ended, in the memory of the process, whose limit for what callers leave behind is raised; messages as text.',
  ...curvesBy('tasks', [
    { metric: 'makeMs', title: 'making all', unit: 'ms CPU', growth: 'linear' },
    { metric: 'lookCpu', title: 'looking at one', unit: 'µs CPU', growth: 'flat' },
    { metric: 'listCpu', title: 'a page of their list', unit: 'µs CPU', growth: 'flat' },
    { metric: 'kb', title: 'memory of all', unit: 'KB of heap', growth: 'linear' },
    { metric: 'residentKb', title: 'memory of all', unit: 'KB resident', growth: 'linear' },
  ]),
  sample: inProcess('kept-tasks', measureTasks),
  variants: grid(['raw', 'crosspoint'], [1, 100, 1000, 10_000, 100_000]),
};
