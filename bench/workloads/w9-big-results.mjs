import { sampleBigHttp, sampleBigStdio } from './big-calls.mjs';
import { atMost } from './targets.mjs';

const PLAN = { bytes: 10_000_000, warmup: 3, calls: 5 };
const QUICK_PLAN = { bytes: 10_000_000, warmup: 1, calls: 2 };

const METRICS = [
  { key: 'ms', title: 'ms', better: 'less' },
  { key: 'cpuMs', title: 'CPU ms', better: 'less' },
  { key: 'peakRssMb', title: 'peak resident MB', better: 'less' },
];
const older = (subject, http) => ({ label: subject, subject, http });
const newer = (subject) => ({ label: `${subject} @2026`, subject, family: 'per-request', reference: 'raw @2026' });
const targetsOf = (label, reference) => [
  atMost(label, 'ms', 1.15, reference),
  atMost(label, 'peakRssMb', 1.3, reference),
];

export const w9a = {
  id: 'w9a',
  title: 'a result of 10 MB over HTTP',
  metrics: METRICS,
  reference: 'raw',
  sample: (variant, { isQuick }) => sampleBigHttp(variant, isQuick ? QUICK_PLAN : PLAN),
  variants: [
    older('raw'),
    older('crosspoint'),
    older('mcp-lite', { revision: '2025-06-18', accept: 'application/json' }),
    older('tmcp'),
    older('official-v1'),
    older('official-v2'),
    older('fastmcp'),
    newer('raw'),
    newer('crosspoint'),
    newer('tmcp'),
    newer('official-v2'),
  ],
  targets: [...targetsOf('crosspoint', 'raw'), ...targetsOf('crosspoint @2026', 'raw @2026')],
};

export const w9b = {
  id: 'w9b',
  title: 'a result of 10 MB over stdio',
  metrics: METRICS,
  reference: 'raw',
  sample: (variant, { isQuick }) => sampleBigStdio(variant, isQuick ? QUICK_PLAN : PLAN),
  variants: [
    older('raw'),
    older('crosspoint'),
    older('tmcp'),
    older('official-v1'),
    older('official-v2'),
    older('fastmcp'),
  ],
  targets: targetsOf('crosspoint', 'raw'),
};
