import type { ServerResponse } from 'node:http';
import { afterEach, describe, expect, test } from 'vitest';
import {
  Client,
  createVerdictMemory,
  UnauthorizedError,
  type ClientOptions,
  type HttpTarget,
} from '../../../src/client/index.ts';
import { META_SERVER_INFO } from '../../../src/protocol/meta.ts';
import { McpServer } from '../../../src/server/index.ts';
import { clientWordsOf } from '../../../src/revisions/client-words.ts';
import { revisions } from '../../../src/revisions/index.ts';
import { failure } from '../../client/connected.ts';
import { LEGACY, MODERN } from '../../client/fake-server.ts';
import { proves } from '../../requirements/proves.ts';
import { closeAll, json, listen, serve, stream, text, type Handler, type Listening, type Seen } from './http-server.ts';
import { httpOf } from '../../../src/revisions/http-rules.ts';

const clients: Client[] = [];
const OLDER = revisions.find(
  (revision) => httpOf(revision).sessions && clientWordsOf(revision).suggestsTwoEndpoints(418),
)!;

afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
  await closeAll();
});

function make(options: ClientOptions = {}): Client {
  const client = new Client({ name: 'ladder', version: '1' }, { verdicts: createVerdictMemory(), ...options });
  clients.push(client);
  return client;
}

const DISCOVERED = {
  resultType: 'complete',
  supportedVersions: [MODERN.id],
  capabilities: { tools: {} },
  ttlMs: 0,
  cacheScope: 'private',
  _meta: { [META_SERVER_INFO]: { name: 'modern', version: '1' } },
};

/** A server with a handshake, with or without sessions; `first` answers what it does not like to be sent before one. */
function handshake(first: (seen: Seen, response: ServerResponse) => void, issues = true): Handler {
  return (seen, response) => {
    if (seen.method !== 'POST') return text(response, 405, '');
    const { id, method } = seen.json ?? {};
    if (method === 'initialize') {
      const result = {
        protocolVersion: LEGACY.id,
        capabilities: { tools: {} },
        serverInfo: { name: 'old', version: '1' },
      };
      return json(response, 200, { jsonrpc: '2.0', id, result }, issues ? { 'Mcp-Session-Id': 's' } : {});
    }
    if (method === 'server/discover') return first(seen, response);
    if (id === undefined) return void response.writeHead(202).end();
    return json(response, 200, { jsonrpc: '2.0', id, result: { tools: [] } });
  };
}

proves('M-IOP-009, M-IOP-010, M-IOP-012, M-IOP-021, M-IOP-005, M-IOP-007').describe(
  'servers with a handshake, by what they say to server/discover',
  () => {
    const peers: [string, (seen: Seen, response: ServerResponse) => void][] = [
      ['404 "invalid session" as text (Datadog)', (_seen, response) => text(response, 404, 'invalid session')],
      [
        '404 with an error without id',
        (_seen, response) =>
          json(response, 404, { jsonrpc: '2.0', id: null, error: { code: -32001, message: 'Session not found' } }),
      ],
      [
        '400 with the JSON of an API gateway (Azure)',
        (_seen, response) => json(response, 400, { error: { code: 'BadRequest', message: 'The request is invalid.' } }),
      ],
      [
        '400 with -32600, missing session id',
        (_seen, response) =>
          json(response, 400, {
            jsonrpc: '2.0',
            id: 'server-error',
            error: { code: -32600, message: 'Bad Request: Missing session ID' },
          }),
      ],
      [
        '400 with -32000',
        (_seen, response) =>
          json(response, 400, {
            jsonrpc: '2.0',
            id: null,
            error: { code: -32000, message: 'Bad Request: Server not initialized' },
          }),
      ],
      [
        '400 with -32602',
        ({ json: body }, response) =>
          json(response, 400, { jsonrpc: '2.0', id: body?.id, error: { code: -32602, message: 'Invalid params' } }),
      ],
      ['400 and nothing', (_seen, response) => void response.writeHead(400).end()],
      [
        '404 with -32601',
        ({ json: body }, response) =>
          json(response, 404, { jsonrpc: '2.0', id: body?.id, error: { code: -32601, message: 'Method not found' } }),
      ],
      [
        '200 with -32601',
        ({ json: body }, response) =>
          json(response, 200, { jsonrpc: '2.0', id: body?.id, error: { code: -32601, message: 'Method not found' } }),
      ],
      [
        '200 with -32601 on a stream',
        ({ json: body }, response) =>
          stream(response).event({
            jsonrpc: '2.0',
            id: body?.id,
            error: { code: -32601, message: 'Method not found' },
          }),
      ],
      ['405', (_seen, response) => text(response, 405, 'Method Not Allowed')],
      ['406', (_seen, response) => text(response, 406, 'Not Acceptable')],
      ['415', (_seen, response) => json(response, 415, { message: 'Unsupported' })],
      ['422', (_seen, response) => json(response, 422, { detail: [{ type: 'missing' }] })],
      ['an HTML page', (_seen, response) => text(response, 200, '<!doctype html><title>Login</title>', 'text/html')],
      ['an HTML page with 404', (_seen, response) => text(response, 404, '<h1>Not Found</h1>', 'text/html')],
      ['an empty 200', (_seen, response) => void response.writeHead(200).end()],
      [
        'an empty 200 that says it is JSON',
        (_seen, response) => void response.writeHead(200, { 'content-type': 'application/json' }).end(),
      ],
      ['204', (_seen, response) => void response.writeHead(204).end()],
      ['202', (_seen, response) => void response.writeHead(202).end()],
      ['plain text', (_seen, response) => text(response, 200, 'OK')],
      [
        'an empty object as the result',
        ({ json: body }, response) => json(response, 200, { jsonrpc: '2.0', id: body?.id, result: {} }),
      ],
      ['other JSON', (_seen, response) => json(response, 200, { status: 'ok' })],
      ['a stream that ends without an answer', (_seen, response) => stream(response).end()],
      [
        'an answer to another request',
        (_seen, response) => json(response, 200, { jsonrpc: '2.0', id: 'other', result: DISCOVERED }),
      ],
      [
        'a result that is none',
        ({ json: body }, response) => json(response, 200, { jsonrpc: '2.0', id: body?.id, result: 'ok' }),
      ],
      [
        'a session of its own (servers on the Python SDK)',
        (_seen, response) =>
          json(
            response,
            400,
            { jsonrpc: '2.0', id: 'server-error', error: { code: -32600, message: 'Bad Request: Missing session ID' } },
            { 'Mcp-Session-Id': 'of-the-probe' },
          ),
      ],
      [
        '500, because it does not know the method',
        (_seen, response) => text(response, 500, 'Internal Server Error', 'text/html'),
      ],
      [
        '501 with -32603',
        ({ json: body }, response) =>
          json(response, 501, { jsonrpc: '2.0', id: body?.id, error: { code: -32603, message: 'Internal error' } }),
      ],
      [
        '-32022 that names a version with a handshake',
        ({ json: body }, response) =>
          json(response, 400, {
            jsonrpc: '2.0',
            id: body?.id,
            error: { code: -32022, message: 'no', data: { supported: [LEGACY.id] } },
          }),
      ],
    ];

    test.each(peers)('%s', async (_what, first) => {
      const listening = await listen(handshake(first));
      const client = make();
      await client.connect(listening.url);
      expect(client.revision).toBe(LEGACY);
      expect(client.getServerVersion()?.name).toBe('old');
      expect(await client.listTools()).toEqual({ tools: [] });
      expect(listening.methods().slice(0, 3)).toEqual(['server/discover', 'initialize', 'notifications/initialized']);
      expect(listening.seen.find(({ json: body }) => body?.method === 'tools/list')?.headers).toMatchObject({
        'mcp-session-id': 's',
        'mcp-protocol-version': LEGACY.id,
      });
    });

    test('a server that never gives out a session is used without one', async () => {
      const listening = await listen(handshake((_seen, response) => text(response, 404, ''), false));
      const client = make();
      await client.connect(listening.url);
      expect(await client.listTools()).toEqual({ tools: [] });
      expect(listening.seen.every(({ headers }) => headers['mcp-session-id'] === undefined)).toBe(true);
    });

    proves('M-IOP-016').test(
      'one that does not answer at all is asked for a handshake, and that is not remembered',
      async () => {
        const listening = await listen(handshake(() => {}));
        const verdicts = createVerdictMemory();
        for (let i = 0; i < 2; i += 1) {
          const client = make({ verdicts, timeouts: { probeMs: 100 } });
          await client.connect(listening.url);
          expect(client.family).toBe('handshake');
        }
        expect(listening.methods().filter((method) => method === 'server/discover').length).toBe(2);
      },
    );

    proves('M-IOP-016').test.each([500, 501])(
      '%i to the probe is not remembered: the server is probed again next time',
      async (status) => {
        const listening = await listen(handshake((_seen, response) => text(response, status, '')));
        const verdicts = createVerdictMemory();
        for (let i = 0; i < 2; i += 1) await make({ verdicts }).connect(listening.url);
        expect(listening.methods().filter((method) => method === 'server/discover').length).toBe(2);
      },
    );
  },
);

describe('servers without a handshake', () => {
  const modern =
    (reply: (seen: Seen, response: ServerResponse) => void): Handler =>
    (seen, response) =>
      seen.method === 'POST' ? reply(seen, response) : text(response, 405, '');

  proves('M-IOP-002').test('JSON and streams alike: nothing else is asked, and no session is wanted', async () => {
    for (const asStream of [false, true]) {
      const listening = await listen(
        modern((seen, response) =>
          asStream
            ? stream(response).event({ jsonrpc: '2.0', id: seen.json?.id, result: DISCOVERED })
            : json(response, 200, { jsonrpc: '2.0', id: seen.json?.id, result: DISCOVERED }),
        ),
      );
      const client = make();
      await client.connect(listening.url);
      expect(client.revision).toBe(MODERN);
      expect(listening.methods()).toEqual(['server/discover']);
    }
  });

  proves('M-IOP-003, M-IOP-011').test(
    '400 with -32022 and no version in common: an error that names them, and no initialize',
    async () => {
      const listening = await listen(
        modern((seen, response) =>
          json(response, 400, {
            jsonrpc: '2.0',
            id: seen.json?.id,
            error: { code: -32022, message: 'no', data: { supported: ['2099-01-01'] } },
          }),
        ),
      );
      const error = await failure(make().connect(listening.url));
      expect(error).toMatchObject({ code: 'negotiation-failed' });
      expect(error.message).toContain('2099-01-01');
      expect(listening.methods()).toEqual(['server/discover']);
    },
  );

  proves('M-IOP-011').test.each([-32020, -32021])(
    '400 with %i is reported, and no handshake is tried',
    async (code) => {
      const listening = await listen(
        modern((seen, response) =>
          json(response, 400, { jsonrpc: '2.0', id: seen.json?.id, error: { code, message: 'why' } }),
        ),
      );
      await expect(make().connect(listening.url)).rejects.toMatchObject({
        code: 'negotiation-failed',
        cause: { code },
      });
      expect(listening.methods()).toEqual(['server/discover']);
    },
  );

  proves('M-IOP-020').test('a client without handshake says what is wrong with an old server', async () => {
    const listening = await listen(handshake((_seen, response) => text(response, 404, 'invalid session')));
    const error = await failure(make({ revisions: 'per-request' }).connect(listening.url));
    expect(error.message).toMatch(/handshake.*404/s);
    expect(listening.methods()).toEqual(['server/discover']);
  });
});

proves('M-IOP-016').describe('what decides nothing', () => {
  test('401: the error is that of authorization, nothing is remembered, and with a token all is well', async () => {
    const listening = await listen((seen, response, request) =>
      seen.headers['authorization'] === 'Bearer good'
        ? handshake((_seen, out) => text(out, 404, ''))(seen, response, request)
        : void response.writeHead(401).end(),
    );
    const verdicts = createVerdictMemory();
    const error = await failure(make({ verdicts }).connect(listening.url));
    expect(error).toBeInstanceOf(UnauthorizedError);
    expect(listening.methods()).toEqual(['server/discover']);
    const client = make({ verdicts });
    await client.connect({ url: listening.url, authProvider: { token: () => 'good' } });
    expect(client.family).toBe('handshake');
    expect(listening.methods().slice(1, 3)).toEqual(['server/discover', 'initialize']);
  });

  test.each([403, 408, 425, 429, 500, 501, 502, 503, 504])(
    '%i to everything is reported as it is, and asked again next time',
    async (status) => {
      let isUp = false;
      const listening = await listen((seen, response) =>
        isUp
          ? json(response, 200, { jsonrpc: '2.0', id: seen.json?.id, result: DISCOVERED })
          : json(response, status, {
              jsonrpc: '2.0',
              id: seen.json?.id,
              error: { code: -32601, message: 'Method not found' },
            }),
      );
      const verdicts = createVerdictMemory();
      const error = await failure(make({ verdicts }).connect(listening.url));
      expect(JSON.stringify([error['details'], (error.cause as { details?: unknown } | undefined)?.details])).toContain(
        `"status":${status}`,
      );
      // A server that fails on an unknown method says 500 or 501, so the handshake is tried.
      expect(listening.methods()).toEqual(
        status === 500 || status === 501 ? ['server/discover', 'initialize'] : ['server/discover'],
      );
      isUp = true;
      const client = make({ verdicts });
      await client.connect(listening.url);
      expect(client.revision).toBe(MODERN);
    },
  );

  test.each([401, 403, 500, 503])('%i to initialize does not lead to the older transport', async (status) => {
    const listening = await listen((seen, response) =>
      seen.json?.method === 'initialize' ? text(response, status, 'no') : text(response, 404, ''),
    );
    await failure(make().connect(listening.url));
    expect(listening.methods()).toEqual(['server/discover', 'initialize']);
  });

  test('a server that is not there', async () => {
    const listening = await listen(() => {});
    await listening.close();
    await expect(make().connect(listening.url)).rejects.toMatchObject({ code: 'network' });
  });

  test('a redirect to somewhere else', async () => {
    const other = await serve(new McpServer({ name: 'other', version: '1' }));
    const listening = await listen(
      (_seen, response) => void response.writeHead(307, { location: other.url.href }).end(),
    );
    const error = await failure(make().connect({ url: listening.url, authProvider: { token: () => 'secret' } }));
    expect(error.message).toContain(other.url.href);
    expect(other.seen).toEqual([]);
  });
});

/** A server that knows only the older transport: `refuse` is what it says to a POST at the address itself. */
async function twoEndpoints(refuse: (response: ServerResponse) => void): Promise<Listening> {
  let out: ServerResponse | undefined;
  return listen(
    (seen, response) => {
      if (seen.method === 'GET') {
        out = response.writeHead(200, { 'content-type': 'text/event-stream' });
        return void out.write('event: endpoint\ndata: /messages\n\n');
      }
      if (seen.url !== '/messages') return refuse(response);
      response.writeHead(202).end();
      const { id, method } = seen.json ?? {};
      const result =
        method === 'initialize'
          ? { protocolVersion: LEGACY.id, capabilities: { tools: {} }, serverInfo: { name: 'oldest', version: '1' } }
          : { tools: [] };
      if (id !== undefined) out?.write(`event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', id, result })}\n\n`);
    },
    { path: '/sse' },
  );
}

proves('L-HTTPSSE-011, L-HTTPSSE-013, L-HTTPSSE-014, M-IOP-013').describe('servers with only HTTP+SSE', () => {
  test.each([
    ['405', (response: ServerResponse) => text(response, 405, 'Method Not Allowed')],
    ['404', (response: ServerResponse) => text(response, 404, 'Cannot POST /sse', 'text/html')],
    ['400', (response: ServerResponse) => json(response, 400, { error: 'sessionId required' })],
    [
      '400 with an error of its own',
      (response: ServerResponse) =>
        json(response, 400, { jsonrpc: '2.0', id: null, error: { code: -32000, message: 'no' } }),
    ],
  ])('are met after %s to initialize, and used for the rest of the connection', async (_what, refuse) => {
    const listening = await twoEndpoints(refuse);
    const client = make();
    await client.connect(listening.url);
    expect(client.getServerVersion()?.name).toBe('oldest');
    expect(await client.listTools()).toEqual({ tools: [] });
    expect(listening.seen.map(({ method, url, json: body }) => `${method} ${url} ${body?.method ?? ''}`)).toEqual([
      'POST /sse server/discover',
      'POST /sse initialize',
      'GET /sse ',
      'POST /messages initialize',
      'POST /messages notifications/initialized',
      'POST /messages tools/list',
    ]);
  });

  proves('L-HTTPSSE-013').test('other refusals do not lead there', async () => {
    const listening = await twoEndpoints((response) => text(response, 418, 'teapot'));
    await expect(make().connect(listening.url)).rejects.toMatchObject({ code: 'negotiation-failed' });
    expect(listening.methods()).not.toContain('GET');
  });

  proves('L-HTTPSSE-012').test('in older revisions any 4xx leads there', async () => {
    const listening = await twoEndpoints((response) => text(response, 418, 'teapot'));
    const client = make({ revisions: revisions.filter(({ id }) => id <= OLDER.id).map(({ id }) => id) });
    await failure(client.connect(listening.url)).catch(() => {});
    expect(listening.methods()).toContain('GET');
  });

  proves('M-IOP-014').test(
    'a method that is not known is an answer of the protocol, and does not lead there',
    async () => {
      const listening = await listen((seen, response) =>
        json(response, 404, {
          jsonrpc: '2.0',
          id: seen.json?.id,
          error: { code: -32601, message: 'Method not found' },
        }),
      );
      await failure(make().connect(listening.url));
      expect(listening.methods()).toEqual(['server/discover', 'initialize']);
    },
  );

  test('it is remembered, and found out anew when it is so no longer', async () => {
    const verdicts = createVerdictMemory();
    const listening = await twoEndpoints((response) => text(response, 405, ''));
    await make({ verdicts }).connect(listening.url);
    const before = listening.seen.length;
    await make({ verdicts }).connect(listening.url);
    expect(listening.seen.slice(before).map(({ method, url }) => `${method} ${url}`)).toEqual([
      'GET /sse',
      'POST /messages',
      'POST /messages',
    ]);
    const port = Number(listening.url.port);
    await Promise.all(clients.splice(0).map((client) => client.close()));
    await listening.close();
    const updated = await listen(
      (seen, response) =>
        seen.method === 'GET'
          ? text(response, 405, '')
          : json(response, 200, { jsonrpc: '2.0', id: seen.json?.id, result: DISCOVERED }),
      { port, path: '/sse' },
    );
    const client = make({ verdicts });
    await client.connect(updated.url);
    expect(client.revision).toBe(MODERN);
  });

  test('an address with nothing at all: the error tells of every step', async () => {
    const listening = await listen((_seen, response) => text(response, 404, 'nothing here'));
    const error = await failure(make().connect(listening.url));
    expect(error).toMatchObject({ code: 'negotiation-failed' });
    expect(error.message).toMatch(/POST .*404.*nothing here.*server\/discover.*GET .*404/s);
  });
});

proves('M-IOP-017, M-IOP-018').describe('what is remembered', () => {
  test('is remembered by path: a gateway has servers of both families on one origin', async () => {
    const verdicts = createVerdictMemory();
    const listening = await listen((seen, response, request) =>
      seen.url.startsWith('/new')
        ? json(response, 200, { jsonrpc: '2.0', id: seen.json?.id, result: DISCOVERED })
        : handshake((_seen, out) => text(out, 404, ''))(seen, response, request),
    );
    for (let i = 0; i < 2; i += 1) {
      for (const path of ['/new', '/old', '/old?server=2']) {
        const client = make({ verdicts });
        await client.connect(new URL(path, listening.url));
        expect(client.family).toBe(path === '/new' ? 'per-request' : 'handshake');
      }
    }
    const probes = listening.seen.filter(({ json: body }) => body?.method === 'server/discover').map(({ url }) => url);
    expect(probes).toEqual(['/new', '/old', '/old?server=2', '/new']);
  });

  test('expires, and is asked again when it does not fit any more', async () => {
    let now = 0;
    const clock = {
      now: () => now,
      setTimeout: (run: () => void, ms: number) => setTimeout(run, ms),
      clearTimeout: (timer: unknown) => clearTimeout(timer as NodeJS.Timeout),
    };
    const verdicts = createVerdictMemory({ clock, handshakeTtlMs: 1000 });
    let isUpdated = false;
    const old = handshake((_seen, response) => text(response, 404, ''));
    const listening = await listen((seen, response, request) => {
      if (!isUpdated) return old(seen, response, request);
      if (seen.json?.method === 'initialize')
        return json(response, 400, {
          jsonrpc: '2.0',
          id: seen.json.id,
          error: { code: -32022, message: 'no', data: { supported: [MODERN.id] } },
        });
      return json(response, 200, { jsonrpc: '2.0', id: seen.json?.id, result: DISCOVERED });
    });
    const probes = async (): Promise<number> => {
      const before = listening.seen.length;
      await make({ verdicts }).connect(listening.url);
      return listening.seen.slice(before).filter(({ json: body }) => body?.method === 'server/discover').length;
    };
    expect([await probes(), await probes()]).toEqual([1, 0]);
    now = 2000;
    expect(await probes()).toBe(1);
    isUpdated = true;
    expect(await probes()).toBe(1);
    expect(clients.at(-1)?.family).toBe('per-request');
  });
});

describe('what is said goes before what would be found out', () => {
  test.each<[string, Partial<HttpTarget>, string[]]>([
    ['the family', { family: 'handshake' }, ['initialize', 'notifications/initialized']],
    ['the revisions', { revisions: [LEGACY.id] }, ['initialize', 'notifications/initialized']],
    ['the transport', { transport: 'streamable' }, ['server/discover', 'initialize', 'notifications/initialized']],
  ])('%s', async (_what, target, methods) => {
    const listening = await listen(handshake((_seen, response) => text(response, 404, '')));
    const client = make();
    await client.connect({ url: listening.url.href, ...target });
    expect(listening.methods().slice(0, methods.length)).toEqual(methods);
  });

  test('the older transport', async () => {
    const listening = await twoEndpoints((response) => text(response, 500, ''));
    await make().connect({ url: listening.url, transport: 'sse' });
    expect(listening.methods()[0]).toBe('GET');
    const streamable = await twoEndpoints((response) => text(response, 405, ''));
    await failure(make().connect({ url: streamable.url, transport: 'streamable' }));
    expect(streamable.methods()).not.toContain('GET');
  });

  test('the client is made with revisions, and the target may choose others', async () => {
    const listening = await serve(new McpServer({ name: 'both', version: '1' }));
    const client = make({ revisions: 'handshake' });
    await client.connect({ url: listening.url, revisions: 'per-request' });
    expect(client.family).toBe('per-request');
  });

  test.each(['nonsense', 'ftp://example.com/mcp', ''])('an address that is none is refused: %j', async (url) => {
    await expect(make().connect(url)).rejects.toThrow(TypeError);
  });

  test('the time for connecting is for all steps together', async () => {
    const listening = await listen((seen, response) => {
      if (seen.method === 'POST') setTimeout(() => text(response, 404, ''), 150);
    });
    const error = await failure(make().connect(listening.url, { timeoutMs: 400 }));
    expect(error).toMatchObject({ code: 'connect-timeout' });
  });
});
