import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { Client, SSEClientTransport, StreamableHTTPClientTransport } from '../../src/client/index.ts';
import { McpServer } from '../../src/server/index.ts';
import { InMemoryTransport } from '../../src/testing/index.ts';
import { StdioClientTransport } from '../../src/transports/stdio/client.ts';
import type { StderrMode } from '../../src/transports/stdio/stderr-outlet.ts';
import { textOf } from '../suites/subject.ts';
import { until } from '../until.ts';

const CHILD = fileURLToPath(new URL('../fixtures/hostile/flooding-child.mjs', import.meta.url));
/** So many problems of one kind are told one by one. */
const TOLD = 10;
const COUNT = 50_000;

const opened: { close(): unknown }[] = [];
afterEach(async () => {
  for (const one of opened.splice(0).toReversed()) await one.close();
});

interface Child {
  client: Client;
  transport: StdioClientTransport;
  problems: Error[];
}

async function child(stderr: StderrMode = 'ignore'): Promise<Child> {
  const problems: Error[] = [];
  const transport = new StdioClientTransport({ command: process.execPath, args: [CHILD], stderr });
  const client = new Client(
    { name: 'victim', version: '1' },
    { revisions: 'handshake', onproblem: (problem) => problems.push(problem) },
  );
  await client.connect(transport);
  opened.push(client);
  return { client, transport, problems };
}

describe('a server in a process that makes noise', () => {
  it.each([
    ['log lines', 'Listening on port 8080'],
    ['messages that are none', '{"jsonrpc":"2.0"}'],
    ['answers that nobody waits for', '{"jsonrpc":"2.0","id":"x","result":{}}'],
    ['errors of its own', '{"jsonrpc":"2.0","error":{"code":1,"message":"no"}}'],
    ['numbers', '0'],
    ['requests without a method', '{"jsonrpc":"2.0","id":"y"}'],
  ])('on stdout, %s, is reported a few times, and serves on', async (_what, line) => {
    const { client, problems } = await child();
    const call = { name: 'garbage', arguments: { count: COUNT, line } };
    expect(textOf(await client.callTool(call))).toBe('sent');
    // Of what it would be answered, some cannot be sent: that is a second kind.
    expect(problems.length === TOLD || problems.length === 2 * TOLD, String(problems.length)).toBe(true);
    const kinds = problems.length / TOLD;
    await client.close();
    // Answers that the server has not read by then are a kind of their own.
    const after = problems.slice(TOLD * kinds).map(({ message }) => message);
    const unsent = after.filter((message) => message === 'The connection closed before the message was sent.');
    expect(unsent.length).toBeLessThanOrEqual(TOLD);
    const summed = after.filter((message) => message.includes('more problems like this one'));
    expect(summed.length + unsent.length).toBe(after.length);
    expect([kinds, kinds + 1]).toContain(summed.length);
  });

  it('on stderr that is not read keeps a megabyte of it and its last lines', async () => {
    const { client, transport } = await child('pipe');
    await client.callTool({ name: 'noise', arguments: { bytes: 32 * 1024 * 1024 } });
    const { stderr } = transport;
    await until(() => stderr !== null && (stderr as unknown as { readableLength: number }).readableLength > 0);
    const { readableLength, writableLength } = stderr as unknown as { readableLength: number; writableLength: number };
    expect(readableLength + writableLength).toBeLessThan(2 * 1024 * 1024);
  });

  it('on stderr that goes to a slow stream keeps a megabyte of it', async () => {
    const slow = new Writable({ write: () => {} });
    const { client } = await child(slow);
    await client.callTool({ name: 'noise', arguments: { bytes: 32 * 1024 * 1024 } });
    await until(() => slow.writableLength > 1024 * 1024 - 1);
    expect(slow.writableLength).toBeLessThan(2 * 1024 * 1024);
  });
});

describe.each([
  ['Streamable HTTP', StreamableHTTPClientTransport],
  ['the older HTTP transport', SSEClientTransport],
])('a server over %s that makes noise', (_name, Transport) => {
  it('in its events is reported a few times to the client and to the transport', async () => {
    const server = createServer((_request, response) => {
      response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      response.write('event: endpoint\ndata: /messages\n\n');
      response.write('data: no JSON\n\n'.repeat(COUNT));
      response.write('data: {"jsonrpc":"2.0","method":"notifications/message","params":{}}\n\n');
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    opened.push({ close: () => (server.closeAllConnections(), server.close()) });
    const transport = new Transport(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    let errors = 0;
    let messages = 0;
    transport.onerror = () => (errors += 1);
    transport.onmessage = () => (messages += 1);
    await transport.start();
    opened.push(transport);
    if (transport instanceof StreamableHTTPClientTransport) await transport.resumeStream('0');
    await until(() => messages === 1);
    expect(errors).toBe(TOLD);
  });
});

describe('a client that makes noise', () => {
  it('is reported a few times, and hides no other client', async () => {
    const server = new McpServer({ name: 'victim', version: '1' });
    const problems: Error[] = [];
    server.server.onerror = (problem) => problems.push(problem);
    for (const name of ['first', 'second']) {
      const [near, far] = InMemoryTransport.createLinkedPair();
      await server.connect(far);
      await near.start();
      const before = problems.length;
      for (let at = 0; at < COUNT; at += 1) near.send({ jsonrpc: '2.0', result: name } as never);
      await until(() => problems.length > before);
      expect(problems.length - before, name).toBe(TOLD);
      opened.push(near);
    }
  });
});
