import { firstAnswer, importModules } from '../measure/cold-start.mjs';
import { atMost, withinOf } from './targets.mjs';
import { initialize } from './wire.mjs';

const variant = (label, subject, specifiers) => ({ label, subject, specifiers });
const OFFICIAL_1 = '@modelcontextprotocol/sdk';

export const w7a = {
  id: 'w7a',
  title: 'start-up: import of what a program needs',
  note: 'Time until the process has ended again, with a warm file cache. Peers are imported with zod, as their servers need it.',
  metrics: [
    { key: 'wallMs', title: 'ms', better: 'less' },
    { key: 'cpuMs', title: 'CPU ms', better: 'less' },
    { key: 'rssMb', title: 'resident MB', better: 'less' },
  ],
  reference: 'node',
  sample: ({ subject, specifiers }) => importModules(subject, specifiers),
  variants: [
    variant('node', 'raw', []),
    variant('zod', 'raw', ['zod']),
    variant('crosspoint stdio server', 'crosspoint', ['crosspoint/server/stdio']),
    variant('crosspoint stdio server + zod', 'crosspoint', ['crosspoint/server/stdio', 'zod']),
    variant('crosspoint HTTP server + zod', 'crosspoint', ['node:http', 'crosspoint/server', 'zod']),
    variant('crosspoint client', 'crosspoint', ['crosspoint/client/stdio']),
    variant('tmcp stdio server', 'tmcp', ['tmcp', '@tmcp/adapter-zod', '@tmcp/transport-stdio', 'zod']),
    variant('mcp-lite HTTP server', 'mcp-lite', ['@hono/node-server', 'mcp-lite', 'zod']),
    variant('official-v2 stdio server', 'official-v2', [
      '@modelcontextprotocol/server',
      '@modelcontextprotocol/server/stdio',
      'zod',
    ]),
    variant('official-v2 client', 'official-v2', [
      '@modelcontextprotocol/client',
      '@modelcontextprotocol/client/stdio',
    ]),
    variant('official-v1 stdio server', 'official-v1', [
      `${OFFICIAL_1}/server/mcp.js`,
      `${OFFICIAL_1}/server/stdio.js`,
      'zod',
    ]),
    variant('official-v1 client', 'official-v1', [`${OFFICIAL_1}/client/index.js`, `${OFFICIAL_1}/client/stdio.js`]),
    variant('fastmcp stdio server', 'fastmcp', ['fastmcp', 'zod']),
  ],
  targets: [
    atMost('crosspoint stdio server', 'wallMs', 1.2, 'node'),
    withinOf('crosspoint stdio server + zod', 'wallMs', { other: 'zod', allowance: 25, unit: 'ms' }),
  ],
};

const program = (label, subject, name) => ({ label, subject, program: name });

export const w7b = {
  id: 'w7b',
  title: 'start-up: from spawning a stdio server to its first answer',
  note: 'A server with one zod tool; the second row of Crosspoint has JSON Schema instead of zod.',
  metrics: [{ key: 'wallMs', title: 'ms', better: 'less' }],
  reference: 'raw',
  sample: async ({ subject, program: name }) => ({ wallMs: await firstAnswer(subject, name, initialize()) }),
  variants: [
    program('raw', 'raw', 'stdio-server'),
    program('crosspoint', 'crosspoint', 'stdio-server'),
    program('crosspoint, no zod', 'crosspoint', 'plain-stdio-server'),
    program('tmcp', 'tmcp', 'stdio-server'),
    program('official-v2', 'official-v2', 'stdio-server'),
    program('official-v1', 'official-v1', 'stdio-server'),
    program('fastmcp', 'fastmcp', 'stdio-server'),
  ],
  targets: [],
};
