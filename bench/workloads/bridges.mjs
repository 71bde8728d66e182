// Calls through a bridge: the cost of one more hop, beside a bare proxy that parses and writes JSON.
import { sampleBridged } from './bridged-calls.mjs';
import { extraHop } from './targets.mjs';

const METRICS = [
  { key: 'oneP50', title: 'sequential: p50 µs', better: 'less' },
  { key: 'oneCpu', title: 'bridge CPU µs', better: 'less' },
  { key: 'oneAll', title: 'with the server', better: 'less' },
  { key: 'manyRate', title: '64 in flight: calls/s', better: 'more' },
  { key: 'manyCpu', title: 'bridge CPU µs', better: 'less' },
  { key: 'manyAll', title: 'with the server', better: 'less' },
];

const OLD = 'handshake';
const NEW = 'per-request';

/** The rows of one cell. `suffix` tells the rows of two cells in one table apart. */
function cell(from, to, subjects, suffix = '') {
  const label = (subject) => `${subject === 'bare' ? 'bare proxy' : subject}${suffix}`;
  return ['direct', 'bare', 'crosspoint', ...subjects].map((subject) => ({
    label: label(subject),
    subject,
    from,
    to,
    reference: label('bare'),
  }));
}

const within = (label, suffix = '') =>
  ['oneAll', 'manyAll'].map((metric) =>
    extraHop(`${label}${suffix}`, metric, { most: 1.5, of: `bare proxy${suffix}`, over: `direct${suffix}` }),
  );

const NOTE =
  'The bridge has a core for itself; client and server share the other. One client, so one session where the bridge has sessions. “With the server”: processor time of the bridge and of the ' +
  'server behind it, so that a hop costs what it adds to the direct row.';

const table = (id, title, variants, { note = '', targets = within('crosspoint') } = {}) => ({
  id,
  title,
  note: `${NOTE}${note}`,
  metrics: METRICS,
  reference: 'bare proxy',
  sample: sampleBridged,
  variants,
  targets,
});

const http = (family) => ({ carrier: 'http', family });
const stdio = (family) => ({ carrier: 'stdio', family });
const UNTRANSLATED = ' The bare proxy translates nothing: it carries the client’s wire to a server that speaks it.';

/** Both sides of a bare proxy speak the same. */
const untranslated = (variants) =>
  variants.map((variant) =>
    variant.subject === 'direct' || variant.subject === 'bare'
      ? { ...variant, to: { ...variant.to, family: variant.from.family } }
      : variant,
  );

export const b1a = table(
  'b1a',
  'bridge: HTTP to HTTP, 2025-11-25 on both sides',
  cell(http(OLD), http(OLD), ['mcp-proxy']),
  {
    note: ' supergateway has no such cell.',
  },
);
export const b1b = table(
  'b1b',
  'bridge: HTTP to HTTP, 2026-07-28 on both sides',
  cell(http(NEW), http(NEW), ['mcp-proxy']),
);
export const b1c = table(
  'b1c',
  'bridge: HTTP to HTTP, a 2025-11-25 client and a 2026-07-28 server',
  untranslated(cell(http(OLD), http(NEW), ['mcp-proxy'])),
  { note: UNTRANSLATED },
);
export const b1d = table(
  'b1d',
  'bridge: HTTP to HTTP, a 2026-07-28 client and a 2025-11-25 server',
  untranslated(cell(http(NEW), http(OLD), ['mcp-proxy'])),
  { note: UNTRANSLATED },
);

const both = (from, to) => [
  ...cell(from(OLD), to(OLD), ['mcp-proxy', 'supergateway']),
  ...cell(from(NEW), to(NEW), [], ' @2026'),
];
const TWICE = { targets: [...within('crosspoint'), ...within('crosspoint', ' @2026')] };

export const b2a = table('b2a', 'bridge: stdio client, HTTP server', both(stdio, http), TWICE);
export const b2b = table('b2b', 'bridge: HTTP client, stdio server', both(http, stdio), TWICE);
