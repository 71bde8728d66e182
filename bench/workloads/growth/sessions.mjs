// How sessions grow: opening them, a call in one of them, and the memory of all.
import { costOf } from '../../measure/cost.mjs';
import { DRIVER_CORE, startSubject } from '../../measure/processes.mjs';
import { CONNECTIONS, measureLoad } from '../http-calls.mjs';
import { endSessions, openSessions } from '../http-sessions.mjs';
import { curvesBy, grid } from './grid.mjs';
import { leftBy } from './in-process.mjs';

/** Sessions that are opened and ended before, so that code which is loaded or compiled on first use is not counted. */
const BEFORE = 200;
/** Sizes from which opening takes long enough to be measured. */
const LEAST_TO_OPEN = 100;
const AT_ONCE = 16;

/** One session for each connection of the load, far from each other. */
const spread = (sessions) =>
  Array.from({ length: CONNECTIONS }, (_, index) => sessions[Math.floor((index * sessions.length) / CONNECTIONS)]);

async function sampleSessions(variant, settings) {
  const { subject, x: count, http } = variant;
  const server = await startSubject(subject, 'http', { mode: 'session' }, { nodeArgs: ['--expose-gc'] });
  const driver = await startSubject('driver', 'http-load', {}, { core: DRIVER_CORE });
  try {
    const warm = await openSessions(server.port, { count: BEFORE, atOnce: AT_ONCE, http });
    await endSessions(server.port, warm, http);
    let opened;
    const memory = await leftBy(server, count, async () => {
      opened = await costOf([server], () => openSessions(server.port, { count, atOnce: AT_ONCE, http }));
    });
    const called = await measureLoad({ server, driver, variant, sessions: spread(opened.result) }, settings);
    return { ...called, ...memory, ...(count >= LEAST_TO_OPEN ? { openMs: opened.cpu[0] / 1000 } : {}) };
  } finally {
    await Promise.all([server.stop(), driver.stop()]);
  }
}

export const growthSessions = {
  id: 'gs',
  title: 'growth: 1 to 10,000 sessions',
  note: 'HTTP sessions, answers as event streams, 64 connections spread over the sessions.',
  ...curvesBy('sessions', [
    { metric: 'cpu', title: 'a call in one of them', unit: 'µs CPU', growth: 'flat' },
    { metric: 'openMs', title: 'opening all', unit: 'ms CPU', growth: 'linear' },
    { metric: 'kb', title: 'memory of all', unit: 'KB of heap', growth: 'linear' },
    { metric: 'residentKb', title: 'memory of all', unit: 'KB resident', growth: 'linear' },
  ]),
  sample: sampleSessions,
  variants: grid(['raw', 'crosspoint', 'mcp-lite', 'tmcp'], [1, 100, 1000, 3000, 10_000], (subject) => ({
    mode: 'session',
    ...(subject === 'mcp-lite' ? { http: { revision: '2025-06-18' } } : {}),
  })),
};
