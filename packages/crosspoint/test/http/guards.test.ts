import { readFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { afterEach, describe, expect, test } from 'vitest';
import { createMcpHandler } from '../../src/server/index.ts';
import { refusal } from '../../src/transports/http/server/guards/host-and-origin.ts';
import type { HttpRequest } from '../../src/transports/http/server/adapters/exchange.ts';
import { proves } from '../requirements/proves.ts';
import { closeAll, initialize, makeServer, openSession, send, serve, stateless } from './serving.ts';

afterEach(closeAll);

interface Row {
  readonly loopback: boolean;
  readonly hosts: string[] | undefined;
  readonly origins: string[] | undefined;
  readonly host: string | undefined;
  readonly origin: string | undefined;
  readonly site: string | undefined;
  readonly served: boolean;
}

/** The decision table of the documentation. */
function documentedRows(): Row[] {
  const text = readFileSync(new URL('../../../../docs/http.md', import.meta.url), 'utf8');
  const section = text.slice(text.indexOf('<!-- decisions -->'), text.indexOf('<!-- /decisions -->'));
  const cells = section
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .slice(2)
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim().replaceAll('`', '')),
    );
  const given = (cell: string | undefined): string | undefined => (cell === '–' ? undefined : cell);
  const list = (cell: string | undefined): string[] | undefined => given(cell)?.split(' ');
  return cells.map(([at, hosts, origins, host, origin, site, decision]) => ({
    loopback: at === 'loopback',
    hosts: list(hosts),
    origins: list(origins),
    host: given(host),
    origin: given(origin),
    site: given(site),
    served: decision === 'served',
  }));
}

function requestOf({ loopback, host, origin, site }: Row): HttpRequest {
  const headers: Record<string, string | undefined> = { host, origin, 'sec-fetch-site': site };
  return { isLoopback: loopback ? true : undefined, header: (name: string) => headers[name] } as unknown as HttpRequest;
}

describe('the decision table', () => {
  const rows = documentedRows();

  test('is there', () => expect(rows.length).toBeGreaterThan(15));

  test.each(rows.map((row) => [JSON.stringify(row), row] as const))('%s', (_title, row) => {
    const refused = refusal(requestOf(row), {
      ...(row.hosts && { allowedHosts: row.hosts }),
      ...(row.origins && { allowedOrigins: row.origins }),
    });
    expect(refused === undefined).toBe(row.served);
  });
});

const ATTACKS: [string, Record<string, string>][] = [
  ['a name that was pointed here', { host: 'evil.example' }],
  ['such a name with the port', { host: 'evil.example:3000' }],
  ['a name that looks like a loopback one', { host: '127.0.0.1.evil.example' }],
  ['the origin of a page', { origin: 'http://evil.example' }],
  ['an origin that looks like a loopback one', { origin: 'http://localhost.evil.example' }],
  ['an opaque origin', { origin: 'null' }],
  ['both', { host: 'evil.example', origin: 'http://evil.example' }],
];

for (const [what, headers] of ATTACKS)
  proves('L-HTTP-002, L-HTTP-003, L-HTTPSSE-005, M-HTTP-002, M-HTTP-003').describe(what, () => {
    test('is refused with 403 by every listener, before anything is done', async () => {
      const at = await serve({ healthPath: '/health' });
      const session = await openSession(at);
      const entries: [string, string, unknown?][] = [
        ['POST', '/mcp', initialize()],
        ['POST', '/mcp', stateless('tools/list').body],
        ['POST', '/mcp', 'not json'],
        ['GET', '/mcp'],
        ['DELETE', '/mcp'],
        ['OPTIONS', '/mcp'],
        ['PUT', '/mcp'],
        ['GET', '/sse'],
        ['POST', '/messages?sessionId=x', initialize()],
        ['GET', '/health'],
        ['HEAD', '/health'],
        ['GET', '/nowhere'],
      ];
      for (const [method, path, body] of entries) {
        const answer = await (
          await send(at, { method, path, headers: { ...session.headers, ...headers }, body })
        ).finish();
        expect([method, path, answer.status]).toEqual([method, path, 403]);
        if (method !== 'HEAD') expect(JSON.parse(answer.text)).not.toHaveProperty('id');
      }
      expect(at.handler.health).toMatchObject({ sessions: 1, streams: 0 });
      expect((await session.post({ jsonrpc: '2.0', id: 1, method: 'tools/list' })).status).toBe(200);
    });
  });

proves('L-HTTP-003, M-HTTP-003').test('loopback names and origins pass, and so does no origin at all', async () => {
  const at = await serve({ healthPath: '/health' });
  for (const headers of [
    {},
    { host: 'localhost' },
    { host: `localhost:${at.port}` },
    { host: `127.0.0.1:${at.port}` },
    { host: '[::1]:80' },
    { origin: 'http://localhost:5173' },
    { origin: 'http://127.0.0.1' },
  ]) {
    expect((await send(at, { headers: headers as Record<string, string>, body: initialize() })).status).toBe(200);
    expect(
      (await send(at, { method: 'GET', path: '/health', headers: headers as Record<string, string> })).status,
    ).toBe(200);
  }
});

test('the web form refuses names that are pointed at a listener that says it is a loopback one', async () => {
  const handler = createMcpHandler(makeServer());
  const request = (): Request => new Request('http://evil.example/sse', { headers: { accept: 'text/event-stream' } });
  expect((await handler.fetch(request(), { isLoopback: true })).status).toBe(403);
  expect(
    (await handler.fetch(new Request('http://localhost/sse', { headers: { host: 'evil.example' } }), {})).status,
  ).toBe(403);
  expect(
    (
      await handler.fetch(
        new Request('https://mcp.example.com/mcp', { headers: { origin: 'https://evil.example' } }),
        {},
      )
    ).status,
  ).toBe(403);
  await handler.close({ grace: 0 });
});

test('an address that is not a loopback one asks browsers for an allowed origin, and programs for nothing', async () => {
  const address = Object.values(networkInterfaces())
    .flat()
    .find((face) => face && !face.internal && face.family === 'IPv4')?.address;
  const row: Row = {
    loopback: false,
    hosts: undefined,
    origins: undefined,
    host: address ?? '192.0.2.1',
    origin: undefined,
    site: undefined,
    served: true,
  };
  expect(refusal(requestOf(row), {})).toBeUndefined();
  expect(refusal(requestOf({ ...row, origin: `http://${row.host ?? ''}` }), {})).toMatch(/allowedOrigins/);
});

describe('CORS', () => {
  const origin = 'https://app.example.com';
  const options = { cors: true, allowedHosts: ['127.0.0.1'], allowedOrigins: [origin] };

  proves('L-SDK-030').test(
    'a preflight is answered with every header of both families, and those the page asks for',
    async () => {
      const at = await serve(options);
      const answer = await send(at, {
        method: 'OPTIONS',
        headers: {
          origin,
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'mcp-param-region,x-evil',
        },
      });
      expect(answer.status).toBe(204);
      const allowed = String(answer.headers['access-control-allow-headers']).toLowerCase().split(', ');
      expect(allowed).toEqual(
        expect.arrayContaining([
          'content-type',
          'accept',
          'authorization',
          'last-event-id',
          'mcp-session-id',
          'mcp-protocol-version',
          'mcp-method',
          'mcp-name',
          'mcp-param-region',
        ]),
      );
      expect(allowed).not.toContain('x-evil');
      expect(answer.headers['access-control-allow-origin']).toBe(origin);
    },
  );

  test('every answer can be read, also one that is an error', async () => {
    const at = await serve({ ...options, maxBodyBytes: 1000, path: '/mcp' });
    const long = { jsonrpc: '2.0', id: 1, method: 'x', params: { long: 'x'.repeat(2000) } };
    const sent: [number, Parameters<typeof send>[1]][] = [
      [200, { body: initialize() }],
      [400, { body: 'nonsense' }],
      [400, { body: { jsonrpc: '2.0', id: 1, method: 'tools/list' } }],
      [404, { body: { jsonrpc: '2.0', id: 1, method: 'tools/list' }, headers: { 'mcp-session-id': 'x' } }],
      [404, { path: '/elsewhere', body: initialize() }],
      [405, { method: 'PUT' }],
      [406, { body: initialize(), headers: { accept: 'text/html' } }],
      [413, { body: long }],
      [415, { body: initialize(), headers: { 'content-type': 'text/plain' } }],
    ];
    for (const [status, request] of sent) {
      const answer = await send(at, { ...request, headers: { origin, ...request.headers } });
      expect([answer.status, answer.headers['access-control-allow-origin'], answer.headers.vary]).toEqual([
        status,
        origin,
        'Origin',
      ]);
      expect(String(answer.headers['access-control-expose-headers'])).toMatch(/Mcp-Session-Id.*WWW-Authenticate/);
    }
    await at.handler.close();
    expect((await send(at, { body: initialize(), headers: { origin } })).headers['access-control-allow-origin']).toBe(
      origin,
    );
  });

  test('without the option nothing is said, and other origins are refused', async () => {
    const at = await serve();
    expect(
      (await send(at, { body: initialize(), headers: { origin: 'http://localhost' } })).headers[
        'access-control-allow-origin'
      ],
    ).toBeUndefined();
    const strict = await serve(options);
    expect((await send(strict, { body: initialize(), headers: { origin: 'https://other.example' } })).status).toBe(403);
  });
});
