// How reading a list grows with its pages, and how a tool grows with the members of its schemas.
import { curvesBy, grid } from './grid.mjs';
import { cpuOf, inProcess, sizeOfOne, timesFor } from './in-process.mjs';

/** Pages that are read while something is measured or warmed up. */
const READ = 2000;
const WARM_UPS = 3;

async function measurePages(process, pages) {
  const times = timesFor(pages, READ);
  await process.call('make', { pages });
  for (let left = WARM_UPS; left > 0; left -= 1) await process.call('walk', { times });
  const same = await cpuOf(process, 'walk', { times });
  for (let left = WARM_UPS; left > 0; left -= 1) await process.call('walkVaried', { times });
  const varied = await cpuOf(process, 'walkVaried', { times });
  const foreign = Math.max(same.foreign, varied.foreign);
  return { cpuMs: same.cpu / 1000 / times, variedMs: varied.cpu / 1000 / times, foreign };
}

export const growthPages = {
  id: 'gp',
  title: 'growth: a list of 1 to 1,000 pages',
  note: 'Resources, 20 on a page, read from the first page to the last by a client in the same process. The second list depends on its caller, so that its pages are made for each.',
  ...curvesBy('pages', [
    { metric: 'cpuMs', title: 'reading all pages', unit: 'ms CPU', growth: 'sorted' },
    { metric: 'variedMs', title: 'a list that depends on the caller', unit: 'ms CPU', growth: 'sorted' },
  ]),
  sample: inProcess('pages', measurePages),
  variants: grid(['raw', 'crosspoint'], [1, 10, 100, 1000]),
};

/** Members that are compiled and checked while something is measured or warmed up. */
const COMPILED = 20_000;
const CHECKED = 200_000;

async function measureMembers(process, count) {
  const warm = Math.min(count, 1000);
  await process.call('make', { count: warm, times: timesFor(warm, COMPILED) });
  const times = timesFor(count, COMPILED);
  const made = await cpuOf(process, 'make', { count, times });
  const memory = await sizeOfOne(process, count);
  const calls = timesFor(count, CHECKED);
  await process.call('call', { times: calls });
  const called = await cpuOf(process, 'call', { times: calls });
  const foreign = Math.max(made.foreign, called.foreign);
  return { makeMs: made.cpu / 1000 / times, callMs: called.cpu / 1000 / calls, ...memory, foreign };
}

export const growthMembers = {
  id: 'gm',
  title: 'growth: a schema of 10 to 10,000 members',
  note: 'A tool whose JSON Schemas for arguments and results have so many members, each required; in one process, messages as text.',
  ...curvesBy('members', [
    { metric: 'makeMs', title: 'registering the tool', unit: 'ms CPU', growth: 'linear' },
    { metric: 'callMs', title: 'a call with all members', unit: 'ms CPU', growth: 'linear' },
    { metric: 'kb', title: 'memory of the tool', unit: 'KB of heap', growth: 'linear' },
  ]),
  sample: inProcess('members', measureMembers),
  variants: grid(['raw', 'crosspoint'], [10, 100, 1000, 10_000]),
};
