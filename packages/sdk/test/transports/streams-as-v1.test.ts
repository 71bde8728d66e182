import { describe, expect, it } from 'vitest';
import { until } from '../../../crosspoint/test/until.ts';
import { listen } from '../listening.ts';
import { sameWithBoth } from './both-libraries.ts';
import { SESSION, eventsOf, list, memoryEvents, open, openSession, serve, shown } from './one-session.ts';
import { ask, call, initialize, type Asked } from './raw-http.ts';

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
