import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { Client, SSEClientTransport, StreamableHTTPClientTransport } from '../../src/client/index.ts';
import { ManualClock } from '../../src/testing/index.ts';
import { StdioClientTransport } from '../../src/transports/stdio/client.ts';
import { textOf } from '../suites/subject.ts';
import { until } from '../until.ts';

const CHILD = fileURLToPath(new URL('../fixtures/hostile/flooding-child.mjs', import.meta.url));
/** What the client has on its way at once, and what may wait; see the outbox of a client. */
const ON_THE_WAY = 16;
const WAITING = 1000;
/** Its calls, its stream, and what the runtime may open while another connection is closing. */
const OTHER_SOCKETS = 6;

const CAPABILITIES = { sampling: {}, elicitation: {}, roots: {} };
const METHODS = ['ping', 'sampling/createMessage', 'elicitation/create', 'roots/list', 'example/unknown'];

interface Flooding {
  url: URL;
  /** Sockets that are open now, were open at most, and were opened in all. */
  sockets: { now: number; most: number; all: number };
  /** Answers of the client, as far as they were posted. */
  answers: unknown[];
  flood(count: number, method?: (at: number) => string): void;
  /** Says that the client has read everything before it. */
  mark(): void;
  close(): Promise<void>;
}

type Accept = (response: ServerResponse) => void;

const opened: { close(): Promise<unknown> }[] = [];
afterEach(async () => {
  for (const one of opened.splice(0).toReversed()) await one.close();
});

/** Asks on its stream and does with the answers what `accept` does. `pair`: the older transport with two endpoints. */
async function flooding(accept: Accept, pair = false): Promise<Flooding> {
  const sockets = { now: 0, most: 0, all: 0 };
  const answers: unknown[] = [];
  let stream: ServerResponse | undefined;
  const say = (message: unknown): void => void stream?.write(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
  const server = createServer((request, response) => {
    void serve(request, response).catch((error: unknown) => response.destroy(error as Error));
  });
  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method === 'GET') {
      stream = response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      stream.flushHeaders();
      if (pair) stream.write('event: endpoint\ndata: /messages\n\n');
      return;
    }
    let body = '';
    for await (const chunk of request) body += String(chunk);
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const message = JSON.parse(body) as { id?: number; method?: string; params?: { protocolVersion?: string } };
    if (message.method === undefined) {
      answers.push(message);
      return accept(response);
    }
    if (message.id === undefined) return void response.writeHead(202).end();
    const result =
      message.method === 'initialize'
        ? {
            protocolVersion: pair ? '2024-11-05' : '2025-06-18',
            capabilities: { tools: {}, logging: {} },
            serverInfo: { name: 'flooding', version: '1' },
          }
        : { content: [{ type: 'text', text: 'ok' }] };
    const answer = { jsonrpc: '2.0', id: message.id, result };
    if (pair) {
      response.writeHead(202).end();
      return say(answer);
    }
    response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(answer));
  }
  const url = await listening(server, sockets, pair ? '/sse' : '/mcp');
  let asked = 0;
  const made: Flooding = {
    url,
    sockets,
    answers,
    flood: (count, method = () => 'ping') => {
      for (let at = 0; at < count; at += 1)
        say({ jsonrpc: '2.0', id: `q${(asked += 1)}`, method: method(at), params: {} });
    },
    mark: () => say({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'mark' } }),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  opened.push(made);
  return made;
}

async function listening(server: Server, sockets: Flooding['sockets'], path: string): Promise<URL> {
  server.on('connection', (socket) => {
    sockets.all += 1;
    sockets.now += 1;
    sockets.most = Math.max(sockets.most, sockets.now);
    socket.on('close', () => (sockets.now -= 1));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`);
}

interface Victim {
  client: Client;
  clock: ManualClock;
  problems: Error[];
  marks: () => number;
  sampled: () => number;
}

async function victim(server: Flooding, pair = false): Promise<Victim> {
  const clock = new ManualClock();
  const problems: Error[] = [];
  let marks = 0;
  let sampled = 0;
  const client = new Client(
    { name: 'victim', version: '1' },
    {
      clock,
      capabilities: CAPABILITIES,
      revisions: 'handshake',
      onproblem: (problem) => problems.push(problem),
      onlog: () => (marks += 1),
    },
  );
  client.setRequestHandler('sampling/createMessage', () => {
    sampled += 1;
    return { role: 'assistant', content: { type: 'text', text: 'hello' }, model: 'm' };
  });
  client.setRequestHandler('elicitation/create', () => ({ action: 'decline' }));
  client.setRequestHandler('roots/list', () => ({ roots: [] }));
  const Transport = pair ? SSEClientTransport : StreamableHTTPClientTransport;
  await client.connect(new Transport(server.url, { clock }));
  opened.push(client);
  return { client, clock, problems, marks: () => marks, sampled: () => sampled };
}

const never: Accept = () => {};
const accepted: Accept = (response) => response.writeHead(202).end();
const acceptedInWords: Accept = (response) => response.writeHead(202, { 'Content-Type': 'text/plain' }).end('Accepted');

describe.each([
  ['Streamable HTTP', false],
  ['the older HTTP transport', true],
])('a server that asks without end over %s', (_name, pair) => {
  it('and takes no answer holds a few connections, until their time is up', async () => {
    const server = await flooding(never, pair);
    const { client, clock, problems, marks } = await victim(server, pair);
    await until(() => server.sockets.now > 0);
    server.flood(6000, (at) => METHODS[at % METHODS.length] as string);
    server.mark();
    await until(() => marks() === 1);
    await until(() => server.answers.length === ON_THE_WAY);
    expect(server.sockets.most).toBeLessThanOrEqual(ON_THE_WAY + OTHER_SOCKETS);
    expect(problems.some(({ message }) => message.includes('does not read the answers'))).toBe(true);
    // The program goes on meanwhile.
    expect(textOf(await client.callTool({ name: 'any' }))).toBe('ok');
    await clock.advance(60_000);
    await until(() => server.answers.length === 2 * ON_THE_WAY);
    expect(server.sockets.most).toBeLessThanOrEqual(2 * ON_THE_WAY + OTHER_SOCKETS);
    expect(problems.some((problem) => 'code' in problem && problem.code === 'idle-timeout')).toBe(true);
    // No more than could wait is ever posted, though nothing new is asked.
    for (let round = 0; round < (WAITING + ON_THE_WAY) / ON_THE_WAY + 2; round += 1) {
      await clock.advance(60_000);
      const left = Math.min(WAITING + ON_THE_WAY, (round + 3) * ON_THE_WAY);
      await until(() => server.answers.length >= left);
    }
    expect(server.answers).toHaveLength(WAITING + ON_THE_WAY);
  });

  it.each([
    ['at once', accepted],
    ['with a word', acceptedInWords],
  ])('and takes each answer %s is answered over connections that are used again', async (_how, accept) => {
    const server = await flooding(accept, pair);
    const { marks } = await victim(server, pair);
    for (let round = 1; round <= 10; round += 1) {
      server.flood(100, () => 'ping');
      server.mark();
      await until(() => marks() === round);
      await until(() => server.answers.length === round * 100);
    }
    // A connection may be taken for busy for a moment after its answer.
    expect(server.sockets.all).toBeLessThanOrEqual(3 * ON_THE_WAY + OTHER_SOCKETS);
  });

  it('has no handler called for what could not be answered', async () => {
    const server = await flooding(never, pair);
    const { marks, sampled } = await victim(server, pair);
    server.flood(ON_THE_WAY + WAITING, () => 'example/unknown');
    server.mark();
    await until(() => marks() === 1);
    server.flood(50, () => 'sampling/createMessage');
    server.mark();
    await until(() => marks() === 2);
    expect(sampled()).toBe(0);
  });
});

describe('a server in a process that asks without end', () => {
  it('and does not read the answers has a bounded number of them waiting', async () => {
    const problems: Error[] = [];
    const transport = new StdioClientTransport({ command: process.execPath, args: [CHILD], stderr: 'inherit' });
    const client = new Client(
      { name: 'victim', version: '1' },
      { revisions: 'handshake', onproblem: (problem) => problems.push(problem) },
    );
    opened.push(client);
    await client.connect(transport);
    const count = 60_000;
    const call = { name: 'flood', arguments: { count, method: 'example/unknown' } };
    expect(textOf(await client.callTool(call))).toBe('sent');
    expect(problems.some(({ message }) => message.includes('does not read the answers'))).toBe(true);
    process.kill(transport.pid as number, 'SIGUSR2');
    const answered = Number(textOf(await client.callTool({ name: 'answers', arguments: {} })));
    // What a pipe and the buffer of a stream hold comes on top of what waits.
    expect(answered).toBeLessThan(10_000);
    expect(answered).toBeGreaterThan(WAITING);
  });
});
