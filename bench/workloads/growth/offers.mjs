// How a server grows with what it offers: tools, resources and prompts.
import { sampleHttp } from '../http-calls.mjs';
import { curvesBy, grid } from './grid.mjs';
import { cpuOf, inProcess, sizeOfOne, timesFor } from './in-process.mjs';

const SIZES = [10, 100, 1000, 10_000];
const LITE_HTTP = { revision: '2025-06-18', accept: 'application/json' };

export const growthTools = {
  id: 'gt',
  title: 'growth: a call on a server with 10 to 10,000 tools',
  note: 'HTTP, stateless, 2025-11-25 wire.',
  ...curvesBy('tools', [{ metric: 'cpu', title: 'a call', unit: 'µs CPU', growth: 'flat' }]),
  sample: sampleHttp,
  variants: [
    ...grid(['raw', 'crosspoint'], SIZES, (_subject, count) => variantOf(count)),
    ...grid(['mcp-lite', 'tmcp', 'official-v2'], SIZES.slice(0, -1), (subject, count) => ({
      ...variantOf(count),
      ...(subject === 'mcp-lite' ? { http: LITE_HTTP } : {}),
    })),
  ],
};

function variantOf(count) {
  return { mode: 'stateless', serverOptions: { kit: 'many', count } };
}

/** Entries of each kind that are registered while something is measured or warmed up. */
const REGISTERED = 2000;
const LISTED = 5000;
const USES = 4000;

async function measureOffers(process, count) {
  const warm = Math.min(count, REGISTERED);
  await process.call('make', { count: warm, times: timesFor(warm, REGISTERED) });
  const times = timesFor(count, REGISTERED);
  const made = await cpuOf(process, 'make', { count, times });
  const memory = await sizeOfOne(process, count);
  const lists = Math.max(2, timesFor(count, LISTED));
  await process.call('list', { times: lists });
  const listed = await cpuOf(process, 'list', { times: lists });
  await process.call('use', { times: USES });
  const used = await cpuOf(process, 'use', { times: USES });
  return {
    makeMs: made.cpu / 1000 / times,
    listMs: listed.cpu / 1000 / lists,
    useCpu: used.cpu / USES,
    ...memory,
    foreign: Math.max(made.foreign, listed.foreign, used.foreign),
  };
}

export const growthOffers = {
  id: 'gr',
  title: 'growth: a server with 10 to 10,000 tools, as many resources and as many prompts',
  note: 'In one process, messages as text. The tools share one schema, whose library is thus no part of it; lists are read after a tool has changed.',
  ...curvesBy('of each', [
    { metric: 'makeMs', title: 'registering all', unit: 'ms CPU', growth: 'linear' },
    { metric: 'listMs', title: 'all lists after a change', unit: 'ms CPU', growth: 'sorted' },
    { metric: 'useCpu', title: 'a tool, a resource and a prompt', unit: 'µs CPU', growth: 'flat' },
    { metric: 'kb', title: 'memory of all', unit: 'KB of heap', growth: 'linear' },
  ]),
  sample: inProcess('offers', measureOffers),
  variants: grid(['raw', 'crosspoint'], SIZES),
};
