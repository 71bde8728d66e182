import { HTTP_METRICS, sampleHttp } from './http-calls.mjs';
import { atLeast, atMost } from './targets.mjs';

const variant = (subject) => ({ label: subject, subject, mode: 'per-request', family: 'per-request' });

export const w2 = {
  id: 'w2',
  title: 'HTTP, stateless: tools/call, 2026-07-28 wire with all headers, 64 connections',
  note: 'official-v1, mcp-lite and fastmcp do not speak this revision. tmcp answers with a stream.',
  metrics: HTTP_METRICS,
  reference: 'raw',
  sample: sampleHttp,
  variants: ['raw', 'crosspoint', 'tmcp', 'official-v2'].map(variant),
  targets: [atLeast('crosspoint', 'rate', 0.92), atMost('crosspoint', 'cpu', 1.2)],
};
