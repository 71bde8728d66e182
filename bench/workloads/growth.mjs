// How the cost of a call grows with the size of a server's state: flat or proportional is right.
import { sampleBigHttp } from './big-calls.mjs';
import { CONNECTIONS, sampleHttp } from './http-calls.mjs';
import { openSessions } from './http-sessions.mjs';

const ROUNDS = 2;
const LITE_HTTP = { revision: '2025-06-18', accept: 'application/json' };
const METRICS = [{ key: 'cpu', title: 'server CPU µs a call', better: 'less' }];

/** Variants for every subject at every size, each compared with raw at the same size. */
const grid = (subjects, sizes, variantOf) =>
  subjects.flatMap((subject) =>
    sizes.map((x) => ({
      label: `${subject}, ${x.toLocaleString('en')}`,
      subject,
      x,
      reference: `raw, ${x.toLocaleString('en')}`,
      ...variantOf(subject, x),
    })),
  );

export const growthTools = {
  id: 'gt',
  title: 'growth: a call on a server with 1 to 1,000 tools',
  note: 'HTTP, stateless, 2025-11-25 wire.',
  rounds: ROUNDS,
  curve: { x: 'tools', metric: 'cpu', unit: 'µs CPU a call' },
  metrics: METRICS,
  reference: 'raw',
  sample: sampleHttp,
  variants: grid(['raw', 'crosspoint', 'mcp-lite', 'tmcp', 'official-v2'], [1, 10, 100, 1000], (subject, count) => ({
    mode: 'stateless',
    serverOptions: { kit: 'many', count },
    ...(subject === 'mcp-lite' ? { http: LITE_HTTP } : {}),
  })),
  targets: [],
};

/** Opens all sessions; the load goes to as many of them as there are connections. */
async function openAll(port, { x, http }) {
  const sessions = await openSessions(port, { count: x, atOnce: 16, http });
  return Array.from(
    { length: CONNECTIONS },
    (_, index) => sessions[Math.floor((index * sessions.length) / CONNECTIONS)],
  );
}

export const growthSessions = {
  id: 'gs',
  title: 'growth: a call in one of 1 to 10,000 sessions',
  note: 'HTTP session, answer as an event stream, 64 connections spread over the sessions.',
  rounds: ROUNDS,
  curve: { x: 'sessions', metric: 'cpu', unit: 'µs CPU a call' },
  metrics: METRICS,
  reference: 'raw',
  sample: sampleHttp,
  variants: grid(['raw', 'crosspoint', 'mcp-lite', 'tmcp'], [1, 100, 1000, 10_000], (subject) => ({
    mode: 'session',
    openSessions: openAll,
    ...(subject === 'mcp-lite' ? { http: { revision: '2025-06-18' } } : {}),
  })),
  targets: [],
};

/** The number of calls with about the same bytes in all at every size. */
const callsFor = (bytes) => Math.max(5, Math.min(400, Math.round(20_000_000 / bytes)));

export const growthBytes = {
  id: 'gb',
  title: 'growth: a result of 1 kB to 10 MB',
  note: 'HTTP, stateless, 2025-11-25 wire, one connection.',
  rounds: ROUNDS,
  curve: { x: 'bytes', metric: 'cpu', unit: 'µs CPU a call' },
  metrics: METRICS,
  reference: 'raw',
  sample: (variant) => {
    const calls = callsFor(variant.x);
    return sampleBigHttp(variant, { bytes: variant.x, warmup: calls, calls });
  },
  variants: grid(
    ['raw', 'crosspoint', 'mcp-lite', 'tmcp', 'official-v2'],
    [1000, 10_000, 100_000, 1_000_000, 10_000_000],
    (subject) => (subject === 'mcp-lite' ? { http: LITE_HTTP } : {}),
  ),
  targets: [],
};
