import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { leastOf, limit } from './targets.mjs';

const BENCH = join(dirname(fileURLToPath(import.meta.url)), '..');

async function sampleInstall({ packages }) {
  const { closureOf, measurePublished } = await import('../measure/package-closure.mjs');
  const { packages: count, files, bytes } = closureOf(packages, BENCH, measurePublished);
  return { packages: count, files, mb: bytes / 1e6 };
}

export const w8a = {
  id: 'w8a',
  isOfFiles: true,
  title: 'size: what an installation brings',
  note: 'Counted from the packages as installed, and Crosspoint as it would be published. Peers need zod, Crosspoint takes any schema library or none: its first row is without.',
  rounds: 1,
  metrics: [
    { key: 'packages', title: 'packages', better: 'less' },
    { key: 'files', title: 'files', better: 'less' },
    { key: 'mb', title: 'MB', better: 'less' },
  ],
  sample: sampleInstall,
  variants: [
    { label: 'zod', subject: 'raw', packages: ['zod'] },
    { label: 'crosspoint', subject: 'crosspoint', packages: ['crosspoint'] },
    { label: 'crosspoint + zod', subject: 'crosspoint', packages: ['crosspoint', 'zod'] },
    { label: 'mcp-lite', subject: 'mcp-lite', packages: ['mcp-lite', '@hono/node-server', 'zod'] },
    {
      label: 'tmcp',
      subject: 'tmcp',
      packages: [
        'tmcp',
        '@tmcp/transport-http',
        '@tmcp/transport-stdio',
        '@tmcp/adapter-zod',
        '@hono/node-server',
        'zod',
      ],
    },
    {
      label: 'official-v2 server',
      subject: 'official-v2',
      packages: ['@modelcontextprotocol/server', '@modelcontextprotocol/node', 'zod'],
    },
    { label: 'official-v2 client', subject: 'official-v2', packages: ['@modelcontextprotocol/client'] },
    { label: 'official-v1', subject: 'official-v1', packages: ['@modelcontextprotocol/sdk', 'zod'] },
    { label: 'fastmcp', subject: 'fastmcp', packages: ['fastmcp', 'zod'] },
  ],
  targets: [limit('crosspoint', 'packages', 12, 'packages'), limit('crosspoint', 'mb', 4, 'MB')],
};

async function sampleBundle({ program }) {
  const { bundleSize } = await import('../measure/bundle.mjs');
  return bundleSize(program);
}

const METRICS = [
  { key: 'kb', title: 'KB', better: 'less' },
  { key: 'gzipKb', title: 'KB gzip', better: 'less' },
];
const titled = (label, subject, name) => ({ label, subject, program: `${subject}/${name}` });

export const w8b = {
  id: 'w8b',
  isOfFiles: true,
  title: 'size: bundle of a minimal server with one zod tool',
  note: 'esbuild, minified, ESM for Node. The programs are in bench/programs/.',
  rounds: 1,
  metrics: METRICS,
  sample: sampleBundle,
  variants: [
    titled('crosspoint HTTP', 'crosspoint', 'http-server'),
    titled('mcp-lite HTTP', 'mcp-lite', 'http-server'),
    titled('tmcp HTTP', 'tmcp', 'http-server'),
    titled('official-v1 HTTP', 'official-v1', 'http-server'),
    titled('official-v2 HTTP', 'official-v2', 'http-server'),
    titled('fastmcp HTTP', 'fastmcp', 'http-server'),
    titled('crosspoint stdio', 'crosspoint', 'stdio-server'),
    titled('tmcp stdio', 'tmcp', 'stdio-server'),
    titled('official-v1 stdio', 'official-v1', 'stdio-server'),
    titled('official-v2 stdio', 'official-v2', 'stdio-server'),
  ],
  targets: [leastOf('crosspoint HTTP', 'gzipKb', { but: ['crosspoint stdio'], unit: 'KB' })],
};

const clientsOver = (transport) =>
  ['crosspoint', 'official-v1', 'official-v2'].map((subject) => `${subject} ${transport}`);

export const w8c = {
  id: 'w8c',
  isOfFiles: true,
  title: 'size: bundle of a minimal client',
  rounds: 1,
  metrics: METRICS,
  sample: sampleBundle,
  variants: [
    titled('crosspoint HTTP', 'crosspoint', 'http-client'),
    titled('official-v1 HTTP', 'official-v1', 'http-client'),
    titled('official-v2 HTTP', 'official-v2', 'http-client'),
    titled('crosspoint stdio', 'crosspoint', 'stdio-client'),
    titled('official-v1 stdio', 'official-v1', 'stdio-client'),
    titled('official-v2 stdio', 'official-v2', 'stdio-client'),
  ],
  // Clients over the same transport: one over stdio has no HTTP and no login.
  targets: [
    leastOf('crosspoint HTTP', 'gzipKb', { but: clientsOver('stdio'), unit: 'KB' }),
    leastOf('crosspoint stdio', 'gzipKb', { but: clientsOver('HTTP'), unit: 'KB' }),
  ],
};
