import type {
  EventStore,
  StreamableHTTPServerTransportOptions,
} from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { afterEach, describe, expect, it } from 'vitest';
import { until } from '../../../crosspoint/test/until.ts';
import { listen } from '../listening.ts';
import { sameWithBoth, type Library } from './both-libraries.ts';
import { ask, call, initialize, type Answered, type Asked } from './raw-http.ts';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).toReversed()) await each.close();
});

interface Served {
  readonly url: string;
  readonly transport: InstanceType<Library['Streamable']>;
  /** What `onerror` of the transport was told. */
  readonly told: string[];
  /** What handlers saw. */
  readonly seen: unknown[];
  /** Lets the tool `wait` return. */
  release(): void;
}

/** One session, or one request, on a port of its own. */
async function serve(library: Library, options: StreamableHTTPServerTransportOptions = {}): Promise<Served> {
  const transport = new library.Streamable({ sessionIdGenerator: () => 'the-session', ...options });
  const told: string[] = [];
  const seen: unknown[] = [];
  let release = (): void => {};
  const server = new library.McpServer({ name: 'served', version: '1' }, { capabilities: { logging: {} } });
  server.registerTool('echo', {}, async ({ requestInfo }) => {
    seen.push(requestInfo?.url?.pathname, requestInfo?.url?.search);
    return { content: [{ type: 'text', text: 'echoed' }] };
  });
  server.registerTool('wait', {}, async (extra) => {
    seen.push(typeof extra.closeSSEStream, typeof extra.closeStandaloneSSEStream);
    await new Promise<void>((resolve) => (release = resolve));
    return { content: [{ type: 'text', text: 'waited' }] };
  });
  server.registerTool('leave', {}, async (extra) => {
    await extra.sendNotification({ method: 'notifications/message', params: { level: 'info', data: 'leaving' } });
    extra.closeSSEStream?.();
    await new Promise<void>((resolve) => (release = resolve));
    return { content: [{ type: 'text', text: 'came back' }] };
  });
  transport.onerror = (error) => told.push(error.message.replace(FIRST_DRAFT, ''));
  await server.connect(transport);
  const listening = await listen((request, response) => void transport.handleRequest(request, response));
  open.push(listening, { close: () => server.close() });
  return { url: listening.url, transport, told, seen, release: () => release() };
}

const SESSION = { 'mcp-session-id': 'the-session', 'mcp-protocol-version': '2025-11-25' };

/** The draft before the first revision, which not every list of versions names. */
const FIRST_DRAFT = ', 2024-10-07';

/** An answer by what programs look at. Members of messages come in any order. */
async function shown(answer: Answered): Promise<{ status: number | undefined; body: unknown }> {
  const { status, headers } = answer;
  const text = await answer.whole;
  const isJson = headers['content-type'] === 'application/json';
  const seen = {
    status,
    type: headers['content-type'],
    session: headers['mcp-session-id'],
    allow: headers.allow,
    body: isJson ? (JSON.parse(text.replace(FIRST_DRAFT, '')) as unknown) : eventsOf(text),
  };
  return seen;
}

/** The events of a stream, with their ids replaced by the order in which they came. */
function eventsOf(text: string): unknown[] {
  return text
    .split('\n\n')
    .filter((event) => event !== '')
    .map((event) => {
      const fields = event.split('\n').map((line) => /^(\w*): ?([^]*)$/.exec(line)?.slice(1) ?? [line]);
      return fields.map(([name = '', value = '']) => {
        if (name === 'id') return 'id';
        return name === 'data' && value !== '' ? (JSON.parse(value) as unknown) : `${name}: ${value}`;
      });
    });
}

async function openSession({ url }: Served, version = '2025-11-25'): Promise<void> {
  const opened = await ask(url, { body: initialize(version) });
  await opened.whole;
  const initialized = { jsonrpc: '2.0', method: 'notifications/initialized' };
  await (
    await ask(url, { headers: { ...SESSION, 'mcp-protocol-version': version }, body: initialized })
  ).whole;
}

/** Events as programs keep them; ids say their stream. */
function memoryEvents(withStreams = false): EventStore & { readonly kept: unknown[] } {
  const kept: { id: string; stream: string; message: object }[] = [];
  return {
    kept,
    async storeEvent(stream, message) {
      const id = `${stream}_${kept.length}`;
      kept.push({ id, stream, message });
      return id;
    },
    ...(withStreams && { getStreamIdForEventId: async (id) => kept.find((event) => event.id === id)?.stream }),
    async replayEventsAfter(last, { send }) {
      const at = kept.findIndex(({ id }) => id === last);
      const stream = kept[at]?.stream ?? '';
      for (const event of kept.slice(at + 1)) if (event.stream === stream) await send(event.id, event.message as never);
      return stream;
    },
  };
}

const list = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'echo', arguments: {} } };
const ping = { jsonrpc: '2.0', id: 2, method: 'ping' };

describe('refusals have the status, code and words of v1, and are told', () => {
  const BEFORE: Readonly<Record<string, Asked>> = {
    'a request before the handshake': { body: list },
    'a stream before the handshake': { method: 'GET' },
    'no Accept of events': { headers: { accept: 'application/json' }, body: initialize() },
    'any Accept': { headers: { accept: '*/*' }, body: initialize() },
    'a stream without its Accept': { method: 'GET', headers: { accept: 'application/json' } },
    'another type': { headers: { 'content-type': 'text/plain' }, body: initialize() },
    'a type with JSON in its parameters': { headers: { 'content-type': 'text/plain; a=application/json' }, body: '{}' },
    'no JSON': { body: 'This is not JSON' },
    'no message': { body: { hello: 'world' } },
    'a message in a batch that is none': { body: [ping, { method: 1 }] },
    'a handshake in a batch': { body: [initialize('2025-11-25', 1), initialize('2025-11-25', 2)] },
    'a batch without end': { body: Array.from({ length: 101 }, () => ping) },
    'a body that is too long': { body: JSON.stringify({ ...ping, params: { a: 'x'.repeat(20_000) } }) },
    'another method': { method: 'PUT', body: ping },
  };
  it.each(Object.entries(BEFORE))('%s', async (_, asked) => {
    const saw = await sameWithBoth(async (library) => {
      const served = await serve(library, { maxRequestBodySize: 10_000 });
      return [await shown(await ask(served.url, asked)), served.told];
    });
    expect(saw[1]).toHaveLength(1);
  });

  const AFTER: Readonly<Record<string, Asked>> = {
    'a second handshake': { body: initialize() },
    'no session': { body: list },
    'another session': { headers: { 'mcp-session-id': 'other' }, body: list },
    'another session for a stream': { method: 'GET', headers: { 'mcp-session-id': 'other' } },
    'another session to end': { method: 'DELETE', headers: { 'mcp-session-id': 'other' } },
    'a version that nobody speaks': { headers: { ...SESSION, 'mcp-protocol-version': '1999-01-01' }, body: list },
    'such a version for a stream': { method: 'GET', headers: { ...SESSION, 'mcp-protocol-version': 'none' } },
    'such a version at the end': { method: 'DELETE', headers: { ...SESSION, 'mcp-protocol-version': 'none' } },
  };
  it.each(Object.entries(AFTER))('%s', async (_, asked) => {
    const saw = await sameWithBoth(async (library) => {
      const served = await serve(library);
      await openSession(served);
      return [await shown(await ask(served.url, asked)), served.told];
    });
    expect(saw[1]).toHaveLength(1);
  });

  it('a second standing stream, and everything after the end', async () => {
    await sameWithBoth(async (library) => {
      const served = await serve(library);
      await openSession(served);
      const standing = await ask(served.url, { method: 'GET', headers: SESSION });
      const second = await shown(await ask(served.url, { method: 'GET', headers: SESSION }));
      const ended = await shown(await ask(served.url, { method: 'DELETE', headers: SESSION }));
      const stream = await shown(standing);
      const after = await shown(await ask(served.url, { headers: SESSION, body: list }));
      return [stream, second, ended, after, served.told];
    });
  });

  it('hosts and origins that are not on the lists', async () => {
    const options = {
      enableDnsRebindingProtection: true,
      allowedHosts: ['tools.example', 'tools.example:8080'],
      allowedOrigins: ['https://app.example'],
    };
    const saw = await sameWithBoth(async (library) => {
      const answers: unknown[] = [];
      for (const headers of [
        { host: 'tools.example' },
        { host: 'tools.example:8080', origin: 'https://app.example' },
        { host: 'tools.example:9090' },
        { host: 'evil.example' },
        { host: 'tools.example', origin: 'https://evil.example' },
      ] as Record<string, string>[]) {
        const { url, told } = await serve(library, options);
        const { status, ...rest } = await shown(await ask(url, { headers, body: initialize() }));
        answers.push(status, status === 403 ? rest : undefined, told);
      }
      return answers;
    });
    expect(saw.filter((each) => typeof each === 'number')).toEqual([200, 200, 403, 403, 403]);
  });

  it('a callback that throws while the session begins', async () => {
    const saw = await sameWithBoth(async (library) => {
      const onsessioninitialized = async (): Promise<void> => {
        throw new Error('the registry is full');
      };
      const served = await serve(library, { onsessioninitialized });
      return [await shown(await ask(served.url, { body: initialize() })), served.told];
    });
    expect(saw[0]).toMatchObject({ status: 400, body: { error: { data: 'Error: the registry is full' }, id: null } });
  });
});

describe('answers', () => {
  it('to a POST are a stream with the session, whatever is asked', async () => {
    await sameWithBoth(async (library) => {
      const served = await serve(library);
      const { body: _, ...opened } = await shown(await ask(served.url, { body: initialize() }));
      const asked = { path: '/deep/mcp?a=1', headers: SESSION };
      const answers = [
        await shown(await ask(served.url, { ...asked, body: list })),
        await shown(await ask(served.url, { ...asked, body: call(3, 'no-such') })),
        await shown(await ask(served.url, { ...asked, body: [list, ping] })),
        await shown(await ask(served.url, { ...asked, body: { jsonrpc: '2.0', method: 'notifications/initialized' } })),
      ];
      return [opened, answers.filter((_answer, at) => at !== 1), served.seen, served.told];
    });
  });

  it('begin before they are there', async () => {
    await sameWithBoth(async (library) => {
      const served = await serve(library);
      await openSession(served);
      const answer = await ask(served.url, { headers: SESSION, body: call(1, 'wait') });
      const early = [answer.status, answer.headers['content-type'], answer.text()];
      served.release();
      return [early, await shown(answer), served.seen];
    });
  });

  it('are JSON where the program says so', async () => {
    await sameWithBoth(async (library) => {
      const served = await serve(library, { enableJsonResponse: true });
      await openSession(served);
      return [
        await shown(await ask(served.url, { headers: SESSION, body: list })),
        await shown(await ask(served.url, { headers: SESSION, body: [ping, list] })),
        await shown(await ask(served.url, { headers: SESSION, body: { jsonrpc: '2.0', method: 'notifications/x' } })),
      ];
    });
  });

  it('are told to be lost where the client has left and cannot come back', async () => {
    const told = await sameWithBoth(async (library) => {
      const served = await serve(library);
      await openSession(served);
      const answer = await ask(served.url, { headers: SESSION, body: call(7, 'wait') });
      answer.leave();
      await answer.whole;
      // The server of each library hears of it in its own words; these are those of the transport.
      await until(() => served.seen.length > 0);
      await new Promise((resolve) => setTimeout(resolve, 50));
      return served.transport
        .send({ jsonrpc: '2.0', id: 7, result: {} })
        .then(() => 'sent')
        .catch((error: unknown) => (error as Error).message);
    });
    expect(told).toBe('No connection established for request ID: 7');
  });
});

describe('streams that can be resumed', () => {
  it.each([
    ['2025-11-25', {}],
    ['2025-11-25', { retryInterval: 1500 }],
    ['2025-06-18', { retryInterval: 1500 }],
  ])('begin with an event for clients that know it: %s %j', async (version, options) => {
    await sameWithBoth(async (library) => {
      const eventStore = memoryEvents();
      const served = await serve(library, { ...options, eventStore });
      await openSession(served, version);
      const headers = { ...SESSION, 'mcp-protocol-version': version };
      const answer = await shown(await ask(served.url, { headers, body: list }));
      return [answer, served.seen, eventStore.kept.length];
    });
  });

  it.each([false, true])('go on after they were closed early (the store names streams: %s)', async (named) => {
    await sameWithBoth(async (library) => {
      const served = await serve(library, { eventStore: memoryEvents(named) });
      await openSession(served);
      const first = await ask(served.url, { headers: SESSION, body: call(5, 'leave') });
      const text = await first.whole;
      const last = /^id: (.*)$/m.exec(text)?.[1] ?? '';
      const again = await ask(served.url, { method: 'GET', headers: { ...SESSION, 'last-event-id': last } });
      await until(() => again.text().includes('leaving'));
      served.release();
      await until(() => again.text().includes('came back'));
      again.leave();
      return [eventsOf(text), again.status, eventsOf(again.text()), served.told];
    });
  });

  it('are not resumed from an event that nobody knows', async () => {
    await sameWithBoth(async (library) => {
      const served = await serve(library, { eventStore: memoryEvents(true) });
      await openSession(served);
      const headers = { ...SESSION, 'last-event-id': 'no-such-event' };
      return [await shown(await ask(served.url, { method: 'GET', headers })), served.told];
    });
  });

  it('carry the events of the standing stream', async () => {
    await sameWithBoth(async (library) => {
      const served = await serve(library, { eventStore: memoryEvents() });
      await openSession(served);
      const standing = await ask(served.url, { method: 'GET', headers: SESSION });
      for (const data of ['one', 'two'])
        await served.transport.send({
          jsonrpc: '2.0',
          method: 'notifications/message',
          params: { level: 'info', data },
        });
      await until(() => standing.text().includes('two'));
      const first = /^id: (.*)$/m.exec(standing.text())?.[1] ?? '';
      served.transport.closeStandaloneSSEStream();
      const before = eventsOf(await standing.whole);
      const headers = { ...SESSION, 'last-event-id': first };
      const again = await ask(served.url, { method: 'GET', headers });
      await until(() => again.text().includes('two'));
      again.leave();
      return [before, eventsOf(again.text()), first.startsWith('_GET_stream')];
    });
  });
});

describe('without sessions', () => {
  // The types of the official library do not allow its own documentation's `undefined`.
  const options = { sessionIdGenerator: undefined } as object;

  it.each<[string, Asked]>([
    ['a handshake', { body: initialize() }],
    ['a request', { body: list }],
    ['a request of another version', { headers: { 'mcp-protocol-version': '2025-06-18' }, body: list }],
    ['a version that nobody speaks', { headers: { 'mcp-protocol-version': 'none' }, body: list }],
    ['an end', { method: 'DELETE' }],
  ])('%s is answered', async (_, asked) => {
    await sameWithBoth(async (library) => {
      const served = await serve(library, options);
      const { body, ...head } = await shown(await ask(served.url, asked));
      return [head, asked.body === list ? body : undefined, served.told];
    });
  });

  it('a stream is opened', async () => {
    const head = await sameWithBoth(async (library) => {
      const answer = await ask((await serve(library, options)).url, { method: 'GET' });
      answer.leave();
      return [answer.status, answer.headers['content-type'], answer.headers['mcp-session-id']];
    });
    expect(head).toEqual([200, 'text/event-stream', undefined]);
  });

  it('the end of a handshake is told, and what a handler says of lists goes with its answer', async () => {
    const saw = await sameWithBoth(async (library) => {
      const told: string[] = [];
      const listening = await listen((request, response) => {
        const server = new library.McpServer({ name: 'one', version: '1' });
        server.server.oninitialized = () => void told.push('initialized');
        server.registerTool('tell', {}, async ({ sendNotification }) => {
          await sendNotification({ method: 'notifications/tools/list_changed' });
          return { content: [] };
        });
        const transport = new library.Streamable(options);
        void server.connect(transport).then(() => transport.handleRequest(request, response));
      });
      open.push(listening);
      const version = { 'mcp-protocol-version': '2025-11-25' };
      await (
        await ask(listening.url, { body: initialize() })
      ).whole;
      const ended = { jsonrpc: '2.0', method: 'notifications/initialized' };
      await (
        await ask(listening.url, { headers: version, body: ended })
      ).whole;
      const answer = await ask(listening.url, { headers: version, body: call(1, 'tell') });
      return [told, (await answer.whole).match(/"method":"[^"]*"/g)];
    });
    expect(saw).toEqual([['initialized'], ['"method":"notifications/tools/list_changed"']]);
  });

  it('a transport serves one request', async () => {
    await sameWithBoth(async (library) => {
      const { url } = await serve(library, options);
      await (
        await ask(url, { body: list })
      ).whole;
      return (await ask(url, { body: list })).status;
    });
    const refused = await sameWithBoth(async (library) => {
      const transport = new library.Web(options);
      await new library.McpServer({ name: 'web', version: '1' }).connect(transport);
      const asked = (): Request => new Request('http://localhost/', { method: 'DELETE' });
      const outcomes = [transport.handleRequest(asked()), transport.handleRequest(asked())];
      return (await Promise.allSettled(outcomes)).map((each) => each.status);
    });
    expect(refused).toEqual(['fulfilled', 'rejected']);
  });
});

describe('with Request and Response', () => {
  it('an error of the program at the end of a session is that of the request, and the session is over', async () => {
    const saw = await sameWithBoth(async (library) => {
      const transport = new library.Web({
        sessionIdGenerator: () => 'the-session',
        onsessionclosed: () => {
          throw new Error('the registry is gone');
        },
      });
      await new library.McpServer({ name: 'web', version: '1' }).connect(transport);
      const at = (method: string, headers: Record<string, string>, body?: object): Promise<Response> =>
        transport.handleRequest(
          new Request('http://localhost/mcp', { method, headers, ...(body && { body: JSON.stringify(body) }) }),
        );
      const accept = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' };
      const opened = await at('POST', accept, initialize());
      const ended = await at('DELETE', SESSION).catch((error: unknown) => (error as Error).message);
      const after = await at('GET', { ...accept, ...SESSION });
      return [opened.status, opened.headers.get('mcp-session-id'), ended, after.status];
    });
    expect(saw).toEqual([200, 'the-session', 'the registry is gone', 404]);
  });

  it('a transport is started once', async () => {
    await sameWithBoth(async (library) => {
      const transport = new library.Web();
      await transport.start();
      return transport.start().catch((error: unknown) => (error as Error).message);
    });
  });
});
