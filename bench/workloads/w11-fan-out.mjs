import { costOf } from '../measure/cost.mjs';
import { Listeners } from '../measure/listeners.mjs';
import { startSubject } from '../measure/processes.mjs';
import { CHANGED, getStreams, listenBegins, listenStreams } from './open-streams.mjs';
import { atMost } from './targets.mjs';

const LISTENERS = 500;
// The first shots run code that is still being compiled, so they are not measured.
const PLAN = { warmup: 20, shots: 20 };
const QUICK_PLAN = { warmup: 10, shots: 5 };
const SETTLE_MS = 20;

/** The standing stream of one session each. */
async function openGetStreams(port, { http }, listeners) {
  await listeners.open(port, await getStreams(port, { count: LISTENERS, http }));
}

/** One listen request each. */
const openListens = (port, { subject }, listeners) =>
  listeners.open(port, listenStreams(LISTENERS), listenBegins(subject));

/** Announces one change and returns the time until the last listener has it. */
export async function shoot(server, listeners) {
  const told = listeners.everyone(CHANGED);
  const since = performance.now();
  await server.call('change');
  const ms = (await told) - since;
  // A duplicate would arrive now.
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
  if (!listeners.gotOnce(CHANGED)) throw new Error('A listener was told of one change more than once.');
  return ms;
}

async function sampleFanOut(variant, { isQuick }) {
  const { warmup, shots } = isQuick ? QUICK_PLAN : PLAN;
  const server = await startSubject(variant.subject, 'http', { mode: variant.mode });
  const listeners = new Listeners();
  try {
    await variant.open(server.port, variant, listeners);
    for (let left = warmup; left > 0; left -= 1) await shoot(server, listeners);
    let ms = 0;
    const { cpu, foreign } = await costOf([server], async () => {
      for (let left = shots; left > 0; left -= 1) ms += await shoot(server, listeners);
    });
    return { ms: ms / shots, cpuMs: cpu[0] / 1000 / shots, foreign };
  } finally {
    listeners.close();
    await server.stop();
  }
}

const METRICS = [
  { key: 'ms', title: 'ms to the last', better: 'less' },
  { key: 'cpuMs', title: 'server CPU ms', better: 'less' },
];
const stream = (subject, http) => ({ label: subject, subject, mode: 'session', http, open: openGetStreams });
const listen = (subject) => ({ label: subject, subject, mode: 'per-request', open: openListens });

export const w11a = {
  id: 'w11a',
  title: 'one change told to 500 listeners: standing streams of sessions',
  note: 'official-v1 and official-v2 cannot tell all sessions at once; their adapters here go through them. fastmcp takes a second to open a session and is left out.',
  metrics: METRICS,
  reference: 'raw',
  sample: sampleFanOut,
  variants: [
    stream('raw'),
    stream('crosspoint'),
    stream('mcp-lite', { revision: '2025-06-18' }),
    stream('tmcp'),
    stream('official-v1'),
    stream('official-v2'),
  ],
  targets: [atMost('crosspoint', 'ms', 1.2)],
};

export const w11b = {
  id: 'w11b',
  title: 'one change told to 500 listeners: subscriptions/listen',
  metrics: METRICS,
  reference: 'raw',
  sample: sampleFanOut,
  variants: [listen('raw'), listen('crosspoint'), listen('tmcp'), listen('official-v2')],
  targets: [atMost('crosspoint', 'ms', 1.2)],
};
