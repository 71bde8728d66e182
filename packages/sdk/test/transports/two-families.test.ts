import { afterEach, describe, expect, it } from 'vitest';
import { until } from '../../../crosspoint/test/until.ts';
import { McpServer } from '../../src/server/mcp.ts';
import {
  StreamableHTTPServerTransport,
  type EventStore,
  type StreamableHTTPServerTransportOptions,
} from '../../src/server/streamableHttp.ts';
import { listen } from '../listening.ts';
import { ask, call, initialize, type Answered, type Asked } from './raw-http.ts';

const NEWEST = '2026-07-28';
const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).toReversed()) await each.close();
});

interface Served {
  readonly url: string;
  readonly told: string[];
  readonly waiting: (() => void)[];
}

async function serve(
  options: StreamableHTTPServerTransportOptions = {},
  auth?: Record<string, string>,
): Promise<Served> {
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: () => 'the-session', ...options });
  const server = new McpServer({ name: 'both', version: '1' }, { capabilities: { logging: {} } });
  const waiting: (() => void)[] = [];
  server.registerTool('echo', {}, async ({ requestInfo }) => ({
    content: [{ type: 'text', text: `at ${requestInfo?.url?.pathname}` }],
  }));
  server.registerTool('wait', {}, async () => {
    await new Promise<void>((resolve) => waiting.push(resolve));
    return { content: [{ type: 'text', text: 'waited' }] };
  });
  server.registerTool('tell', {}, async ({ sendNotification }) => {
    for (const data of ['first', 'second'])
      await sendNotification({ method: 'notifications/message', params: { level: 'info', data } });
    return { content: [{ type: 'text', text: 'told' }] };
  });
  const told: string[] = [];
  transport.onerror = (error) => told.push(error.message);
  await server.connect(transport);
  const listening = await listen((request, response) => {
    const clientId = auth?.[String(request.headers['x-caller'])];
    if (clientId !== undefined) Object.assign(request, { auth: { token: 't', clientId, scopes: [] } });
    void transport.handleRequest(request, response);
  });
  open.push(listening, { close: () => server.close() });
  return { url: listening.url, told, waiting };
}

const SESSION = { 'mcp-session-id': 'the-session', 'mcp-protocol-version': '2025-11-25' };

async function openSession({ url }: Served, headers: Record<string, string> = {}): Promise<void> {
  await (
    await ask(url, { headers, body: initialize() })
  ).whole;
  const initialized = { jsonrpc: '2.0', method: 'notifications/initialized' };
  await (
    await ask(url, { headers: { ...headers, ...SESSION }, body: initialized })
  ).whole;
}

/** A call of a client without handshakes. */
function newest(id: number, name: string): Asked {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': NEWEST,
    'io.modelcontextprotocol/clientInfo': { name: 'newest', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  return {
    path: '/mcp',
    headers: { 'mcp-protocol-version': NEWEST, 'mcp-method': 'tools/call', 'mcp-name': name },
    body: call(id, name, { _meta }),
  };
}

const typeOf = ({ status, headers }: Answered): unknown => [status, headers['content-type']];

describe('one transport serves both families', () => {
  it('each in its own way, at the same time', async () => {
    const served = await serve();
    await openSession(served);
    const session = await ask(served.url, { headers: SESSION, body: call(1, 'wait') });
    await until(() => served.waiting.length === 1);
    const other = await ask(served.url, newest(2, 'echo'));
    expect(typeOf(session)).toEqual([200, 'text/event-stream']);
    expect(typeOf(other)).toEqual([200, 'application/json']);
    expect(other.headers['mcp-session-id']).toBeUndefined();
    expect(JSON.parse(await other.whole)).toMatchObject({ id: 2, result: { content: [{ text: 'at /mcp' }] } });
    const waits = ask(served.url, newest(3, 'wait'));
    await until(() => served.waiting.length === 2);
    for (const release of served.waiting) release();
    expect(await session.whole).toContain('"id":1');
    expect(JSON.parse(await (await waits).whole)).toMatchObject({ id: 3, result: { content: [{ text: 'waited' }] } });
    expect(served.told).toEqual([]);
  });

  it('a request whose id the other family uses is refused, and the first is answered', async () => {
    const served = await serve();
    await openSession(served);
    const session = await ask(served.url, { headers: SESSION, body: call(1, 'wait') });
    await until(() => served.waiting.length === 1);
    expect((await ask(served.url, newest(1, 'echo'))).status).toBe(400);
    served.waiting[0]?.();
    expect(await session.whole).toContain('waited');
    const waits = ask(served.url, newest(4, 'wait'));
    await until(() => served.waiting.length === 2);
    const refused = await ask(served.url, { headers: SESSION, body: call(4, 'echo') });
    expect(await refused.whole).toContain('already in use');
    served.waiting[1]?.();
    expect((await waits).status).toBe(200);
  });

  it('refusals to clients without handshakes are those of the transport of crosspoint', async () => {
    const served = await serve();
    const asked = newest(1, 'echo');
    const refused = await ask(served.url, { ...asked, headers: { ...asked.headers, 'content-type': 'text/plain' } });
    expect(refused.status).toBe(415);
    expect(JSON.parse(await refused.whole)).not.toHaveProperty('id');
    const unnamed = await ask(served.url, { ...asked, headers: {} });
    expect(unnamed.status).toBe(400);
    expect(JSON.parse(await unnamed.whole)).toMatchObject({ id: 1, error: { code: -32_020 } });
  });

  it('without sessions, any number of requests of the newest revision', async () => {
    const served = await serve({ sessionIdGenerator: undefined });
    for (const id of [1, 2, 3]) expect((await ask(served.url, newest(id, 'echo'))).status).toBe(200);
  });
});

describe('a session', () => {
  it('belongs to the caller who opened it', async () => {
    const served = await serve({}, { ada: 'a', bob: 'b' });
    await openSession(served, { 'x-caller': 'ada' });
    const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    const statusFor = async (caller: string): Promise<number | undefined> =>
      (await ask(served.url, { headers: { ...SESSION, 'x-caller': caller }, body: list })).status;
    expect([await statusFor('ada'), await statusFor('bob'), await statusFor('nobody')]).toEqual([200, 404, 404]);
  });

  it('refuses an id that waits for its answer', async () => {
    const served = await serve();
    await openSession(served);
    const first = await ask(served.url, { headers: SESSION, body: call(1, 'wait') });
    await until(() => served.waiting.length === 1);
    expect((await ask(served.url, { headers: SESSION, body: call(1, 'echo') })).status).toBe(400);
    served.waiting[0]?.();
    expect(await first.whole).toContain('waited');
  });

  it.each([false, true])('ends the answer to a request that was cancelled (JSON: %s)', async (enableJsonResponse) => {
    const served = await serve({ enableJsonResponse });
    await openSession(served);
    const answer = ask(served.url, { headers: SESSION, body: call(1, 'wait') });
    await until(() => served.waiting.length === 1);
    const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } };
    expect((await ask(served.url, { headers: SESSION, body: cancelled })).status).toBe(202);
    expect(typeOf(await answer)).toEqual([200, 'text/event-stream']);
    expect(await (await answer).whole).toBe('');
    const again = ask(served.url, { headers: SESSION, body: call(1, 'echo') });
    expect(await (await again).whole).toContain('at /');
    expect(served.told).toEqual([]);
  });

  it('shows no events of another one that uses the same store', async () => {
    const kept: { id: string; stream: string; message: object }[] = [];
    const eventStore: EventStore = {
      async storeEvent(stream, message) {
        const id = `event-${kept.length}`;
        kept.push({ id, stream, message });
        return id;
      },
      async replayEventsAfter(last, { send }) {
        const at = kept.findIndex(({ id }) => id === last);
        const stream = kept[at]?.stream ?? '';
        for (const event of kept.slice(at + 1))
          if (event.stream === stream) await send(event.id, event.message as never);
        return stream;
      },
    };
    const [one, other] = [await serve({ eventStore }), await serve({ eventStore })];
    for (const each of [one, other]) await openSession(each);
    const answer = await ask(one.url, { headers: SESSION, body: call(1, 'echo') });
    const [, event = ''] = /^id: (.*)$/m.exec(await answer.whole) ?? [];
    const resume = { method: 'GET', headers: { ...SESSION, 'last-event-id': event } };
    const own = await ask(one.url, resume);
    expect([own.status, await own.whole]).toEqual([200, expect.stringContaining('"id":1')]);
    expect((await ask(other.url, resume)).status).toBe(400);
  });

  it('an answer reaches the client although its event cannot be stored', async () => {
    let stored = 0;
    const eventStore: EventStore = {
      async storeEvent(stream, message) {
        if ('result' in message && stored > 2) throw new Error('the disk is full');
        return `${stream}_${(stored += 1)}`;
      },
      replayEventsAfter: async () => '',
    };
    const served = await serve({ eventStore });
    await openSession(served);
    stored = 3;
    const answer = await ask(served.url, { headers: SESSION, body: call(1, 'echo') });
    expect(await answer.whole).toContain('at /');
    expect(served.told).toEqual(['the disk is full']);
  });

  it('sends messages in their order, however long each takes to be stored', async () => {
    let stored = 0;
    const eventStore: EventStore = {
      async storeEvent(stream, message) {
        const id = `${stream}_${(stored += 1)}`;
        if ('method' in message) await new Promise((resolve) => setTimeout(resolve, 20));
        return id;
      },
      replayEventsAfter: async () => '',
    };
    const served = await serve({ eventStore });
    await openSession(served);
    const answer = await ask(served.url, { headers: SESSION, body: call(1, 'tell') });
    expect((await answer.whole).match(/first|second|told/g)).toEqual(['first', 'second', 'told']);
  });

  it('a question that cannot reach the client fails at once', async () => {
    const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: () => 'the-session' });
    const question = { jsonrpc: '2.0', id: 1, method: 'roots/list' } as const;
    await expect(transport.send(question)).rejects.toThrow('cannot be asked');
  });
});
