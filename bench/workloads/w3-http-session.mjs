import { CONNECTIONS, HTTP_METRICS, sampleHttp } from './http-calls.mjs';
import { openSessions } from './http-sessions.mjs';
import { atLeast } from './targets.mjs';

const variant = (subject, more = {}) => ({
  label: subject,
  subject,
  mode: 'session',
  openSessions: (port) => openSessions(port, { count: CONNECTIONS, atOnce: CONNECTIONS, ...more }),
  ...more,
});

export const w3 = {
  id: 'w3',
  title: 'HTTP session: tools/call answered with an event stream, 64 sessions',
  note: 'Every session is opened once, before the measurement. Crosspoint keeps every event for clients that come back; that is its default.',
  metrics: HTTP_METRICS,
  reference: 'raw',
  sample: sampleHttp,
  variants: [
    variant('raw'),
    variant('crosspoint'),
    variant('mcp-lite', { http: { revision: '2025-06-18' } }),
    variant('tmcp'),
    variant('official-v1'),
    variant('official-v2'),
    variant('fastmcp'),
  ],
  targets: [atLeast('crosspoint', 'rate', 0.88)],
};
