import { createSecret, memoryStore } from 'crosspoint/server';
import { expect } from 'vitest';
import { until } from '../../../crosspoint/test/until.ts';
import { faceOver, linesFace, oldHttp, sender, shaken } from '../raw/faces.ts';
import { rawHttp, type Reply } from '../raw/http.ts';
import { rawClient, rawServer } from '../raw/lines.ts';
import { facts, newServer, oldServer, says } from '../raw/words.ts';
import { ACCEPT, FORM, asking, call, parked, serving, type Driver } from './drivers.ts';

const PAGE = { mode: 'url', message: 'Go', url: 'https://example.com/', elicitationId: 'e' };
const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 50));

/** Calls of a new client at an old server over lines, whose answers a test gives. */
const quiet = oldServer({
  capabilities: { tools: { listChanged: true }, logging: {} },
  on: ({ id, method, params }, peer) => {
    if (method === 'logging/setLevel') peer.send({ id, result: {} });
    if (method === 'tools/call' && params.name === 'at once') peer.send({ id, result: says('done') });
  },
});

export const FURTHER: Readonly<Record<string, Driver>> = {
  'A connection that breaks during a retry': async () => {
    const { port, peers } = await rawServer(
      oldServer({
        on: ({ method }, peer) =>
          method === 'tools/call' && peer.send({ id: 'q', method: 'elicitation/create', params: FORM }),
      }),
    );
    const { where } = await faceOver('http', port);
    const send = sender(where as string, { elicitation: {} });
    const { inputRequests, requestState } = (await (await send('tools/call', { name: 'one' })).answer(1))['result'];
    const inputResponses = Object.fromEntries(Object.keys(inputRequests).map((key) => [key, ACCEPT]));
    const abort = new AbortController();
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'one',
    };
    const body = JSON.stringify({ jsonrpc: '2.0', ...call(2, 'one', { requestState, inputResponses }) });
    const broken = fetch(where as string, { method: 'POST', signal: abort.signal, headers, body }).catch(() => {});
    await serving(peers).answer('q');
    abort.abort();
    await broken;
    await serving(peers).said('notifications/cancelled');
    const { error } = await (await send('tools/call', { name: 'one', requestState, inputResponses })).answer(2);
    return { client: [error.code] };
  },

  "A call that waits for answers, after a restart of the bridge, where the server's stream cannot be resumed":
    async () => {
      const { port, peers } = await rawServer(asking('elicitation/create', FORM));
      const bridge = { store: Object.assign(memoryStore(), { isShared: true }), keys: [createSecret()] };
      const first = await faceOver('stdio', port, { bridge });
      const client = await rawClient(first.where as number);
      client.send(call(1));
      const { inputRequests, requestState } = (await client.answer(1))['result'];
      await first.face.close();
      await until(() => peers.every(({ isClosed }) => isClosed), 'the connection has ended');
      const later = await rawClient((await faceOver('stdio', port, { bridge })).where as number);
      const inputResponses = Object.fromEntries(Object.keys(inputRequests).map((key) => [key, ACCEPT]));
      later.send(call(2, 'one', { requestState, inputResponses }));
      const { error } = await later.answer(2);
      expect(error.message).toContain('whether it was carried out is not known');
      return { client: [error.code] };
    },

  'A retry that reaches another process of the bridge than the one that holds the call, and lives': async () => {
    const { port, peers } = await rawServer(asking('elicitation/create', FORM));
    const store = Object.assign(memoryStore(), { isShared: true });
    const bridge = { store, keys: [createSecret()], leaseMs: 300 };
    const [own, other] = [await faceOver('stdio', port, { bridge }), await faceOver('stdio', port, { bridge })];
    const client = await rawClient(own.where as number);
    client.send(call(1));
    const { inputRequests, requestState } = (await client.answer(1))['result'];
    const inputResponses = Object.fromEntries(Object.keys(inputRequests).map((key) => [key, ACCEPT]));
    const astray = await rawClient(other.where as number);
    astray.send(call(2, 'one', { requestState, inputResponses }));
    const { error } = await astray.answer(2);
    expect(peers.flatMap(({ received }) => received.filter(({ id }) => id === 'q'))).toEqual([]);
    client.send(call(3, 'one', { requestState, inputResponses }));
    expect((await client.answer(3))['result']).toMatchObject(says('done'));
    return { client: [error.code] };
  },

  'Calls that are open in a session which the server has lost': async () => {
    let isLost = false;
    const held: Reply[] = [];
    const server = await rawHttp(
      oldHttp(({ method, body, headers }, reply) => {
        if (isLost && headers['mcp-session-id'] === 'session-1') return reply.status(404);
        if (method === 'GET') return reply.open();
        if (body?.['method'] !== 'tools/call') return;
        if (body['params'].name === 'one') {
          reply.open();
          held.push(reply);
        } else reply.json({ id: body['id'], result: says('done') });
      }),
    );
    const { where } = await faceOver('http', server.url);
    const send = sender(where as string);
    const open = send('tools/call', { name: 'one' });
    await until(() => held.length === 1);
    isLost = true;
    expect((await (await send('tools/call', { name: 'two' })).answer(2))['result']).toMatchObject(says('done'));
    held[0]?.cut();
    const { error } = await (await open).answer(1);
    expect(error.message).toContain('may or may not have been carried out');
    expect(server.said('tools/call').filter(({ params }) => params.name === 'one')).toHaveLength(1);
    return { client: [error.code] };
  },

  'Calls that are open when the server ends': async () => {
    const { client, peers } = await linesFace(quiet);
    client.send(call(1));
    await until(() => serving(peers) !== undefined);
    serving(peers).close();
    const { error } = await client.answer(1);
    client.send(call(2, 'at once'));
    expect((await client.answer(2))['result']).toMatchObject(says('done'));
    return { client: [error.code] };
  },

  'A page of -32042 that the user declines': async () => {
    const error = { code: -32042, message: 'first', data: { elicitations: [PAGE] } };
    const { client, peers } = await linesFace(
      oldServer({ on: ({ id, method }, peer) => method === 'tools/call' && peer.send({ id, error }) }),
    );
    const able = { elicitation: { url: {} } };
    client.send(call(1, 'one', {}, able));
    const { inputRequests, requestState } = (await client.answer(1))['result'];
    const inputResponses = Object.fromEntries(Object.keys(inputRequests).map((key) => [key, { action: 'decline' }]));
    client.send(call(2, 'one', { requestState, inputResponses }, able));
    const answer = await client.answer(2);
    expect(peers.flatMap(({ received }) => received.filter(({ method }) => method === 'tools/call'))).toHaveLength(1);
    return { client: [answer['error'].code] };
  },

  'The end of a page that an old server asked for, for a new client': async () => {
    const { client, peers } = await parked();
    serving(peers).send({ method: 'notifications/elicitation/complete', params: { elicitationId: 'e' } });
    await pause();
    expect(client.received).toHaveLength(1);
    return {};
  },

  'Log messages that belong to no call, for a new client': async () => {
    const { client, peers } = await linesFace(quiet);
    const meta = { _meta: facts({}, { 'io.modelcontextprotocol/logLevel': 'debug' }) };
    client.send({ id: 1, method: 'tools/call', params: { name: 'at once', ...meta } });
    await client.answer(1);
    for (const peer of peers) peer.send({ method: 'notifications/message', params: { level: 'alert', data: 'x' } });
    await pause();
    expect(client.received).toHaveLength(1);
    return {};
  },

  'Log messages of a new server over stdio, while calls of several clients are open': async () => {
    const { client, where, peers } = await linesFace(newServer({ capabilities: { tools: {}, logging: {} } }));
    const clients = [client, await rawClient(where as number)];
    for (const one of clients) {
      await shaken(one);
      one.send({ id: 1, method: 'logging/setLevel', params: { level: 'debug' } });
      await one.answer(1);
      one.send({ id: 2, method: 'tools/call', params: { name: 'one' } });
    }
    await serving(peers).said('tools/call', 2);
    serving(peers).send({ method: 'notifications/message', params: { level: 'alert', data: 'x' } });
    await pause();
    expect(clients.map(({ received }) => received.length)).toEqual([2, 2]);
    return {};
  },

  'Changes that a new client does not listen to': async () => {
    const { client, peers } = await linesFace(quiet);
    client.send(call(1, 'at once'));
    await client.answer(1);
    for (const peer of peers) peer.send({ method: 'notifications/tools/list_changed' });
    await pause();
    expect(client.received).toHaveLength(1);
    return {};
  },

  'A change of roots, for a new server': async () => {
    const { client, peers } = await linesFace(newServer());
    await shaken(client, { roots: { listChanged: true } });
    client.send({ method: 'notifications/roots/list_changed' });
    await pause();
    expect(peers.flatMap(({ received }) => received.map(({ method }) => method))).not.toContain(
      'notifications/roots/list_changed',
    );
    return {};
  },

  'Tasks that a client would host, where one side is new': async () => {
    const { client, peers } = await linesFace(asking('elicitation/create', { ...FORM, task: { ttl: 1000 } }));
    client.send(call(1));
    const { inputRequests, requestState } = (await client.answer(1))['result'];
    expect(Object.values(inputRequests)).toEqual([{ method: 'elicitation/create', params: FORM }]);
    const inputResponses = Object.fromEntries(Object.keys(inputRequests).map((key) => [key, ACCEPT]));
    client.send(call(2, 'one', { requestState, inputResponses }));
    expect((await serving(peers).answer('q'))['result']).toEqual(ACCEPT);
    return {};
  },

  'Messages outside of calls, with `stateless: true`': async () => {
    const { client, peers } = await linesFace(quiet, { bridge: { stateless: true } });
    await shaken(client, { elicitation: {} });
    client.send({ id: 1, method: 'tools/call', params: { name: 'at once' } });
    await client.answer(1);
    const server = serving(peers);
    server.send({ method: 'acme/note' }, { id: 'q', method: 'elicitation/create', params: FORM });
    const { error } = await server.answer('q');
    expect(client.received).toHaveLength(2);
    return { server: [error.code] };
  },
};
