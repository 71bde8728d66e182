import { HTTP_METRICS, sampleHttp } from './http-calls.mjs';
import { atLeast, atMost } from './targets.mjs';

const LITE_HTTP = { revision: '2025-06-18', accept: 'application/json' };

export const w1 = {
  id: 'w1',
  title: 'HTTP, stateless: tools/call, 2025-11-25 wire, 64 connections',
  note:
    'Answers are JSON, except from tmcp and official-v2 (handler), which have none for this revision and answer with a stream. ' +
    'mcp-lite speaks 2025-06-18 at most.',
  metrics: HTTP_METRICS,
  reference: 'raw',
  sample: sampleHttp,
  variants: [
    { label: 'raw', subject: 'raw', mode: 'stateless' },
    { label: 'crosspoint', subject: 'crosspoint', mode: 'stateless' },
    { label: 'mcp-lite', subject: 'mcp-lite', mode: 'stateless', http: LITE_HTTP },
    { label: 'tmcp', subject: 'tmcp', mode: 'stateless' },
    { label: 'official-v2', subject: 'official-v2', mode: 'stateless' },
    { label: 'official-v2 (handler)', subject: 'official-v2', mode: 'handler' },
    { label: 'official-v1', subject: 'official-v1', mode: 'stateless' },
    { label: 'fastmcp', subject: 'fastmcp', mode: 'stateless' },
  ],
  targets: [atLeast('crosspoint', 'rate', 0.92), atMost('crosspoint', 'cpu', 1.2)],
};
