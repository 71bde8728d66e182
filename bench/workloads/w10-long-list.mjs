import { HTTP_METRICS, sampleHttp } from './http-calls.mjs';
import { atLeast, timesRow } from './targets.mjs';

const COUNT = 1000;
const LITE_HTTP = { revision: '2025-06-18', accept: 'application/json' };

const common = {
  message: { method: 'tools/list' },
  serverOptions: { kit: 'many', count: COUNT },
  expect: [`"tool-${COUNT - 1}"`],
  connections: 8,
};
const older = (subject, http) => ({ ...common, label: subject, subject, mode: 'stateless', http });
const newer = (subject) => ({
  ...common,
  label: `${subject} @2026`,
  subject,
  mode: 'per-request',
  family: 'per-request',
  reference: 'raw @2026',
});

export const w10 = {
  id: 'w10',
  title: 'tools/list with 1,000 tools, 8 connections',
  note: 'raw makes JSON of its list for every answer; raw, ready keeps the text and is as far as one can get.',
  metrics: HTTP_METRICS,
  reference: 'raw',
  sample: sampleHttp,
  variants: [
    older('raw'),
    { ...older('raw'), label: 'raw, ready', serverOptions: { ...common.serverOptions, isListReady: true } },
    older('crosspoint'),
    older('mcp-lite', LITE_HTTP),
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
    atLeast('crosspoint', 'rate', 0.9),
    timesRow('crosspoint', 'rate', 0.9, 'raw, ready'),
    atLeast('crosspoint @2026', 'rate', 0.9, 'raw @2026'),
  ],
};
