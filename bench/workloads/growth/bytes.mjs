// How a call grows with its payload, in either direction.
import { sampleBigArgument, sampleBigHttp } from '../big-calls.mjs';
import { curvesBy, grid } from './grid.mjs';

const SIZES = [1000, 10_000, 100_000, 1_000_000, 10_000_000, 50_000_000];
const PEER_SIZES = SIZES.slice(0, -1);
const LITE_HTTP = { revision: '2025-06-18', accept: 'application/json' };

/** The number of calls with about the same bytes in all at every size. */
const callsFor = (bytes) => Math.max(4, Math.min(400, Math.round(20_000_000 / bytes)));
const planFor = ({ x: bytes }) => ({ bytes, warmup: callsFor(bytes), calls: callsFor(bytes) });

const CURVES = [
  { metric: 'cpu', title: 'a call', unit: 'µs CPU', growth: 'linear' },
  { metric: 'peakRssMb', title: 'the server at most', unit: 'MB resident', growth: 'linear' },
];

export const growthBytes = {
  id: 'gb',
  title: 'growth: a result of 1 kB to 50 MB',
  note: 'HTTP, stateless, 2025-11-25 wire, one connection.',
  ...curvesBy('bytes', CURVES),
  sample: (variant) => sampleBigHttp(variant, planFor(variant)),
  variants: [
    ...grid(['raw', 'crosspoint'], SIZES),
    ...grid(['mcp-lite', 'tmcp', 'official-v2'], PEER_SIZES, (subject) =>
      subject === 'mcp-lite' ? { http: LITE_HTTP } : {},
    ),
  ],
};

export const growthArguments = {
  id: 'gq',
  title: 'growth: an argument of 1 kB to 50 MB',
  note: 'HTTP, stateless, 2025-11-25 wire, one connection; the limit for bodies is raised to 64 MB.',
  ...curvesBy('bytes', CURVES),
  sample: (variant) => sampleBigArgument(variant, planFor(variant)),
  variants: grid(['raw', 'crosspoint'], SIZES),
};
