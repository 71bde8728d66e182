import { describe, expect, it } from 'vitest';
import { until } from '../../../crosspoint/test/until.ts';
import { sameWithBoth } from './both-libraries.ts';
import { SESSION, list, openSession, ping, serve, shown } from './one-session.ts';
import { ask, call, initialize, type Asked } from './raw-http.ts';

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
