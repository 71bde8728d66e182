// How open streams grow: opening them, telling all of them of one change, and their memory.
import { costOf } from '../../measure/cost.mjs';
import { Listeners } from '../../measure/listeners.mjs';
import { startSubject } from '../../measure/processes.mjs';
import { getStreams, listenBegins, listenStreams } from '../open-streams.mjs';
import { shoot } from '../w11-fan-out.mjs';
import { curvesBy, grid } from './grid.mjs';
import { leftBy, timesFor } from './in-process.mjs';

/** Streams that are opened and told before anything is measured, and then closed. */
const BEFORE = 100;
const SHOTS_BEFORE = 20;
const LEAST_SHOTS = 5;
/** Streams that are told in all, as far as no more than 40 shots are needed. */
const TOLD = 4000;
const LEAST_TO_OPEN = 100;

const shotsFor = (count) => Math.min(40, Math.max(LEAST_SHOTS, timesFor(count, TOLD)));

async function shootAll(server, listeners, shots) {
  for (let left = shots; left > 0; left -= 1) await shoot(server, listeners);
}

async function warmUp(server, requests, begins) {
  const listeners = new Listeners();
  await listeners.open(server.port, requests, begins);
  await shootAll(server, listeners, SHOTS_BEFORE);
  listeners.close();
}

/** @param {(port: number, count: number) => Promise<object[]> | object[]} requestsFor */
const sampleStreams = (requestsFor, beginsOf) => async (variant) => {
  const { subject, x: count, mode } = variant;
  const server = await startSubject(subject, 'http', { mode }, { nodeArgs: ['--expose-gc'] });
  const listeners = new Listeners();
  const begins = beginsOf(subject);
  try {
    await warmUp(server, await requestsFor(server.port, BEFORE), begins);
    const requests = await requestsFor(server.port, count);
    let opened;
    const memory = await leftBy(server, count, async () => {
      opened = await costOf([server], () => listeners.open(server.port, requests, begins));
    });
    const shots = shotsFor(count);
    const told = await costOf([server], () => shootAll(server, listeners, shots));
    const open = count >= LEAST_TO_OPEN ? { openMs: opened.cpu[0] / 1000 } : {};
    return { tellMs: told.cpu[0] / 1000 / shots, ...open, ...memory, foreign: told.foreign };
  } finally {
    listeners.close();
    await server.stop();
  }
};

const SIZES = [1, 10, 100, 1000, 2000, 5000];
const CURVES = [
  { metric: 'tellMs', title: 'one change told to all', unit: 'ms CPU', growth: 'linear' },
  { metric: 'openMs', title: 'opening all', unit: 'ms CPU', growth: 'linear' },
  { metric: 'kb', title: 'memory of all', unit: 'KB of heap', growth: 'linear' },
  { metric: 'residentKb', title: 'memory of all', unit: 'KB resident', growth: 'linear' },
];

export const growthStreams = {
  id: 'gla',
  title: 'growth: 1 to 5,000 open streams of sessions',
  note: 'The standing stream of a session each; most of its memory is that of the socket, which raw has too.',
  ...curvesBy('streams', CURVES),
  sample: sampleStreams(
    (port, count) => getStreams(port, { count }),
    () => undefined,
  ),
  variants: grid(['raw', 'crosspoint'], SIZES, () => ({ mode: 'session' })),
};

export const growthListens = {
  id: 'glb',
  title: 'growth: 1 to 5,000 streams of subscriptions/listen',
  note: 'Most of the memory is that of the socket, which raw has too.',
  ...curvesBy('streams', CURVES),
  sample: sampleStreams((_port, count) => listenStreams(count), listenBegins),
  variants: grid(['raw', 'crosspoint'], SIZES, () => ({ mode: 'per-request' })),
};
