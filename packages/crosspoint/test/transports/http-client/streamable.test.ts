import type { ServerResponse } from 'node:http';
import { afterEach, describe, expect, test } from 'vitest';
import {
  StreamableHTTPClientTransport,
  TransportError,
  UnauthorizedError,
  type StreamableHTTPClientTransportOptions,
} from '../../../src/client/index.ts';
import type { JSONRPCMessage } from '../../../src/jsonrpc/message.ts';
import { META_PROTOCOL_VERSION } from '../../../src/protocol/meta.ts';
import { revisions } from '../../../src/revisions/index.ts';
import { failure } from '../../client/connected.ts';
import { LEGACY, MODERN } from '../../client/fake-server.ts';
import { proves } from '../../requirements/proves.ts';
import { closeAll, json, listen, stream, text, until, type Handler, type Listening, type Seen } from './http-server.ts';
import { httpOf } from '../../../src/revisions/http-rules.ts';

const FAST = { initialReconnectionDelay: 5, maxReconnectionDelay: 20, reconnectionDelayGrowFactor: 1.5, maxRetries: 3 };
const WITHOUT_HEADER = revisions.find(
  (revision) => httpOf(revision).streamable && httpOf(revision).versionHeader === 'none',
)!;

interface Started {
  transport: StreamableHTTPClientTransport;
  listening: Listening;
  received: JSONRPCMessage[];
  errors: Error[];
  closes: number[];
}

const started: StreamableHTTPClientTransport[] = [];

afterEach(async () => {
  await Promise.all(started.splice(0).map((transport) => transport.close()));
  await closeAll();
});

async function start(
  handler: Handler,
  options: StreamableHTTPClientTransportOptions = {},
  path = '/mcp',
): Promise<Started> {
  const listening = await listen(handler, { path });
  const transport = new StreamableHTTPClientTransport(listening.url, { reconnectionOptions: FAST, ...options });
  const received: JSONRPCMessage[] = [];
  const errors: Error[] = [];
  const closes: number[] = [];
  transport.onmessage = (message) => received.push(message);
  transport.onerror = (error) => errors.push(error);
  transport.onclose = () => closes.push(1);
  await transport.start();
  started.push(transport);
  return { transport, listening, received, errors, closes };
}

const request = (id: number, method = 'tools/list', params: Record<string, unknown> = {}): JSONRPCMessage => ({
  jsonrpc: '2.0',
  id,
  method,
  params,
});
const INITIALIZED: JSONRPCMessage = { jsonrpc: '2.0', method: 'notifications/initialized' };
const answer = (seen: Seen, result: object = {}): object => ({ jsonrpc: '2.0', id: seen.json?.id, result });

/** A server with sessions that answers everything; `more` goes first. */
function sessions(more: (seen: Seen, response: ServerResponse) => boolean | void = () => {}): Handler {
  return (seen, response) => {
    if (more(seen, response) === true) return;
    if (seen.method === 'GET') return text(response, 405, '');
    if (seen.method === 'DELETE') return void response.writeHead(204).end();
    if (seen.json?.id === undefined) return void response.writeHead(202).end();
    json(response, 200, answer(seen), seen.json.method === 'initialize' ? { 'Mcp-Session-Id': 'session-1' } : {});
  };
}

/** Through the handshake, with the standing stream asked for. */
async function open(all: Started): Promise<void> {
  all.transport.setHttpRules(httpOf(LEGACY));
  await all.transport.send(request(1, 'initialize'));
  all.transport.setProtocolVersion(LEGACY.id);
  await all.transport.send(INITIALIZED);
}

describe('messages', () => {
  proves('L-HTTP-007, L-HTTP-008, L-HTTP-011, M-HTTP-006, M-HTTP-007, M-HTTP-009').test(
    'each is a POST of its own, and takes both kinds of answers',
    async () => {
      const all = await start(sessions());
      await all.transport.send(request(1));
      await all.transport.send({ jsonrpc: '2.0', method: 'notifications/roots/list_changed' });
      await all.transport.send({ jsonrpc: '2.0', id: 7, result: {} });
      expect(all.listening.seen.map(({ method, url }) => `${method} ${url}`)).toEqual([
        'POST /mcp',
        'POST /mcp',
        'POST /mcp',
      ]);
      for (const { headers, json: body } of all.listening.seen) {
        expect(headers['accept']).toBe('application/json, text/event-stream');
        expect(headers['content-type']).toBe('application/json');
        expect(Array.isArray(body)).toBe(false);
      }
      expect(all.received).toEqual([{ jsonrpc: '2.0', id: 1, result: {} }]);
    },
  );

  proves('L-HTTP-010').test('a batch is one POST, and its answers may come as an array', async () => {
    const all = await start((seen, response) =>
      json(
        response,
        200,
        (seen.json as unknown as { id: number }[]).map(({ id }) => ({ jsonrpc: '2.0', id, result: {} })),
      ),
    );
    await all.transport.send([request(1), request(2)] as JSONRPCMessage[]);
    expect(all.received.map((message) => 'id' in message && message.id)).toEqual([1, 2]);
    expect(all.listening.seen.length).toBe(1);
  });

  proves('L-HTTP-016, M-HTTP-014, M-HTTP-020').test(
    'an answer may be a stream, with notifications, comments, odd line ends and more after it',
    async () => {
      const all = await start((seen, response) => {
        const out = stream(response);
        out.raw(':\n\n: keep-alive\r\n\r\n');
        out.raw(
          `event: message\r\ndata: {"jsonrpc":"2.0",\r\ndata: "method":"notifications/message","params":{}}\r\n\r\n`,
        );
        out.raw(
          'event: other\ndata: not for us\n\nfield-of-the-future: 1\ndata: {"jsonrpc":"2.0","method":"notifications/progress"}\n\n',
        );
        out.event(answer(seen, { ok: true }));
        out.end();
      });
      await all.transport.send(request(1));
      expect(all.received.map((message) => ('method' in message ? message.method : 'answer'))).toEqual([
        'notifications/message',
        'notifications/progress',
        'answer',
      ]);
      expect(all.errors).toEqual([]);
    },
  );

  test('a stream split at every byte is the same stream', async () => {
    const all = await start(async (seen, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
      for (const byte of Buffer.from(`data: ${JSON.stringify(answer(seen, { text: 'Grüße 🌍' }))}\n\n`))
        response.write(Buffer.of(byte));
      response.end();
    });
    await all.transport.send(request(1));
    expect(all.received).toEqual([{ jsonrpc: '2.0', id: 1, result: { text: 'Grüße 🌍' } }]);
  });

  proves('L-HTTP-023').test('an event without data is no message', async () => {
    const all = await start((seen, response) => {
      const out = stream(response);
      out.event('', 'e-0');
      out.event(answer(seen), 'e-1');
      out.end();
    });
    await all.transport.send(request(1));
    expect(all.received.length).toBe(1);
    expect(all.errors).toEqual([]);
  });

  test('an event that is no JSON is reported, and the stream goes on', async () => {
    const all = await start((seen, response) => {
      const out = stream(response);
      out.event('oops');
      out.event(answer(seen));
      out.end();
    });
    await all.transport.send(request(1));
    expect(all.errors).toMatchObject([{ code: 'bad-frame' }]);
    expect(all.received.length).toBe(1);
  });

  test('an error without an id, in the answer to one request, is the answer to that request', async () => {
    const all = await start((_seen, response) =>
      json(response, 200, { jsonrpc: '2.0', id: null, error: { code: -32600, message: 'no' } }),
    );
    await all.transport.send(request(5));
    expect(all.received).toEqual([{ jsonrpc: '2.0', id: 5, error: { code: -32600, message: 'no' } }]);
  });

  test.each([
    ['an empty 200', (response: ServerResponse) => void response.writeHead(200).end(), 200, undefined],
    ['204', (response: ServerResponse) => void response.writeHead(204).end(), 204, undefined],
    ['202', (response: ServerResponse) => void response.writeHead(202).end(), 202, undefined],
    [
      'an HTML page',
      (response: ServerResponse) => text(response, 200, '<html>Welcome</html>', 'text/html'),
      200,
      'text/html',
    ],
    ['plain text', (response: ServerResponse) => text(response, 200, 'ok'), 200, 'text/plain'],
    ['other JSON', (response: ServerResponse) => json(response, 200, { hello: 'world' }), 200, 'application/json'],
    [
      'broken JSON',
      (response: ServerResponse) => text(response, 200, '{"jsonrpc":"2.0","id":1,', 'application/json'),
      200,
      'application/json',
    ],
    [
      'the answer to something else',
      (response: ServerResponse) => json(response, 200, { jsonrpc: '2.0', id: 99, result: {} }),
      200,
      'application/json',
    ],
  ])('a request answered with %s fails at once, and says with what', async (_what, reply, status, contentType) => {
    const all = await start((_seen, response) => reply(response));
    const error = await failure(all.transport.send(request(1)));
    expect(error).toMatchObject({ name: 'TransportError', code: 'http', details: { status, contentType } });
    expect(error.message).toContain(`POST ${all.listening.url.href}`);
  });

  test('a refusal carries status, content type, the start of the body and the error in it, and no secrets', async () => {
    const all = await start(
      (_seen, response) =>
        json(response, 400, {
          jsonrpc: '2.0',
          id: null,
          error: { code: -32000, message: 'Bad' },
          token: 'abcdefghijkl',
          auth: 'Bearer abcdefghijkl',
        }),
      {},
      '/mcp?api_key=hunter22222',
    );
    const error = await failure(all.transport.send(request(1)));
    expect(error).toMatchObject({
      code: 'http',
      details: { status: 400, contentType: 'application/json', error: { code: -32000, message: 'Bad' } },
    });
    expect(JSON.stringify(error) + error.message).not.toMatch(/abcdefghijkl|hunter/);
    expect((error as unknown as TransportError).details['body']).toContain('[redacted]');
  });

  test('a server that is not there is a network error with the reason', async () => {
    const all = await start(sessions());
    await all.listening.close();
    const error = await failure(all.transport.send(request(1)));
    expect(error).toMatchObject({ code: 'network' });
    expect(error.message).toContain('ECONNREFUSED');
  });

  test('a message beyond the limit is refused, as a body and as an event', async () => {
    const big = 'x'.repeat(5000);
    const all = await start(
      (seen, response) =>
        seen.json?.id === 1
          ? json(response, 200, answer(seen, { big }))
          : stream(response).event(answer(seen, { big })),
      { maxMessageBytes: 1000 },
    );
    await expect(all.transport.send(request(1))).rejects.toMatchObject({ code: 'too-large', details: { limit: 1000 } });
    await expect(all.transport.send(request(2))).rejects.toMatchObject({ code: 'too-large', details: { limit: 1000 } });
  });

  test('a stream that stays open after the answer is not kept', async () => {
    let gone = false;
    const all = await start((seen, response, incoming) => {
      incoming.socket.on('close', () => (gone = true));
      stream(response).event(answer(seen));
    });
    await all.transport.send(request(1));
    expect(all.received.length).toBe(1);
    await until(() => gone);
    expect(all.errors).toEqual([]);
  });
});

describe('headers', () => {
  proves('L-SESSIONS-005, L-HTTP-043, L-HTTP-044, L-HTTP-048, L-HTTP-033').test(
    'handshake: session and version are on everything after initialize, and on that not',
    async () => {
      const all = await start(sessions());
      await open(all);
      await until(() => all.listening.methods().includes('GET'));
      await all.transport.send(request(2));
      await all.transport.terminateSession();
      const sent = all.listening.seen.map(({ method, json: body, headers }) => [
        method === 'POST' ? body?.method : method,
        headers['mcp-session-id'],
        headers['mcp-protocol-version'],
      ]);
      expect(sent[0]).toEqual(['initialize', undefined, undefined]);
      expect(new Set(sent.slice(1).map(([method]) => method))).toEqual(
        new Set(['notifications/initialized', 'GET', 'tools/list', 'DELETE']),
      );
      for (const [, session, version] of sent.slice(1)) expect([session, version]).toEqual(['session-1', LEGACY.id]);
      expect(all.listening.seen.find(({ method }) => method === 'GET')?.headers['accept']).toBe('text/event-stream');
    },
  );

  proves('L-HTTP-047').test('a revision without a version header sends none', async () => {
    const all = await start(sessions());
    all.transport.setHttpRules(httpOf(WITHOUT_HEADER));
    await all.transport.send(request(1, 'initialize'));
    all.transport.setProtocolVersion(WITHOUT_HEADER.id);
    await all.transport.send(request(2));
    expect(all.listening.seen.map(({ headers }) => headers['mcp-protocol-version'])).toEqual([undefined, undefined]);
    expect(all.listening.seen[1]?.headers['mcp-session-id']).toBe('session-1');
  });

  proves('M-HTTP-008, M-HDR-001, M-HDR-002, M-HDR-007, M-HDR-008, M-HDR-009').test(
    'per-request: every POST repeats version, method and name of its own body',
    async () => {
      const all = await start(sessions());
      all.transport.setHttpRules(httpOf(MODERN));
      const _meta = { [META_PROTOCOL_VERSION]: MODERN.id };
      await all.transport.send(request(1, 'server/discover', { _meta }));
      await all.transport.send(request(2, 'tools/call', { name: 'größe', _meta }), { headers: { 'mcp-param-x': '1' } });
      await all.transport.send(request(3, 'resources/read', { uri: 'file:///a b', _meta }));
      await all.transport.send(request(4, 'prompts/get', { name: ' padded', _meta }));
      const sent = all.listening.seen.map(({ headers }) => [
        headers['mcp-protocol-version'],
        headers['mcp-method'],
        headers['mcp-name'],
        headers['mcp-session-id'],
      ]);
      expect(sent).toEqual([
        [MODERN.id, 'server/discover', undefined, undefined],
        [MODERN.id, 'tools/call', '=?base64?Z3LDtsOfZQ==?=', undefined],
        [MODERN.id, 'resources/read', 'file:///a b', undefined],
        [MODERN.id, 'prompts/get', '=?base64?IHBhZGRlZA==?=', undefined],
      ]);
      expect(all.listening.seen[1]?.headers['mcp-param-x']).toBe('1');
    },
  );

  proves('L-AUTH-001').test(
    'requestInit is part of every request, and cannot displace the headers of the protocol',
    async () => {
      const all = await start(sessions(), {
        requestInit: { headers: { 'X-Tenant': 'a', Accept: 'text/plain', 'Mcp-Session-Id': 'forged' } },
      });
      await open(all);
      await until(() => all.listening.methods().includes('GET'));
      await all.transport.terminateSession();
      expect(all.listening.seen.map(({ headers }) => headers['x-tenant'])).toEqual(['a', 'a', 'a', 'a']);
      expect(all.listening.seen[0]?.headers['accept']).toBe('application/json, text/event-stream');
      expect(all.listening.seen[1]?.headers['mcp-session-id']).toBe('session-1');
    },
  );

  test('a session id that is not of visible ASCII is not used', async () => {
    const all = await start(
      sessions(
        (seen, response) =>
          seen.json?.method === 'initialize' && (json(response, 200, answer(seen), { 'Mcp-Session-Id': 'a b' }), true),
      ),
    );
    await open(all);
    expect(all.transport.sessionId).toBeUndefined();
    expect(all.errors.length).toBe(1);
  });

  test('a given session id is sent, until a handshake begins another', async () => {
    const all = await start(sessions(), { sessionId: 'kept' });
    await all.transport.send(request(1));
    expect(all.listening.seen[0]?.headers['mcp-session-id']).toBe('kept');
    await all.transport.send(request(2, 'initialize'));
    expect(all.listening.seen[1]?.headers['mcp-session-id']).toBeUndefined();
    expect(all.transport.sessionId).toBe('session-1');
  });

  test('the fetch that is given is the one that is used', async () => {
    const used: string[] = [];
    const all = await start(sessions(), {
      fetch: (url, init) => {
        used.push(`${init?.method} ${String(url)}`);
        return fetch(url, init);
      },
    });
    await all.transport.send(request(1));
    expect(used).toEqual([`POST ${all.listening.url.href}`]);
  });

  test('the runtime is asked for patience: no limit on the silence of an answer', async () => {
    const key = Symbol.for('undici.globalDispatcher.1');
    const holder = globalThis as unknown as Record<symbol, { dispatch(options: object, handler: unknown): boolean }>;
    const all = await start(sessions());
    await all.transport.send(request(1));
    const real = holder[key]!;
    const asked: object[] = [];
    holder[key] = { dispatch: (options, handler) => (asked.push(options), real.dispatch(options, handler)) };
    try {
      await all.transport.send(request(2));
    } finally {
      holder[key] = real;
    }
    expect(asked).toMatchObject([{ bodyTimeout: 0, headersTimeout: 0 }]);
  });
});

describe('cancelling', () => {
  proves('M-SUB-011, M-CAN-001').test(
    'per-request: the connection of the request is closed, and nothing is sent',
    async () => {
      let gone = false;
      const all = await start((_seen, response) => {
        response.on('close', () => (gone = true));
        stream(response).raw(':\n\n');
      });
      all.transport.setHttpRules(httpOf(MODERN));
      const sent = failure(all.transport.send(request(1)) as Promise<unknown>);
      await until(() => all.listening.seen.length === 1);
      await all.transport.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } });
      await until(() => gone);
      expect(['aborted', 'delivery-unknown']).toContain((await sent)['code']);
      expect(all.listening.methods()).toEqual(['tools/list']);
    },
  );

  proves('L-HTTP-031').test('handshake: the notification is sent, and only then nobody waits any longer', async () => {
    let gone = false;
    const all = await start(
      sessions((seen, response) => {
        if (seen.json?.id !== 2) return false;
        response.on('close', () => (gone = true));
        stream(response).raw(':\n\n');
        return true;
      }),
    );
    await open(all);
    const sent = failure(all.transport.send(request(2)) as Promise<unknown>);
    await until(() => all.listening.methods().includes('tools/list'));
    await all.transport.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 2 } });
    await sent;
    await until(() => gone);
    expect(all.listening.methods()).toContain('notifications/cancelled');
  });
});

describe('the standing stream', () => {
  proves('L-HTTP-032, L-HTTP-041').test(
    'is opened after the handshake, and carries what the server says unasked while others are open',
    async () => {
      const all = await start(
        sessions(
          (seen, response) =>
            seen.method === 'GET' &&
            (stream(response).event({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' }), true),
        ),
      );
      await open(all);
      await until(() => all.received.some((message) => 'method' in message));
      await all.transport.send(request(3));
      expect(all.received.length).toBe(3);
    },
  );

  test('what follows a handshake waits until the server knows that it is over', async () => {
    let release = (): void => {};
    const all = await start(
      sessions((seen, response) => {
        if (seen.json?.method !== 'notifications/initialized') return false;
        release = () => void response.writeHead(202).end();
        return true;
      }),
    );
    all.transport.setHttpRules(httpOf(LEGACY));
    await all.transport.send(request(0, 'initialize'));
    const initialized = all.transport.send(INITIALIZED);
    const listed = all.transport.send(request(1));
    await until(() => all.listening.seen.length === 2);
    release();
    await Promise.all([initialized, listed]);
    expect(all.listening.methods().slice(0, 2)).toEqual(['initialize', 'notifications/initialized']);
    expect(all.received).toHaveLength(2);
  });

  test.each([
    ['one that can be asked waits until there is one', { elicitation: {} }, true],
    ['one that cannot does not', {}, false],
  ])('of two clients, %s', async (_title, capabilities, waits) => {
    let answerGet = (): void => {};
    const all = await start(
      sessions((seen, response) => {
        if (seen.method !== 'GET') return false;
        answerGet = () => stream(response).raw(': here it is\n\n');
        return true;
      }),
      // Time does not pass, so that nothing is given up.
      { clock: { now: () => 0, setTimeout: () => 0, clearTimeout: () => {} } },
    );
    all.transport.setHttpRules(httpOf(LEGACY));
    await all.transport.send(request(0, 'initialize', { capabilities }));
    const sent = Promise.all([all.transport.send(INITIALIZED), all.transport.send(request(1))]);
    await until(() => all.listening.methods().includes('GET'));
    if (!waits) await sent;
    expect(all.received).toHaveLength(waits ? 1 : 2);
    answerGet();
    await sent;
    expect(all.received).toHaveLength(2);
  });

  test('a server that never says whether there is one holds nothing up', async () => {
    const all = await start(sessions((seen) => seen.method === 'GET'));
    all.transport.setHttpRules(httpOf(LEGACY));
    await all.transport.send(request(0, 'initialize', { capabilities: { sampling: {} } }));
    await Promise.all([all.transport.send(INITIALIZED), all.transport.send(request(1))]);
    expect(all.received).toHaveLength(2);
  });

  proves('L-HTTP-035').test.each([405, 404, 400, 406, 501])(
    '%i means that there is none, and nobody is bothered with it',
    async (status) => {
      const all = await start(
        sessions((seen, response) => seen.method === 'GET' && (text(response, status, 'no session here'), true)),
        { reconnectionOptions: { ...FAST, maxRetries: 0 } },
      );
      await open(all);
      await until(() => all.listening.methods().includes('GET'));
      await all.transport.send(request(2));
      expect(all.closes).toEqual([]);
      if (status < 500) expect(all.errors).toEqual([]);
      expect(all.transport.sessionId).toBe('session-1');
    },
  );

  proves('L-HTTP-039, L-RESUME-004, L-RESUME-005, L-RESUME-008').test(
    'one that breaks is opened again after its last event',
    async () => {
      let opens = 0;
      const all = await start(
        sessions((seen, response) => {
          if (seen.method !== 'GET') return false;
          opens += 1;
          const out = stream(response);
          out.event({ jsonrpc: '2.0', method: `notifications/n${opens}` }, `e-${opens}`);
          if (opens === 1) setTimeout(() => response.destroy(), 20);
          if (opens === 2) out.end();
          return true;
        }),
      );
      await open(all);
      await until(() => opens === 3);
      expect(
        all.listening.seen.filter(({ method }) => method === 'GET').map(({ headers }) => headers['last-event-id']),
      ).toEqual([undefined, 'e-1', 'e-2']);
      expect(all.errors).toEqual([]);
    },
  );

  proves('L-HTTP-027').test('the server says how long to wait', async () => {
    const times: number[] = [];
    const all = await start(
      sessions((seen, response) => {
        if (seen.method !== 'GET') return false;
        times.push(Date.now());
        const out = stream(response);
        out.raw('retry: 300\n\n');
        if (times.length === 1) out.end();
        return true;
      }),
    );
    await open(all);
    await until(() => times.length === 2);
    expect(times[1]! - times[0]!).toBeGreaterThanOrEqual(295);
  });

  test('one that cannot be had is given up without a word after some attempts, and asked for again when the server answers', async () => {
    let isUp = false;
    const all = await start(
      sessions(
        (seen, response) =>
          seen.method === 'GET' && (isUp ? stream(response).raw(':\n\n') : stream(response).end(), true),
      ),
      { reconnectionOptions: { ...FAST, maxRetries: 2, maxReconnectionDelay: 2000 } },
    );
    const gets = (): number => all.listening.seen.filter(({ method }) => method === 'GET').length;
    await open(all);
    await until(() => gets() === 3);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(gets()).toBe(3);
    expect(all.errors).toEqual([]);
    isUp = true;
    await all.transport.send(request(2));
    await until(() => gets() === 4);
  });

  test('a request that is only taken may be answered on it', async () => {
    let out: ReturnType<typeof stream> | undefined;
    const all = await start(
      sessions((seen, response) => {
        if (seen.method === 'GET') return ((out = stream(response)).raw(':\n\n'), true);
        if (seen.json?.id !== 2) return false;
        response.writeHead(202).end();
        out?.event(answer(seen, { late: true }));
        return true;
      }),
    );
    await open(all);
    await until(() => out !== undefined);
    await new Promise((resolve) => setTimeout(resolve, 50));
    await all.transport.send(request(2));
    await until(() => all.received.length === 2);
    expect(all.received[1]).toEqual({ jsonrpc: '2.0', id: 2, result: { late: true } });
  });

  test('per-request: none is asked for, and no session is taken', async () => {
    const all = await start(sessions());
    all.transport.setHttpRules(httpOf(MODERN));
    await all.transport.send(INITIALIZED);
    await all.transport.send(request(2));
    expect(all.listening.methods()).not.toContain('GET');
  });
});

describe('an answer that breaks off', () => {
  proves('L-HTTP-025, L-RESUME-005, L-RESUME-010').test(
    'handshake: is gone on with by GET after its last event, as often as it takes',
    async () => {
      let gets = 0;
      const tokens: string[] = [];
      const all = await start(
        sessions((seen, response) => {
          if (seen.json?.id === 2) {
            const out = stream(response);
            out.event('', 'p-1');
            out.event({ jsonrpc: '2.0', method: 'notifications/progress' }, 'p-2');
            setTimeout(() => response.destroy(), 10);
            return true;
          }
          const after = seen.headers['last-event-id'];
          if (seen.method !== 'GET' || after === undefined) return false;
          gets += 1;
          if (gets === 1) return (text(response, 503, 'starting'), true);
          const out = stream(response);
          if (gets === 3) {
            out.event({ jsonrpc: '2.0', method: 'notifications/progress' }, 'p-2');
            out.event({ jsonrpc: '2.0', id: 2, result: { done: true } }, 'p-3');
          }
          out.end();
          return true;
        }),
      );
      await open(all);
      await all.transport.send(request(2), { onresumptiontoken: (token) => tokens.push(token) });
      expect(all.received.at(-1)).toEqual({ jsonrpc: '2.0', id: 2, result: { done: true } });
      expect(all.listening.seen.flatMap(({ headers }) => headers['last-event-id'] ?? [])).toEqual([
        'p-2',
        'p-2',
        'p-2',
      ]);
      expect(tokens).toEqual(['p-1', 'p-2', 'p-2', 'p-3']);
      expect(all.errors).toEqual([]);
    },
  );

  proves('L-HTTP-027').test('an answer that the server closed early is asked for after the time it named', async () => {
    let closedAt = 0;
    let cameAt = 0;
    const all = await start(
      sessions((seen, response) => {
        if (seen.json?.id === 2) {
          const out = stream(response);
          out.event('', 'p-1');
          out.raw('retry: 250\n\n');
          out.end();
          closedAt = Date.now();
          return true;
        }
        if (seen.headers['last-event-id'] !== 'p-1') return false;
        cameAt = Date.now();
        stream(response).event({ jsonrpc: '2.0', id: 2, result: {} }, 'p-2');
        return true;
      }),
    );
    await open(all);
    await all.transport.send(request(2));
    expect(cameAt - closedAt).toBeGreaterThanOrEqual(245);
  });

  test('a server that always wants to be asked again at once is asked ever more slowly', async () => {
    const times: number[] = [];
    const all = await start(
      sessions((seen, response) => {
        if (seen.json?.id !== 2 && seen.headers['last-event-id'] === undefined) return false;
        times.push(Date.now());
        const out = stream(response);
        if (times.length === 1) out.event('', 'p-1');
        out.raw('retry: 0\n\n');
        if (times.length === 6) out.event({ jsonrpc: '2.0', id: 2, result: {} }, 'p-2');
        out.end();
        return true;
      }),
      { reconnectionOptions: { initialReconnectionDelay: 20, reconnectionDelayGrowFactor: 2, maxRetries: 0 } },
    );
    await open(all);
    await all.transport.send(request(2));
    expect(times[5]! - times[0]!).toBeGreaterThan(200);
  });

  test('without event ids nobody knows what became of the request, and it says so', async () => {
    const all = await start(
      sessions(
        (seen, response) =>
          seen.json?.id === 2 && (stream(response).raw(':\n\n'), setTimeout(() => response.destroy(), 10), true),
      ),
    );
    await open(all);
    await expect(all.transport.send(request(2))).rejects.toMatchObject({ code: 'delivery-unknown' });
    expect(all.listening.seen.filter(({ json: body }) => body?.id === 2).length).toBe(1);
  });

  test('a stream that the server cannot go on with is of unknown delivery as well', async () => {
    const all = await start(
      sessions(
        (seen, response) =>
          seen.json?.id === 2 && (stream(response).event('', 'p-1'), setTimeout(() => response.destroy(), 10), true),
      ),
    );
    await open(all);
    const error = await failure(all.transport.send(request(2)));
    expect(error).toMatchObject({ code: 'delivery-unknown', cause: { code: 'http', details: { status: 405 } } });
  });

  proves('M-HTTP-026').test('per-request: event ids mean nothing, and Last-Event-ID is never sent', async () => {
    const all = await start((_seen, response) => {
      stream(response).event({ jsonrpc: '2.0', method: 'notifications/progress' }, 'p-1');
      setTimeout(() => response.destroy(), 10);
    });
    all.transport.setHttpRules(httpOf(MODERN));
    await expect(all.transport.send(request(2))).rejects.toMatchObject({ code: 'delivery-unknown' });
    expect(all.listening.methods()).toEqual(['tools/list']);
  });

  test('a resumption token goes on with an older request, whose answer is given to the new one', async () => {
    const all = await start(
      sessions(
        (seen, response) =>
          seen.headers['last-event-id'] === 'old-7' &&
          (stream(response).event({ jsonrpc: '2.0', id: 41, result: { late: true } }, 'old-8'), true),
      ),
    );
    await open(all);
    await all.transport.send(request(9, 'tools/call'), { resumptionToken: 'old-7' });
    expect(all.received.at(-1)).toEqual({ jsonrpc: '2.0', id: 9, result: { late: true } });
    expect(all.listening.methods()).not.toContain('tools/call');
  });

  test('resumeStream reads what came after an event', async () => {
    const all = await start(
      sessions(
        (seen, response) =>
          seen.headers['last-event-id'] === 'old-7' &&
          (stream(response).event({ jsonrpc: '2.0', method: 'notifications/message' }, 'old-8'), true),
      ),
    );
    const tokens: string[] = [];
    await all.transport.resumeStream('old-7', { onresumptiontoken: (token) => tokens.push(token) });
    await until(() => tokens.length === 1);
    expect(all.received.length).toBe(1);
  });
});

describe('a session', () => {
  test.each([
    [404, { jsonrpc: '2.0', id: null, error: { code: -32001, message: 'Session not found' } }],
    [404, 'gone'],
    [400, { jsonrpc: '2.0', id: null, error: { code: -32000, message: 'Bad Request: No valid session ID provided' } }],
    [400, { jsonrpc: '2.0', id: null, error: { code: -32000, message: 'Bad Request: Server not initialized' } }],
    [409, 'Session expired'],
    [503, 'unknown session'],
    [410, 'session gone'],
  ])('that the server has forgotten (%i %j) ends the run, once, and says why', async (status, body) => {
    const all = await start(
      sessions(
        (seen, response) =>
          Number(seen.json?.id) > 1 &&
          (typeof body === 'string' ? text(response, status, body) : json(response, status, body), true),
      ),
    );
    await open(all);
    const errors = await Promise.all([
      failure(all.transport.send(request(2))),
      failure(all.transport.send(request(3))),
    ]);
    expect(errors.map((error) => error['code'])).toContain('session-lost');
    expect(all.transport.lastFailure).toMatchObject({ code: 'session-lost', details: { status } });
    expect(all.closes).toEqual([1]);
    expect(all.transport.sessionId).toBeUndefined();
  });

  test.each([
    [400, 'invalid cursor'],
    [503, 'overloaded'],
    [500, 'session store is down'],
  ])('is not lost by %i %j', async (status, body) => {
    const all = await start(sessions((seen, response) => seen.json?.id === 2 && (text(response, status, body), true)));
    await open(all);
    await expect(all.transport.send(request(2))).rejects.toMatchObject({ code: 'http', details: { status } });
    expect(all.closes).toEqual([]);
  });

  proves('M-IOP-014').test('is not lost by a method that the server does not have', async () => {
    const all = await start(
      sessions(
        (seen, response) =>
          seen.json?.id === 2 &&
          (json(response, 404, { jsonrpc: '2.0', id: 2, error: { code: -32601, message: 'no' } }), true),
      ),
    );
    await open(all);
    await expect(all.transport.send(request(2))).rejects.toMatchObject({
      code: 'http',
      details: { status: 404, error: { code: -32601 } },
    });
    expect(all.closes).toEqual([]);
  });

  test('is missed by its standing stream, too', async () => {
    let gets = 0;
    const all = await start(
      sessions(
        (seen, response) =>
          seen.method === 'GET' && ((gets += 1) === 1 ? stream(response).end() : text(response, 404, ''), true),
      ),
    );
    await open(all);
    await until(() => all.closes.length === 1);
    expect(all.transport.lastFailure).toMatchObject({ code: 'session-lost' });
  });

  proves('L-SESSIONS-010').test.each([200, 204, 405, 404])(
    'is ended with DELETE, which may be answered with %i',
    async (status) => {
      const all = await start(
        sessions((seen, response) => seen.method === 'DELETE' && (response.writeHead(status).end(), true)),
      );
      await open(all);
      await all.transport.terminateSession();
      expect(all.transport.sessionId).toBeUndefined();
      await all.transport.terminateSession();
      expect(all.listening.methods().filter((method) => method === 'DELETE').length).toBe(1);
    },
  );

  test('that cannot be ended says so', async () => {
    const all = await start(
      sessions((seen, response) => seen.method === 'DELETE' && (text(response, 500, 'no'), true)),
    );
    await open(all);
    await expect(all.transport.terminateSession()).rejects.toMatchObject({ code: 'http', details: { status: 500 } });
  });
});

describe('closing', () => {
  test('ends what is on its way, tells once, and the transport can be started again', async () => {
    const all = await start(sessions((seen) => seen.json?.id === 2));
    await open(all);
    const waiting = failure(all.transport.send(request(2)));
    await until(() => all.listening.methods().includes('tools/list'));
    await all.transport.close();
    await all.transport.close();
    expect((await waiting)['code']).toBe('aborted');
    expect(all.closes).toEqual([1]);
    await expect(all.transport.send(request(3))).rejects.toMatchObject({ code: 'closed' });
    await all.transport.start();
    await all.transport.send(request(4));
    await expect(all.transport.start()).rejects.toThrow(TypeError);
  });
});

describe('redirects', () => {
  test.each([307, 308])('%i within the origin is followed with everything', async (status) => {
    const all = await start((seen, response) =>
      seen.url === '/mcp'
        ? void response.writeHead(status, { location: '/moved' }).end()
        : json(response, 200, answer(seen)),
    );
    await all.transport.send(request(1));
    expect(all.received.length).toBe(1);
    expect(all.listening.seen.map(({ url, method, body }) => [method, url, body.length > 0])).toEqual([
      ['POST', '/mcp', true],
      ['POST', '/moved', true],
    ]);
  });

  test.each([301, 302, 303, 307, 308])('%i to another origin is refused, and nothing reaches it', async (status) => {
    const other = await listen(sessions());
    const all = await start((_seen, response) => void response.writeHead(status, { location: other.url.href }).end(), {
      authProvider: { token: () => 'secret-token' },
    });
    const error = await failure(all.transport.send(request(1)));
    expect(error).toMatchObject({ code: 'http', details: { status } });
    expect(error.message).toContain(other.url.origin);
    expect(other.seen).toEqual([]);
  });

  test.each([301, 302, 303])(
    '%i would make a POST a GET, so it is refused within the origin as well',
    async (status) => {
      const all = await start((seen, response) =>
        seen.url === '/mcp'
          ? void response.writeHead(status, { location: '/moved' }).end()
          : json(response, 200, answer(seen)),
      );
      await expect(all.transport.send(request(1))).rejects.toMatchObject({ code: 'http', details: { status } });
      expect(all.listening.seen.length).toBe(1);
    },
  );

  test('a circle ends', async () => {
    const all = await start((_seen, response) => void response.writeHead(307, { location: '/mcp' }).end());
    await expect(all.transport.send(request(1))).rejects.toMatchObject({ code: 'http' });
    expect(all.listening.seen.length).toBe(6);
  });
});

describe('authorization', () => {
  const guarded =
    (token: () => string): Handler =>
    (seen, response) => {
      if (seen.headers['authorization'] !== `Bearer ${token()}`)
        return void response.writeHead(401, { 'www-authenticate': 'Bearer resource_metadata="https://a/b"' }).end();
      return sessions()(seen, response, undefined as never);
    };

  proves('L-AUTH-067, L-AUTH-068, L-AUTH-069, M-AF-026, M-AF-027, M-AF-028').test(
    'the token is on every request, asked for each time, and in no address',
    async () => {
      let made = 0;
      const all = await start(sessions(), { authProvider: { token: async () => `t-${(made += 1)}` } });
      await open(all);
      await until(() => all.listening.methods().includes('GET'));
      await all.transport.terminateSession();
      expect(all.listening.seen.map(({ headers }) => headers['authorization'])).toEqual([
        'Bearer t-1',
        'Bearer t-2',
        'Bearer t-3',
        'Bearer t-4',
      ]);
      expect(all.listening.seen.every(({ url }) => url === '/mcp')).toBe(true);
    },
  );

  test('401: the provider is told once, and the request is sent once more', async () => {
    let token = 'old';
    const told: string[] = [];
    const provider = {
      token: () => token,
      onUnauthorized: ({ response, serverUrl }: { response: Response; serverUrl: URL }) => {
        told.push(`${response.status} ${serverUrl.pathname} ${response.headers.get('www-authenticate')}`);
        token = 'new';
      },
    };
    const all = await start(
      guarded(() => 'new'),
      { authProvider: provider },
    );
    await all.transport.send(request(1));
    expect(told).toEqual(['401 /mcp Bearer resource_metadata="https://a/b"']);
    expect(all.listening.seen.length).toBe(2);
  });

  test('401 again is an UnauthorizedError, after one retry and no more', async () => {
    const all = await start(
      guarded(() => 'never'),
      { authProvider: { token: () => 'wrong', onUnauthorized: () => {} } },
    );
    const error = await failure(all.transport.send(request(1)));
    expect(error).toBeInstanceOf(UnauthorizedError);
    expect(error).toBeInstanceOf(TransportError);
    expect(error).toMatchObject({
      name: 'UnauthorizedError',
      code: 'unauthorized',
      details: { status: 401, wwwAuthenticate: 'Bearer resource_metadata="https://a/b"' },
    });
    expect(all.listening.seen.length).toBe(2);
  });

  test('401 without a provider is an UnauthorizedError at once', async () => {
    const all = await start(guarded(() => 'never'));
    await expect(all.transport.send(request(1))).rejects.toBeInstanceOf(UnauthorizedError);
    expect(all.listening.seen.length).toBe(1);
  });

  test('the tokens of a provider are used, and one that cannot end a login says so', async () => {
    const all = await start(
      guarded(() => 'held'),
      { authProvider: { tokens: () => ({ access_token: 'held' }) } },
    );
    await all.transport.send(request(1));
    await expect(all.transport.finishAuth('code')).rejects.toThrow(/needs an OAuth provider/);
    const plain = await start(sessions());
    await expect(plain.transport.finishAuth('code')).rejects.toThrow(TypeError);
  });
});
