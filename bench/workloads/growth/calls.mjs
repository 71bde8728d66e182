// How calls that run at the same time grow: each waits until all of them have begun.
import { costOf } from '../../measure/cost.mjs';
import { ID_MARK } from '../../measure/http-load.mjs';
import { startSubject } from '../../measure/processes.mjs';
import { median } from '../../measure/statistics.mjs';
import { StdioLoad } from '../../measure/stdio-load.mjs';
import { sampleHttp } from '../http-calls.mjs';
import { greet } from '../stdio-calls.mjs';
import { HANDSHAKE, request, SUM_IS_RIGHT, withIdMark } from '../wire.mjs';
import { curvesBy, grid } from './grid.mjs';
import { leftBy } from './in-process.mjs';

const SIZES = [1, 10, 100, 500, 1000, 2000];
/** Calls from which their memory is more than the changes that the runtime makes by itself. */
const LEAST_FOR_MEMORY = 500;
const GOES = 5;
/** Longest wait until all calls have begun. */
const LIMIT_MS = 10_000;

const holdCall = (of) => ({ method: 'tools/call', params: { name: 'hold', arguments: { of } } });
const waitMs = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Begins calls and leaves them waiting. */
async function beginCalls(server, count) {
  const until = performance.now() + LIMIT_MS;
  const line = (id) => `${JSON.stringify(request('handshake', { id, ...holdCall(0) }))}\n`;
  server.child.stdin.write(Array.from({ length: count }, (_, index) => line(index + 1)).join(''));
  while ((await server.call('waiting')) < count) {
    if (performance.now() > until) throw new Error(`Not all of ${count} calls have begun within ${LIMIT_MS} ms.`);
    await waitMs(10);
  }
}

/** The memory of waiting calls: the median of several goes, since the runtime frees code and buffers of its own in between. */
async function memoryOfWaiting(server, count) {
  if (count < LEAST_FOR_MEMORY) return {};
  const goes = [];
  for (let left = GOES; left > 0; left -= 1) {
    goes.push(await leftBy(server, count, () => beginCalls(server, count), LEAST_FOR_MEMORY));
    await server.call('release');
  }
  return { kb: median(goes.map(({ kb }) => kb)) };
}

async function sampleStdio({ subject, x: count }, { warmupMs, sampleMs }) {
  const how = { pipes: true, nodeArgs: ['--expose-gc'] };
  const server = await startSubject(subject, 'stdio', { kit: 'hold' }, how);
  try {
    const line = withIdMark(request('handshake', holdCall(count)));
    const load = new StdioLoad(server.child, { line, mark: ID_MARK, expect: SUM_IS_RIGHT });
    await greet(load, 'handshake');
    await load.run({ ms: warmupMs, inFlight: count });
    const { result, cpu, foreign } = await costOf([server], () => load.run({ ms: sampleMs, inFlight: count }));
    const { errors, firstError } = result;
    return { cpu: cpu[0] / result.count, ...(await memoryOfWaiting(server, count)), foreign, errors, firstError };
  } finally {
    await server.stop();
  }
}

const CALL = { metric: 'cpu', title: 'a call', unit: 'µs CPU', growth: 'flat' };

export const growthStdioCalls = {
  id: 'gca',
  title: 'growth: 1 to 2,000 calls at the same time over stdio',
  note: 'One connection, 2025-11-25 wire; a call is answered when all have begun.',
  ...curvesBy('calls', [
    CALL,
    { metric: 'kb', title: 'memory of the waiting calls', unit: 'KB of heap', growth: 'linear' },
  ]),
  sample: sampleStdio,
  variants: grid(['raw', 'crosspoint'], SIZES),
};

export const growthHttpCalls = {
  id: 'gcb',
  title: 'growth: 1 to 2,000 calls at the same time over HTTP',
  note: 'A connection for each, stateless, 2025-11-25 wire; a call is answered when all have begun.',
  ...curvesBy('calls', [CALL]),
  sample: sampleHttp,
  variants: grid(['raw', 'crosspoint'], SIZES, (_subject, count) => ({
    mode: 'stateless',
    serverOptions: { kit: 'hold' },
    connections: count,
    message: holdCall(count),
  })),
};

async function sampleClient({ subject, x: inFlight }, { warmupMs, sampleMs }) {
  const pair = await startSubject(subject, 'memory', { revision: HANDSHAKE });
  try {
    await pair.call('run', { ms: warmupMs, inFlight });
    const { result, cpu, foreign } = await costOf([pair], () => pair.call('run', { ms: sampleMs, inFlight }));
    return { cpu: cpu[0] / result.count, foreign, errors: result.errors, firstError: result.firstError };
  } finally {
    await pair.stop();
  }
}

export const growthClientCalls = {
  id: 'gcc',
  title: 'growth: 1 to 2,000 calls of a client at the same time',
  note: 'Client and server in one process, 2025-11-25 wire.',
  ...curvesBy('calls', [CALL]),
  sample: sampleClient,
  variants: grid(['raw', 'crosspoint'], SIZES),
};
