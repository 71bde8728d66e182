import { HANDSHAKE, PER_REQUEST, sampleStdioClient, sampleStdioServer } from './stdio-calls.mjs';
import { atLeast, atMost, timesRow } from './targets.mjs';

const METRICS = [
  { key: 'oneRate', title: 'sequential: calls/s', better: 'more' },
  { key: 'oneCpu', title: 'CPU µs', better: 'less' },
  { key: 'manyRate', title: '64 in flight: calls/s', better: 'more' },
  { key: 'manyCpu', title: 'CPU µs', better: 'less' },
];

const older = (subject) => ({ label: subject, subject, family: 'handshake' });
const newer = (subject) => ({ label: `${subject} @2026`, subject, family: 'per-request', reference: 'raw @2026' });

export const w4a = {
  id: 'w4a',
  title: 'stdio server under a raw driver',
  note: 'Rows with @2026 speak 2026-07-28 and are compared with raw on the same lines; the others 2025-11-25. mcp-lite has no stdio; fastmcp waits a millisecond in every call.',
  metrics: METRICS,
  reference: 'raw',
  sample: sampleStdioServer,
  variants: [
    older('raw'),
    older('crosspoint'),
    older('tmcp'),
    older('official-v1'),
    older('official-v2'),
    older('fastmcp'),
    newer('raw'),
    newer('crosspoint'),
    newer('tmcp'),
    newer('official-v2'),
  ],
  targets: [
    atLeast('crosspoint', 'oneRate', 0.9),
    atLeast('crosspoint', 'manyRate', 0.65),
    atLeast('crosspoint @2026', 'oneRate', 0.9, 'raw @2026'),
    atLeast('crosspoint @2026', 'manyRate', 0.65, 'raw @2026'),
    atMost('crosspoint', 'manyCpu', 1.8),
    atMost('crosspoint @2026', 'manyCpu', 2, 'raw @2026'),
    // The older wire has no envelope: this is the price of the newer one.
    timesRow('crosspoint @2026', 'oneRate', 0.8, 'raw'),
  ],
};

const pair = (client, server) => ({
  label: `${client} → ${server}`,
  subject: client,
  client,
  server,
  revision: HANDSHAKE,
});
const newerPair = (client, server) => ({
  ...pair(client, server),
  label: `${client} → ${server} @2026`,
  revision: PER_REQUEST,
  reference: 'raw → raw @2026',
});

export const w4b = {
  id: 'w4b',
  title: 'stdio client with server',
  note: 'CPU is that of the client; `→ raw` shows what the client alone costs. tmcp and mcp-lite have no stdio client, fastmcp uses that of official-v1.',
  metrics: [...METRICS, { key: 'manyServerCpu', title: 'server CPU µs', better: 'less' }],
  reference: 'raw → raw',
  sample: sampleStdioClient,
  variants: [
    pair('raw', 'raw'),
    pair('crosspoint', 'crosspoint'),
    pair('crosspoint', 'raw'),
    pair('official-v1', 'official-v1'),
    pair('official-v1', 'raw'),
    pair('official-v2', 'official-v2'),
    pair('official-v2', 'raw'),
    newerPair('raw', 'raw'),
    newerPair('crosspoint', 'crosspoint'),
    newerPair('official-v2', 'official-v2'),
  ],
  targets: [
    atLeast('crosspoint → crosspoint', 'manyRate', 0.5, 'raw → raw'),
    atLeast('crosspoint → crosspoint @2026', 'manyRate', 0.5, 'raw → raw @2026'),
    atMost('crosspoint → crosspoint', 'manyCpu', 1.8, 'raw → raw'),
    atMost('crosspoint → crosspoint @2026', 'manyCpu', 2, 'raw → raw @2026'),
    // The older wire has no envelope: this is the price of the newer one.
    timesRow('crosspoint → crosspoint @2026', 'oneRate', 0.8, 'raw → raw'),
  ],
};
