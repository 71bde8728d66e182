import { createServer, type RequestListener } from 'node:http';
import { createServer as createTcpServer, type AddressInfo, type Server } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Client } from '../../src/client/client-by-address.ts';
import { StdioClientTransport } from '../../src/client/stdio.ts';
import { TransportError } from '../../src/protocol/errors.ts';
import { until } from '../until.ts';

const INFO = { name: 'test', version: '1' };
const CONNECT_MS = 600;
const client = (revisions?: 'handshake'): Client =>
  new Client(INFO, { timeouts: { connectMs: CONNECT_MS }, ...(revisions && { revisions }) });

/** Programs that are no servers, each of which ends in another way or not at all. */
const PROGRAMS: Readonly<Record<string, string>> = {
  'reads and says nothing': 'process.stdin.resume(); setInterval(() => {}, 1000)',
  'does not read': 'setInterval(() => {}, 1000)',
  'ignores SIGTERM': 'process.on("SIGTERM", () => {}); setInterval(() => {}, 1000)',
};

/** Milliseconds until the attempt is rejected with `connect-timeout`. */
async function outOfTime(attempt: Promise<unknown>): Promise<number> {
  const begin = performance.now();
  const error: unknown = await attempt.catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(TransportError);
  expect((error as TransportError).code).toBe('connect-timeout');
  return performance.now() - begin;
}

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

describe.concurrent.each(Object.entries(PROGRAMS))('a program over stdio that %s', (_name, source) => {
  it.each([undefined, 'handshake'] as const)('costs connectMs and no more, with revisions %s', async (revisions) => {
    const transport = new StdioClientTransport({ command: process.execPath, args: ['-e', source] });
    const attempt = client(revisions).connect(transport);
    await until(() => transport.pid !== null);
    const pid = transport.pid ?? 0;
    // Ending such a program takes 2 to 4 seconds, which do not count.
    expect(await outOfTime(attempt)).toBeLessThan(CONNECT_MS + 900);
    await until(() => !isAlive(pid));
  });
});

it.concurrent('starts the program again only after the one that was too slow is gone', async () => {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: ['-e', 'setInterval(() => {}, 1000)'],
    closeGraceMs: 300,
  });
  const attempt = client().connect(transport);
  await until(() => transport.pid !== null);
  const first = transport.pid ?? 0;
  await outOfTime(attempt);
  const second = client().connect(transport);
  await until(() => transport.pid !== null && transport.pid !== first);
  expect(isAlive(first)).toBe(false);
  await outOfTime(second);
});

const ANSWERS: Readonly<Record<string, RequestListener>> = {
  nothing: () => {},
  'headers of a stream': (_request, response) =>
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders(),
  'half a body': (_request, response) =>
    void response.writeHead(200, { 'content-type': 'application/json' }).write('{'),
  'half a refusal': (_request, response) => void response.writeHead(400, { 'content-type': 'text/html' }).write('<'),
};

describe.concurrent.each([...Object.keys(ANSWERS), 'no HTTP at all'])('an address that answers with %s', (name) => {
  const listener = ANSWERS[name];
  let server: Server;
  let url: string;
  beforeAll(async () => {
    server = listener === undefined ? createTcpServer(() => {}) : createServer(listener);
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  });
  afterAll(() => void server.close());

  it.each([undefined, 'sse'] as const)('costs connectMs and no more, over %s', async (transport) => {
    expect(await outOfTime(client().connect({ url, transport }))).toBeLessThan(CONNECT_MS + 900);
  });
});

describe('a time limit in a place where it would have no effect', () => {
  it('is refused, with where it belongs', async () => {
    expect(() => new Client(INFO, { connectMs: 2000 } as object)).toThrow(
      'The client option connectMs belongs into timeouts: { timeouts: { connectMs: … } }.',
    );
    await expect(client().connect('http://127.0.0.1:9/mcp', { connectMs: 2000 } as object)).rejects.toThrow(
      'timeoutMs',
    );
  });

  it('is refused when it is no number', () => {
    expect(() => new Client(INFO, { timeouts: { connectMs: '2s' as unknown as number } })).toThrow(
      'timeouts.connectMs must be a number of milliseconds from 0 on, not "2s".',
    );
  });
});
