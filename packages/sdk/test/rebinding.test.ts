import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { McpServer } from '../src/server/mcp.ts';
import { SSEServerTransport } from '../src/server/sse.ts';
import { StreamableHTTPServerTransport } from '../src/server/streamableHttp.ts';

const open: Server[] = [];
afterEach(() => {
  for (const http of open.splice(0)) {
    http.closeAllConnections();
    http.close();
  }
});

/** A program of v1, on its own port: a transport for every POST, or the pair of endpoints. */
async function serve(options: { enableDnsRebindingProtection?: boolean } = {}): Promise<number> {
  const pairs = new Map<string, SSEServerTransport>();
  const answer = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { pathname, searchParams } = new URL(incoming.url ?? '/', 'http://localhost');
    const server = new McpServer({ name: 'old', version: '1.0.0' });
    if (pathname === '/mcp') {
      const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined, ...options });
      await server.connect(transport);
      return transport.handleRequest(incoming, response);
    }
    const pair = pairs.get(searchParams.get('sessionId') ?? '');
    if (pair) return pair.handlePostMessage(incoming, response);
    const made = new SSEServerTransport('/messages', response, options);
    pairs.set(made.sessionId, made);
    return server.connect(made);
  };
  const http = createServer((incoming, response) => void answer(incoming, response));
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  open.push(http);
  return (http.address() as AddressInfo).port;
}

const PING = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });

function post(port: number, headers: Record<string, string>, path = '/mcp'): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const asked = request(
      { host: '127.0.0.1', port, path, method: 'POST', headers: { ...HEADERS, ...headers } },
      (response) => {
        response.resume();
        resolve(response.statusCode);
      },
    );
    asked.on('error', reject);
    asked.end(PING);
  });
}
const HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

describe('a program of v1 that checks no hosts', () => {
  test('is not reached by a page that took the name of the machine', async () => {
    const port = await serve();
    expect(await post(port, { host: `evil.example:${port}`, origin: `http://evil.example:${port}` })).toBe(403);
    const stream = await fetch(`http://127.0.0.1:${port}/sse`);
    const { value } = (await stream.body?.getReader().read()) ?? {};
    const path = /data: (\S+)/.exec(new TextDecoder().decode(value))?.[1] ?? '';
    expect(await post(port, { host: 'evil.example', origin: 'http://evil.example' }, path)).toBe(403);
    expect(await post(port, {}, path)).toBe(202);
  });

  test.each([
    ['a program', {}],
    ['a program behind a proxy', { host: 'tools.example' }],
    ['a page of this machine', { origin: 'http://localhost:6274' }],
    ['a page behind a proxy', { host: 'tools.example', origin: 'https://tools.example' }],
    ['a page of others, behind a proxy', { host: 'tools.example', origin: 'https://app.example' }],
  ])('serves %s, as before', async (_, headers) => {
    expect(await post(await serve(), headers)).toBe(200);
  });

  test('serves everybody where it says so', async () => {
    const port = await serve({ enableDnsRebindingProtection: false });
    expect(await post(port, { host: 'evil.example', origin: 'http://evil.example' })).toBe(200);
  });
});
