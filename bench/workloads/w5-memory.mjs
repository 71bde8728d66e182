import { HANDSHAKE, PER_REQUEST, sampleMemory } from './stdio-calls.mjs';
import { atLeast, timesRow } from './targets.mjs';

const older = (subject) => ({ label: subject, subject, revision: HANDSHAKE });
const newer = (subject) => ({ label: `${subject} @2026`, subject, revision: PER_REQUEST });

export const w5 = {
  id: 'w5',
  title: 'client and server in one process',
  note: 'raw passes objects and checks nothing. tmcp has no client: its aid for tests stands in, which does less than one.',
  metrics: [
    { key: 'oneRate', title: 'sequential: calls/s', better: 'more' },
    { key: 'oneCpu', title: 'CPU µs', better: 'less' },
    { key: 'manyRate', title: '64 at once: calls/s', better: 'more' },
    { key: 'manyCpu', title: 'CPU µs', better: 'less' },
  ],
  reference: 'raw',
  sample: sampleMemory,
  variants: [
    older('raw'),
    older('crosspoint'),
    newer('crosspoint'),
    older('tmcp'),
    newer('tmcp'),
    older('official-v1'),
    older('official-v2'),
    newer('official-v2'),
    older('fastmcp'),
  ],
  targets: [
    atLeast('crosspoint', 'oneRate', 0.5),
    atLeast('crosspoint @2026', 'oneRate', 0.5),
    timesRow('crosspoint', 'oneRate', 4, 'tmcp'),
    timesRow('crosspoint @2026', 'oneRate', 4, 'tmcp @2026'),
  ],
};
