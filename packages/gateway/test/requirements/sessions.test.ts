import { afterEach, describe, expect } from 'vitest';
import { proves } from '../../../crosspoint/test/requirements/proves.ts';
import { until } from '../../../crosspoint/test/until.ts';
import { closeAll } from '../carriers.ts';
import { authenticate } from '../raw/callers.ts';
import { faceOver, linesFace, oldHttp, sender, session, shaken } from '../raw/faces.ts';
import { rawHttp } from '../raw/http.ts';
import { NEW, OLD, P, newServer, oldServer, says } from '../raw/words.ts';
import { downstreamCapabilities, upstreamCapabilities } from '../../src/words/capabilities.ts';

afterEach(closeAll);

const echo = oldHttp(({ method, body }, reply) => {
  if (method === 'GET') return reply.open();
  if (body?.['method'] === 'tools/call') reply.json({ id: body['id'], result: says('done') });
});

describe('a client without sessions before a server with a handshake', () => {
  proves('M-IOP-036').test('sees nothing of the one session that serves its calls', async () => {
    const server = await rawHttp(echo);
    const { where } = await faceOver('http', server.url);
    const send = sender(where as string);
    for (let call = 1; call <= 3; call += 1) {
      const answer = await send('tools/call', { name: 'one' });
      expect((await answer.answer(call))['result']).toMatchObject({ ...says('done'), resultType: 'complete' });
      expect(answer.response.headers.get('mcp-session-id')).toBeNull();
    }
    expect([server.said('initialize').length, server.said('notifications/initialized').length]).toEqual([1, 1]);
    const calls = server.came.filter(({ body }) => body?.['method'] === 'tools/call');
    expect(calls.map(({ headers }) => [headers['mcp-session-id'], headers['mcp-protocol-version']])).toEqual(
      Array.from({ length: 3 }, () => ['session-1', OLD]),
    );
    expect(JSON.stringify(calls.map(({ body }) => body))).not.toContain(P);
  });

  proves('M-IOP-037').test('shares a session with itself alone, whatever connection it comes by', async () => {
    const server = await rawHttp(echo);
    const { where } = await faceOver('http', server.url, { handler: { authenticate } });
    const by = (token: string, capabilities: object = {}) =>
      sender(where as string, capabilities, { authorization: `Bearer ${token}`, connection: 'close' });
    const used = async (send: ReturnType<typeof by>): Promise<unknown> => {
      await (
        await send('tools/call', { name: 'one' })
      ).ended;
      return server.came.findLast(({ body }) => body?.['method'] === 'tools/call')?.headers['mcp-session-id'];
    };
    const ada = await used(by('ada'));
    expect(await used(by('ada'))).toBe(ada);
    const bob = await used(by('bob'));
    expect(bob).not.toBe(ada);
    const able = await used(by('ada', { elicitation: {} }));
    expect([ada, bob]).not.toContain(able);
    expect(await used(by('ada', { elicitation: {} }))).toBe(able);
    expect(await used(by('bob'))).toBe(bob);
  });

  proves('M-IOP-037').test('shares a session with everybody where the server is declared stateless', async () => {
    const server = await rawHttp(echo);
    const { where } = await faceOver('http', server.url, { handler: { authenticate }, bridge: { stateless: true } });
    for (const token of ['ada', 'bob'])
      await (
        await sender(where as string, {}, { authorization: `Bearer ${token}` })('tools/call', { name: 'one' })
      ).ended;
    expect(server.said('tools/call')).toHaveLength(2);
    expect(server.said('initialize')).toHaveLength(1);
  });
});

describe('two clients with sessions of one user before a server with a handshake', () => {
  proves('M-IOP-037').test('have a session each, as servers keep state in it', async () => {
    const server = await rawHttp(echo);
    const { where } = await faceOver('http', server.url);
    const [one, two] = [await session(where as string), await session(where as string)];
    await (await one.post({ id: 1, method: 'tools/call', params: { name: 'one' } })).answer(1);
    await (await two.post({ id: 1, method: 'tools/call', params: { name: 'one' } })).answer(1);
    await (await one.post({ id: 2, method: 'tools/call', params: { name: 'one' } })).answer(2);
    const used = server.came
      .filter(({ body }) => body?.['method'] === 'tools/call')
      .map(({ headers }) => headers['mcp-session-id']);
    expect(used[0]).not.toBe(used[1]);
    expect(used[2]).toBe(used[0]);
    expect(server.said('initialize')).toHaveLength(2);
    expect(new Set(server.came.map(({ headers }) => headers['mcp-session-id'])).size).toBe(3);
  });
});

describe('a server that has forgotten its session', () => {
  const withMemory = () => {
    let forgotten = '';
    const handle = oldHttp(
      (came, reply) => {
        const { method, body, headers } = came;
        if (headers['mcp-session-id'] === forgotten) return reply.status(404);
        if (method === 'GET') return reply.open();
        if (body?.['id'] !== undefined && body['method'] !== undefined)
          reply.json({ id: body['id'], result: says('done') });
      },
      { capabilities: { tools: {}, logging: {}, resources: { subscribe: true } } },
    );
    return { handle, forget: (id: string) => (forgotten = id) };
  };

  proves('M-IOP-038').test('gets a new one with the level and the subscriptions of the old', async () => {
    const { handle, forget } = withMemory();
    const server = await rawHttp(handle);
    const { where } = await faceOver('http', server.url);
    const client = await session(where as string);
    await (await client.post({ id: 1, method: 'logging/setLevel', params: { level: 'info' } })).answer(1);
    await (await client.post({ id: 2, method: 'resources/subscribe', params: { uri: 'note://1' } })).answer(2);
    await until(() => server.said('resources/subscribe').length === 1);
    const lost = server.came.find(({ body }) => body?.['method'] === 'resources/subscribe')?.headers['mcp-session-id'];
    forget(String(lost));
    const answer = await client.post({ id: 3, method: 'tools/call', params: { name: 'one' } });
    expect(await answer.answer(3)).toMatchObject({ result: says('done') });
    const inNew = (method: string): number =>
      server.came.filter(
        ({ body, headers }) =>
          body?.['method'] === method && headers['mcp-session-id'] !== lost && headers['mcp-session-id'] !== undefined,
      ).length;
    await until(
      () => inNew('logging/setLevel') === 1 && inNew('resources/subscribe') === 1,
      'level and subscription are made again',
    );
    expect(inNew('tools/call')).toBe(1);
  });

  proves('M-IOP-038').test('gets a new one for a listen of a client without sessions, too', async () => {
    const { handle, forget } = withMemory();
    const server = await rawHttp(handle);
    const { where } = await faceOver('http', server.url);
    const send = sender(where as string);
    const listen = await send('subscriptions/listen', { notifications: { resourceSubscriptions: ['note://1'] } });
    await listen.said('notifications/subscriptions/acknowledged');
    const lost = server.came.find(({ body }) => body?.['method'] === 'resources/subscribe')?.headers['mcp-session-id'];
    forget(String(lost));
    await (await send('tools/call', { name: 'one' })).answer(2);
    await until(() => server.said('resources/subscribe').length === 2, 'the subscription is made again');
  });
});

describe('a client with a handshake before a server without sessions', () => {
  proves('M-IOP-039').test('is answered from server/discover, and given a session id', async () => {
    const { client, hop } = await linesFace(newServer({ capabilities: { tools: { listChanged: true } } }));
    expect((await shaken(client))['result']).toEqual({
      protocolVersion: OLD,
      capabilities: { tools: { listChanged: true } },
      serverInfo: { name: 'new', version: '1' },
      instructions: 'New.',
    });
    expect(hop.map(({ message }) => message['method'])).not.toContain('initialize');
  });

  proves('M-IOP-039').test('is told a placeholder where the server does not say who it is', async () => {
    const { client } = await linesFace(newServer({ info: undefined }));
    const { serverInfo } = (await shaken(client))['result'];
    expect([typeof serverInfo.name, typeof serverInfo.version]).toEqual(['string', 'string']);
    const server = await rawHttp(({ body }, reply) =>
      newServer()(body ?? {}, { send: (one: object) => reply.json(one) } as never),
    );
    const { where } = await faceOver('http', server.url);
    expect((await session(where as string)).id).toMatch(/\S{16,}/);
  });

  proves('M-IOP-040, M-IOP-041').test('has its facts and all headers in every request', async () => {
    const tool = {
      name: 'weather',
      inputSchema: {
        type: 'object',
        properties: { town: { type: 'string', 'x-mcp-header': 'Town' }, days: { type: 'integer' } },
      },
    };
    const server = await rawHttp(({ body = {} }, reply) =>
      newServer({
        on: ({ id, method }) =>
          reply.json({
            id,
            result: {
              resultType: 'complete',
              ttlMs: 0,
              cacheScope: 'private',
              ...(method === 'tools/list' ? { tools: [tool] } : says('sun')),
            },
          }),
      })(body, { send: (one: object) => reply.json(one) } as never),
    );
    const { where } = await faceOver('http', server.url);
    const client = await session(where as string, { elicitation: {}, roots: { listChanged: true } });
    await (await client.post({ id: 1, method: 'tools/list' })).answer(1);
    const call = { id: 2, method: 'tools/call', params: { name: 'weather', arguments: { town: 'Zürich', days: 2 } } };
    expect(await (await client.post(call)).answer(2)).toMatchObject({ result: says('sun') });
    const sent = server.came.find(({ body }) => body?.['method'] === 'tools/call');
    expect(sent?.headers).toMatchObject({
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': NEW,
      'mcp-method': 'tools/call',
      'mcp-name': 'weather',
      'mcp-param-town': `=?base64?${Buffer.from('Zürich').toString('base64')}?=`,
    });
    expect(Object.keys(sent?.headers ?? {})).not.toContain('mcp-session-id');
    expect(sent?.body?.['params']['_meta']).toMatchObject({
      [`${P}protocolVersion`]: NEW,
      [`${P}clientInfo`]: { name: 'raw', version: '1' },
      [`${P}clientCapabilities`]: { elicitation: {}, roots: {} },
    });
    for (const { headers, body } of server.came)
      expect([headers['mcp-method'], headers['mcp-protocol-version']]).toEqual([body?.['method'], NEW]);
  });

  proves('M-IOP-041').test('needs no list of its own for the headers of a call', async () => {
    const tool = {
      name: 'weather',
      inputSchema: { type: 'object', properties: { town: { type: 'string', 'x-mcp-header': 'Town' } } },
    };
    const server = await rawHttp(({ body = {}, headers }, reply) =>
      newServer({
        on: ({ id, method }) => {
          if (method === 'tools/call' && headers['mcp-param-town'] !== 'Rome')
            return reply.json({ id, error: { code: -32020, message: 'header missing' } }, {}, 400);
          reply.json({
            id,
            result: {
              resultType: 'complete',
              ttlMs: 0,
              cacheScope: 'private',
              ...(method === 'tools/list' ? { tools: [tool] } : says('sun')),
            },
          });
        },
      })(body, { send: (one: object) => reply.json(one) } as never),
    );
    const { where } = await faceOver('http', server.url);
    const client = await session(where as string);
    const call = { id: 2, method: 'tools/call', params: { name: 'weather', arguments: { town: 'Rome' } } };
    expect(await (await client.post(call)).answer(2)).toMatchObject({ result: says('sun') });
  });
});

describe('capabilities', () => {
  const all = {
    elicitation: {},
    sampling: { tools: {} },
    roots: { listChanged: true },
    tasks: { list: {}, requests: { sampling: { createMessage: {} } } },
    experimental: { 'acme/x': { a: 1 } },
    extensions: { 'acme/y': { b: 2 }, 'io.modelcontextprotocol/tasks': {} },
  };
  const kept = {
    elicitation: {},
    sampling: { tools: {} },
    experimental: { 'acme/x': { a: 1 } },
    extensions: { 'acme/y': { b: 2 } },
  };

  proves('M-IOP-042').it.each([
    ['handshake', 'per-request', { ...kept, roots: {} }],
    ['per-request', 'handshake', { ...kept, roots: {} }],
    ['per-request', 'per-request', { ...kept, roots: {} }],
    ['handshake', 'handshake', { ...kept, roots: all.roots, tasks: all.tasks }],
  ] as const)('of a client, from %s to %s', (from, to, told) => {
    expect(upstreamCapabilities(all, from, to)).toEqual(told);
  });

  proves('M-IOP-042').test('of a server lose nothing but the tasks that it hosts in its own generation', () => {
    const declared = {
      tools: { listChanged: true },
      experimental: { 'acme/x': {} },
      extensions: { 'acme/y': { b: 2 } },
    };
    expect(downstreamCapabilities(declared)).toEqual(declared);
  });

  proves('M-IOP-042').test('of a client without sessions are those of the handshake with the server', async () => {
    const { client, peers } = await linesFace(
      oldServer({ on: ({ id }, peer) => id !== undefined && peer.send({ id, result: says('done') }) }),
    );
    const params = {
      name: 'one',
      _meta: {
        [`${P}protocolVersion`]: NEW,
        [`${P}clientInfo`]: { name: 'raw', version: '1' },
        [`${P}clientCapabilities`]: all,
      },
    };
    client.send({ id: 1, method: 'tools/call', params });
    await client.answer(1);
    const shakes = peers.flatMap(({ received }) => received.filter(({ method }) => method === 'initialize'));
    expect(shakes.map((one) => one['params'].capabilities)).toEqual([{ ...kept, roots: {} }]);
    expect(shakes[0]?.['params'].clientInfo).toEqual({ name: 'raw', version: '1' });
  });
});
