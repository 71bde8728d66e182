import { HANDSHAKE, PER_REQUEST, sampleManyInFlight } from './stdio-calls.mjs';
import { atLeast, holdsUp } from './targets.mjs';

const older = (subject) => ({ label: subject, subject, revision: HANDSHAKE });
const newer = (subject) => ({ label: `${subject} @2026`, subject, revision: PER_REQUEST });
const waiting = (subject) => ({
  label: `${subject}, tool waits`,
  subject,
  revision: HANDSHAKE,
  kit: 'later',
  reference: 'raw, tool waits',
});

export const w16 = {
  id: 'w16',
  title: 'many calls in flight in one process, for long',
  note: 'Mixed is 64 in flight after phases of 1 and of 64 by turns. Where the tool waits, for one turn of the event loop, the server has all of them open at once.',
  metrics: [
    { key: 'manyRate', title: '64 in flight: calls/s', better: 'more' },
    { key: 'manyCpu', title: 'CPU µs', better: 'less' },
    { key: 'lotsRate', title: '1,024: calls/s', better: 'more' },
    { key: 'lotsCpu', title: 'CPU µs', better: 'less' },
    { key: 'mixedRate', title: 'mixed: calls/s', better: 'more' },
    { key: 'mixedCpu', title: 'CPU µs', better: 'less' },
  ],
  reference: 'raw',
  sample: sampleManyInFlight,
  variants: [
    older('raw'),
    older('crosspoint'),
    newer('crosspoint'),
    older('tmcp'),
    older('official-v1'),
    older('official-v2'),
    waiting('raw'),
    waiting('crosspoint'),
  ],
  targets: [
    atLeast('crosspoint', 'manyRate', 0.4),
    atLeast('crosspoint @2026', 'manyRate', 0.4),
    atLeast('crosspoint', 'lotsRate', 0.35),
    atLeast('crosspoint @2026', 'lotsRate', 0.35),
    holdsUp('crosspoint', 'mixedRate', { of: 'manyRate', least: 0.9, when: 'before' }),
    holdsUp('crosspoint @2026', 'mixedRate', { of: 'manyRate', least: 0.9, when: 'before' }),
  ],
};
