import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { Client, SSEClientTransport, StreamableHTTPClientTransport, type Middleware } from '../../src/client/index.ts';
import { revisions } from '../../src/revisions/index.ts';
import * as library from '../../src/server/index.ts';
import { tasks } from '../../src/server/tasks/index.ts';
import { connectLinked, Recorder } from '../../src/testing/index.ts';
import { StdioClientTransport } from '../../src/transports/stdio/client.ts';
import { createSuiteServer } from '../fixtures/suite/suite-server.mjs';
import type { Feature, Subject } from './subject.ts';
import { httpOf } from '../../src/revisions/http-rules.ts';

type Lacks = Readonly<Partial<Record<Feature, string>>>;

const HANDSHAKE: Lacks = {
  'listen streams': 'changes are told unasked after a handshake',
  'structured content of any type': 'structured content is an object in this revision',
};
const BEFORE_2025_11_25: Lacks = {
  ...HANDSHAKE,
  icons: 'icons came with 2025-11-25',
  'URL elicitation': 'elicitation by URL came with 2025-11-25',
  'sampling with tools': 'sampling with tools came with 2025-11-25',
  'argument errors as results': 'arguments that break the schema are a protocol error before 2025-11-25',
};
const BEFORE_2025_06_18: Lacks = {
  ...BEFORE_2025_11_25,
  elicitation: 'elicitation came with 2025-06-18',
  titles: 'titles came with 2025-06-18',
  'structured content': 'structured content came with 2025-06-18',
  'structured content of any type': 'structured content came with 2025-06-18',
  'resource links': 'resource links came with 2025-06-18',
  'last modified': 'lastModified came with 2025-06-18',
  'completion context': 'the context of a completion came with 2025-06-18',
};
const BEFORE_2025_03_26: Lacks = {
  ...BEFORE_2025_06_18,
  audio: 'audio came with 2025-03-26',
  'tool annotations': 'tool annotations came with 2025-03-26',
  'completions capability': 'the completions capability came with 2025-03-26',
  'progress messages': 'the message of a progress notification came with 2025-03-26',
};
const PER_REQUEST: Lacks = {
  ping: 'there is no ping in the per-request family',
  'live questions': 'a server of the per-request family sends no requests',
  'roots changes': 'there is no such notification in the per-request family',
  'log level as a request': 'the level travels with each request',
  'logs without a level': 'only requests that name a level get messages',
};

/** By revision, what it cannot do. */
const CANNOT: Readonly<Record<string, Lacks>> = {
  '2024-11-05': BEFORE_2025_03_26,
  '2025-03-26': BEFORE_2025_06_18,
  '2025-06-18': BEFORE_2025_11_25,
  '2025-11-25': HANDSHAKE,
  '2026-07-28': PER_REQUEST,
};

const CHILD = fileURLToPath(new URL('../fixtures/suite/suite-child.mjs', import.meta.url));
const INFO = { name: 'suite-client', version: '4.5.6', title: 'The Client' };

function base(revision: (typeof revisions)[number], transport: Subject['transport']): Omit<Subject, 'connect'> {
  const cannot = CANNOT[revision.id];
  if (cannot === undefined) throw new Error(`Say what ${revision.id} cannot do.`);
  return {
    name: `${revision.id} over ${transport}`,
    revision: revision.id,
    family: revision.family,
    transport,
    cannot,
  };
}

/** Changes nothing, and is passed by everything. */
const passing: Middleware = (_operation, next) => next();

function overMemory(around?: Middleware): readonly Subject[] {
  return revisions.map((revision) => ({
    ...base(revision, 'memory'),
    connect: async (scenario, options = {}) => {
      const server = createSuiteServer({ ...library, tasks }, scenario);
      if (around) server.use(around);
      const { client, recorder, close } = await connectLinked(server, {
        info: INFO,
        revision: revision.id,
        ...options,
        prepare: (made) => {
          if (around) made.use(around);
          options.prepare?.(made);
        },
      });
      return { client, lines: recorder.lines, close };
    },
  }));
}

export const memorySubjects: readonly Subject[] = overMemory();

/** With middleware on both sides, which must make no difference. */
export const middlewareSubjects: readonly Subject[] = overMemory(passing);

export const stdioSubjects: readonly Subject[] = revisions.map((revision) => ({
  ...base(revision, 'stdio'),
  connect: async (scenario, options = {}) => {
    const { prepare, ...rest } = options;
    const client = new Client(INFO, { ...rest, revisions: [revision.id] });
    prepare?.(client);
    const recorder = new Recorder(
      new StdioClientTransport({ command: process.execPath, args: [CHILD, scenario], stderr: 'inherit' }),
    );
    await client.connect(recorder);
    return { client, lines: recorder.lines, close: () => client.close() };
  },
}));

/** Where a scenario is served over HTTP, and how it ends. */
async function serveOverHttp(
  scenario: Parameters<Subject['connect']>[0],
  options: library.McpHandlerOptions,
): Promise<{ origin: string; close: () => Promise<void> }> {
  const server = createSuiteServer({ ...library, tasks }, scenario);
  const handler = library.createMcpHandler(server, { path: '/mcp', ...options });
  // On a busy machine an idle connection would end in the moment in which it is used again.
  const http = createServer({ keepAliveTimeout: 0 }, (request, response) => void handler.node(request, response));
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  const close = async (): Promise<void> => {
    await handler.close({ grace: 0 });
    http.closeAllConnections();
    http.close();
  };
  // A server that closes itself, as some cases want, takes its endpoint along.
  const end = server.close.bind(server);
  server.close = async () => {
    await end();
    await close();
  };
  return { origin: `http://127.0.0.1:${(http.address() as AddressInfo).port}`, close };
}

/** So that a server which is gone for good is given up within a test. */
const IMPATIENT = {
  initialReconnectionDelay: 10,
  maxReconnectionDelay: 50,
  reconnectionDelayGrowFactor: 2,
  maxRetries: 2,
};

function overHttp(transport: Subject['transport'], options: library.McpHandlerOptions): readonly Subject[] {
  const oldest = transport === 'HTTP+SSE';
  return revisions
    .filter((revision) => httpOf(revision).streamable !== oldest)
    .map((revision) => ({
      ...base(revision, transport),
      connect: async (scenario, given = {}) => {
        const { prepare, ...rest } = given;
        const { origin, close } = await serveOverHttp(scenario, options);
        const client = new Client(INFO, { ...rest, revisions: [revision.id] });
        prepare?.(client);
        const recorder = new Recorder(
          oldest
            ? new SSEClientTransport(new URL(`${origin}/sse`))
            : new StreamableHTTPClientTransport(new URL(`${origin}/mcp`), { reconnectionOptions: IMPATIENT }),
        );
        await client.connect(recorder);
        return {
          client,
          lines: recorder.lines,
          close: async () => {
            await client.close();
            await close();
          },
        };
      },
    }));
}

export const httpSubjects: readonly Subject[] = [
  ...overHttp('HTTP', { sessions: { resumable: false } }),
  ...overHttp('HTTP streams', { streamAfterMs: 0 }),
  ...overHttp('HTTP+SSE', {}),
];
