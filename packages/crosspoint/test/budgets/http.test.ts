import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { McpServer, createMcpHandler, type McpHandlerOptions } from '../../src/server/index.ts';
import { HTTP_PROGRAM } from './http-program.ts';
import { countedBy, promotedIn } from './programs.ts';

const CALLS = 2000;

const count = (code: string): Promise<number> => countedBy(`${HTTP_PROGRAM}\n${code}\nprocess.exit();`);

describe('what a call over HTTP allocates, without what Node allocates for it', () => {
  it.each([
    {
      what: 'of a handshake client without a session',
      options: '{ sessions: false }',
      asked: 'call(a, {})',
      bytes: 6600,
    },
    {
      what: 'of a per-request client',
      options: '{}',
      asked: `call(a, { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'add' }, { _meta: META })`,
      bytes: 7300,
    },
    { what: 'in a session, answered as a stream', options: '{}', asked: 'call(a, session)', bytes: 11_000 },
  ])('$what: $bytes bytes at most', async ({ options, asked, bytes }) => {
    const allocated = await count(`
const handler = createMcpHandler(server, ${options});
const session = ${asked.includes('session') ? 'await openSession(handler)' : '{}'};
const run = async (from) => {
  const all = Array.from({ length: ${CALLS} }, (_, index) => { const a = from + index; return ${asked}; });
  gc();
  const before = process.memoryUsage().heapUsed;
  for (const one of all) if (!(await exchange(handler, one)).text.includes('"sum":')) throw new Error('No sum.');
  return (process.memoryUsage().heapUsed - before) / ${CALLS};
};
await run(1);
console.log(await run(1 + ${CALLS}));`);
    expect(allocated).toBeGreaterThan(1000);
    expect(allocated).toBeLessThanOrEqual(bytes);
  });

  it('an idle session: 900 bytes at most', async () => {
    const kept = await count(`
const handler = createMcpHandler(server);
const open = async (sessions) => { for (let left = sessions; left > 0; left -= 1) await openSession(handler); gc(); gc(); };
await open(500);
const before = process.memoryUsage().heapUsed;
await open(1000);
console.log((process.memoryUsage().heapUsed - before) / 1000);`);
    expect(kept).toBeGreaterThan(200);
    expect(kept).toBeLessThanOrEqual(900);
  });

  it('a session that is opened leaves 1,100 bytes at most for the old generation, and nothing of its requests', async () => {
    const promoted = await promotedIn(`${HTTP_PROGRAM}
const handler = createMcpHandler(server);
const open = async (sessions) => { for (let left = sessions; left > 0; left -= 1) await openSession(handler); };
await open(500);
gc();
console.log('BEGIN');
await open(2000);
console.log('END');
process.exit();`);
    expect(promoted / 2000).toBeGreaterThan(200);
    expect(promoted / 2000).toBeLessThanOrEqual(1100);
  });
});

// ---- on real sockets

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  vi.restoreAllMocks();
  for (const close of closing.splice(0)) await close();
});

interface Counted {
  readonly port: number;
  readonly server: McpServer;
  close(): Promise<void>;
  writes: number;
  /** How many of the writes had pieces to be gathered. */
  gathered: number;
}

/** Counts what is handed to the operating system. */
async function serve(options: McpHandlerOptions, tools = 1): Promise<Counted> {
  const server = new McpServer({ name: 'adder', version: '1.0.0' });
  for (let index = 0; index < tools; index += 1)
    server.registerTool(`add${index}`, { inputSchema: z.object({ a: z.number() }) }, async ({ a }) => ({
      content: [{ type: 'text', text: String(a) }],
    }));
  const handler = createMcpHandler(server, options);
  const http: Server = createServer((asked, answer) => void handler.node(asked, answer));
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const { port } = http.address() as AddressInfo;
  const close = (): Promise<void> => handler.close({ grace: 0 });
  const counted: Counted = { port, server, close, writes: 0, gathered: 0 };
  http.on('connection', (socket: Socket) => {
    for (const method of ['_write', '_writev'] as const) {
      const write = socket[method]?.bind(socket) as ((...given: unknown[]) => void) | undefined;
      socket[method] = (...given: unknown[]): void => {
        counted.writes += 1;
        if (method === '_writev') counted.gathered += 1;
        write?.(...given);
      };
    }
  });
  closing.push(async () => {
    await close();
    http.closeAllConnections();
    await new Promise((resolve) => http.close(resolve));
  });
  return counted;
}

interface Answer {
  readonly status: number | undefined;
  readonly session: string;
  readonly text: string;
}

function post({ port }: Counted, message: object, headers: Record<string, string> = {}): Promise<Answer> {
  const body = JSON.stringify({ jsonrpc: '2.0', ...message });
  const plain = {
    'Content-Type': 'application/json',
    Accept: 'application/json, text/event-stream',
    'MCP-Protocol-Version': '2025-11-25',
  };
  return new Promise((resolve, reject) => {
    const asked = request(
      { port, host: '127.0.0.1', path: '/mcp', method: 'POST', headers: { ...plain, ...headers } },
      (answer) => {
        let text = '';
        answer.setEncoding('utf8');
        answer.on('data', (chunk: string) => (text += chunk));
        answer.on('end', () =>
          resolve({ status: answer.statusCode, session: String(answer.headers['mcp-session-id'] ?? ''), text }),
        );
      },
    );
    asked.on('error', reject);
    asked.end(body);
  });
}

/** The standing stream of a session; `until` resolves with everything that came as soon as the text is in it. */
async function listen({ port }: Counted, session: string): Promise<Standing> {
  const headers = { Accept: 'text/event-stream', 'MCP-Protocol-Version': '2025-11-25', 'Mcp-Session-Id': session };
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const asked = request({ port, host: '127.0.0.1', path: '/mcp', method: 'GET', headers }, resolve);
    asked.on('error', reject);
    asked.end();
  });
  let text = '';
  answer.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  const until = async (part: string): Promise<string> => {
    while (!text.includes(part)) await once(answer, 'data');
    return text;
  };
  return { answer, until, ended: once(answer, 'end') };
}

interface Standing {
  readonly answer: IncomingMessage;
  readonly ended: Promise<unknown>;
  readonly until: (part: string) => Promise<string>;
}

const initialize = {
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'caller', version: '1.0.0' } },
};
const call = { id: 1, method: 'tools/call', params: { name: 'add0', arguments: { a: 41 } } };
const newest = {
  'MCP-Protocol-Version': '2026-07-28',
  'Mcp-Method': 'tools/call',
  'Mcp-Name': 'add0',
};
const envelope = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'caller', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

describe('an answer over HTTP', () => {
  it('leaves in one write: as JSON, as a stream in a session, and as a refusal', async () => {
    const alone = await serve({ sessions: false });
    expect((await post(alone, call)).text).toContain('"41"');
    expect((await post(alone, call, { 'Content-Type': 'text/plain' })).status).toBe(415);
    expect(alone.writes).toBe(2);

    const both = await serve({});
    const { session } = await post(both, initialize);
    expect((await post(both, { ...call, params: { ...call.params, _meta: envelope } }, newest)).text).toContain('"41"');
    const streamed = await post(both, call, { 'Mcp-Session-Id': session });
    expect(streamed.text).toMatch(/^id: .*\nretry: \d+\ndata: \n\nevent: message\nid: .*\ndata: \{.*"41"/);
    expect(both.writes).toBe(3);
  });

  it('in a session leaves with the event before it where it comes soon, and after it where it takes long', async () => {
    const at = await serve({});
    at.server.registerTool('later', { inputSchema: z.object({ ms: z.number() }) }, async ({ ms }) => {
      await new Promise((resolve) => setTimeout(resolve, ms));
      return { content: [{ type: 'text', text: 'done' }] };
    });
    const { session } = await post(at, initialize);
    const both = /^id: .*\nretry: \d+\ndata: \n\nevent: message\nid: .*\ndata: \{.*"done"/;
    const later = (ms: number): Parameters<typeof post>[1] => ({
      ...call,
      params: { name: 'later', arguments: { ms } },
    });
    for (const [ms, writes] of [
      [1, 1],
      [500, 2],
    ] as const) {
      at.writes = 0;
      const asked = post(at, later(ms), { 'Mcp-Session-Id': session });
      // Well before the answer, the client has an event to resume from.
      if (ms > 100) await expect.poll(() => at.writes, { timeout: 400 }).toBe(1);
      expect((await asked).text).toMatch(both);
      expect(at.writes).toBe(writes);
    }
  });

  it('on a standing stream is one plain write for each event, and the stream ends well with its connection', async () => {
    const at = await serve({});
    const { session } = await post(at, initialize);
    await post(at, { method: 'notifications/initialized' }, { 'Mcp-Session-Id': session });
    const { answer, until, ended } = await listen(at, session);
    await until('retry:');
    expect(answer.headers).toMatchObject({ connection: 'close', 'content-type': 'text/event-stream' });
    expect(answer.headers).not.toHaveProperty('transfer-encoding');
    [at.writes, at.gathered] = [0, 0];
    at.server.sendToolListChanged();
    const text = await until('notifications/tools/list_changed');
    expect(text).toMatch(/^id: .*\nretry: \d+\ndata: \n\nevent: message\nid: .*\ndata: \{.*\}\n\n$/);
    expect([at.writes, at.gathered]).toEqual([1, 0]);
    await at.close();
    await ended;
    expect(answer.complete).toBe(true);
  });

  it('needs no Request, Response, Headers or ReadableStream', async () => {
    const refuse = (name: string): (() => never) =>
      function made(): never {
        throw new Error(`A ${name} was made.`);
      };
    for (const name of ['Request', 'Response', 'Headers', 'ReadableStream'] as const) vi.stubGlobal(name, refuse(name));
    try {
      const at = await serve({});
      const { session } = await post(at, initialize);
      expect((await post(at, call, { 'Mcp-Session-Id': session })).text).toContain('"41"');
      expect((await post(at, { ...call, params: { ...call.params, _meta: envelope } }, newest)).text).toContain('"41"');
    } finally {
      vi.unstubAllGlobals();
    }
  });

  it('with a list is written once for each revision, however often it is asked for', async () => {
    const at = await serve({ sessions: false }, 50);
    const written = vi.spyOn(JSON, 'stringify');
    const lists = (): number =>
      written.mock.calls.filter(([value]) => 'tools' in Object(value) || 'tools' in Object(value?.result)).length;
    const list = { id: 1, method: 'tools/list', params: {} };
    const texts = new Set<string>();
    for (let left = 5; left > 0; left -= 1) texts.add((await post(at, list)).text);
    expect([texts.size, lists()]).toEqual([1, 1]);
    await post(at, list, { 'MCP-Protocol-Version': '2025-06-18' });
    await post(at, list, { 'MCP-Protocol-Version': '2025-06-18' });
    expect(lists()).toBe(2);
  });
});
