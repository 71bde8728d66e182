import { costOf } from '../measure/cost.mjs';
import { startSubject } from '../measure/processes.mjs';
import { openSessions } from './http-sessions.mjs';
import { limit } from './targets.mjs';

const SESSIONS = 2000;
const QUICK_SESSIONS = 500;
const BEFORE = 200;

/** Opens sessions and leaves them idle. Some are opened first, so that code loaded or compiled on first use is not counted. */
async function sampleSessions({ subject, atOnce = 8, http, share = 1 }, { isQuick }) {
  const server = await startSubject(subject, 'http', { mode: 'session' }, { nodeArgs: ['--expose-gc'] });
  try {
    const count = (isQuick ? QUICK_SESSIONS : SESSIONS) * share;
    await openSessions(server.port, { count: BEFORE * share, atOnce, http });
    const before = await server.call('settle');
    const { cpu, foreign } = await costOf([server], () => openSessions(server.port, { count, atOnce, http }));
    const after = await server.call('settle');
    return {
      rss: (after.rss - before.rss) / 1024 / count,
      heap: (after.heapUsed - before.heapUsed) / 1024 / count,
      cpu: cpu[0] / count,
      foreign,
    };
  } finally {
    await server.stop();
  }
}

const variant = (subject, more = {}) => ({ label: subject, subject, ...more });

export const w6 = {
  id: 'w6',
  title: 'memory of an idle session, 2,000 of them',
  note: 'Initialised over HTTP, no open stream, garbage collected. fastmcp takes a second to open one, so a quarter of them is opened.',
  rounds: 3,
  metrics: [
    { key: 'rss', title: 'resident KB', better: 'less' },
    { key: 'heap', title: 'heap KB', better: 'less' },
    { key: 'cpu', title: 'CPU µs to open', better: 'less' },
  ],
  reference: 'raw',
  sample: sampleSessions,
  variants: [
    variant('raw'),
    variant('crosspoint'),
    variant('mcp-lite', { http: { revision: '2025-06-18' } }),
    variant('tmcp'),
    variant('official-v2'),
    variant('official-v1'),
    variant('fastmcp', { atOnce: 64, share: 0.25 }),
  ],
  targets: [limit('crosspoint', 'rss', 6, 'KB')],
};
