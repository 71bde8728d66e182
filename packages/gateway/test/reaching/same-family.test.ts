import { afterEach, describe, expect, it } from 'vitest';
import { until } from '../../../crosspoint/test/until.ts';
import { closeAll } from '../carriers.ts';
import { linesFace, shaken } from '../raw/faces.ts';
import type { RawLines } from '../raw/lines.ts';
import { facts, newServer, oldServer, says } from '../raw/words.ts';

afterEach(closeAll);

const FORM = { message: 'Name?', requestedSchema: { type: 'object', properties: {} } };
const serving = (peers: RawLines[], method: string): RawLines =>
  peers.find(({ received }) => received.some((one) => one['method'] === method)) as RawLines;

describe('a question between two sides with a handshake', () => {
  it('is withdrawn at the client when the server withdraws it', async () => {
    const { client, peers } = await linesFace(
      oldServer({
        on: ({ method }, peer) =>
          method === 'tools/call' && peer.send({ id: 'q', method: 'elicitation/create', params: FORM }),
      }),
    );
    await shaken(client, { elicitation: {} });
    client.send({ id: 1, method: 'tools/call', params: { name: 'one' } });
    const asked = await client.said('elicitation/create');
    serving(peers, 'tools/call').send({ method: 'notifications/cancelled', params: { requestId: 'q' } });
    expect((await client.said('notifications/cancelled'))['params'].requestId).toBe(asked['id']);
  });

  it('has the progress of its answer, under the token of the server', async () => {
    const { client, peers } = await linesFace(
      oldServer({
        on: ({ method }, peer) =>
          method === 'tools/call' &&
          peer.send({
            id: 'q',
            method: 'elicitation/create',
            params: { ...FORM, _meta: { progressToken: 'up', 'acme/k': 1 } },
          }),
      }),
    );
    await shaken(client, { elicitation: {} });
    client.send({ id: 1, method: 'tools/call', params: { name: 'one' } });
    const { params, id } = await client.said('elicitation/create');
    expect(params._meta['acme/k']).toBe(1);
    client.send({
      method: 'notifications/progress',
      params: { progressToken: params._meta.progressToken, progress: 1, message: 'typing' },
    });
    const server = serving(peers, 'tools/call');
    expect((await server.said('notifications/progress'))['params']).toMatchObject({
      progressToken: 'up',
      progress: 1,
      message: 'typing',
    });
    client.send({ id, result: { action: 'decline' } });
    expect((await server.answer('q'))['result']).toEqual({ action: 'decline' });
    expect(server.received.filter(({ method }) => method === 'notifications/progress')).toHaveLength(1);
  });

  it('outside of calls reaches the client of the session', async () => {
    const { client, peers } = await linesFace(oldServer());
    await shaken(client, { roots: {} });
    await until(() => serving(peers, 'notifications/initialized') !== undefined);
    const server = serving(peers, 'notifications/initialized');
    server.send({ id: 'q', method: 'roots/list' });
    client.send({ id: (await client.said('roots/list'))['id'], result: { roots: [{ uri: 'file:///a' }] } });
    expect((await server.answer('q'))['result']).toEqual({ roots: [{ uri: 'file:///a' }] });
  });
});

describe('a subscription that the server refuses', () => {
  const refusing = oldServer({
    capabilities: { resources: { subscribe: true } },
    on: ({ id, method, params }, peer) => {
      if (method === 'resources/subscribe' && params.uri === 'bad://1')
        peer.send({ id, error: { code: -32002, message: 'no such thing' } });
      else if (id !== undefined && method !== undefined) peer.send({ id, result: {} });
    },
  });

  it('is refused to the client, and spoils no other', async () => {
    const { client, peers } = await linesFace(refusing);
    await shaken(client);
    client.send({ id: 1, method: 'resources/subscribe', params: { uri: 'bad://1' } });
    expect(await client.answer(1)).toMatchObject({ error: { code: -32002 } });
    client.send({ id: 2, method: 'resources/subscribe', params: { uri: 'good://1' } });
    expect(await client.answer(2)).toMatchObject({ result: {} });
    serving(peers, 'resources/subscribe').send({
      method: 'notifications/resources/updated',
      params: { uri: 'good://1' },
    });
    expect((await client.said('notifications/resources/updated'))['params'].uri).toBe('good://1');
  });

  it('is left out of a listen, and an error where nothing else is wanted', async () => {
    const { client, peers } = await linesFace(refusing);
    const listen = (id: number, ...resourceSubscriptions: string[]): void =>
      client.send({
        id,
        method: 'subscriptions/listen',
        params: { notifications: { resourceSubscriptions }, _meta: facts() },
      });
    listen(1, 'bad://1');
    expect((await client.answer(1))['error'].code).toBe(-32602);
    listen(2, 'good://1', 'bad://1', 'good://2');
    const { params } = await client.said('notifications/subscriptions/acknowledged');
    expect(params.notifications.resourceSubscriptions).toEqual(['good://1', 'good://2']);
    for (const peer of peers) peer.close();
    await until(
      () => client.received.filter(({ method }) => method === 'notifications/resources/updated').length === 2,
    );
  });

  it('after a restart of the server takes no other with it', async () => {
    let isGone = false;
    const { client, peers } = await linesFace(
      oldServer({
        capabilities: { tools: { listChanged: true }, resources: { subscribe: true } },
        on: ({ id, method, params }, peer) => {
          if (isGone && params?.uri === 'note://1') peer.send({ id, error: { code: -32002, message: 'gone' } });
          else if (id !== undefined && method !== undefined) peer.send({ id, result: {} });
        },
      }),
    );
    await shaken(client);
    for (const id of [1, 2]) {
      client.send({ id, method: 'resources/subscribe', params: { uri: `note://${id}` } });
      await client.answer(id);
    }
    isGone = true;
    for (const peer of peers) peer.close();
    await client.got(({ method, params }) => method === 'notifications/resources/updated' && params.uri === 'note://2');
    const before = client.received.length;
    peers.at(-1)?.send({ method: 'notifications/resources/updated', params: { uri: 'note://2' } });
    await until(() => client.received.length > before);
  });
});

describe('features that the server does not declare', () => {
  it.each([
    ['resources/subscribe', { uri: 'note://1' }],
    ['logging/setLevel', { level: 'info' }],
    ['prompts/list', {}],
    ['completion/complete', { ref: { type: 'ref/prompt', name: 'p' }, argument: { name: 'a', value: '' } }],
  ])('are refused as by the server itself: %s', async (method, params) => {
    const { client } = await linesFace(
      oldServer({
        capabilities: { tools: {} },
        on: ({ id, method: said }, peer) =>
          id !== undefined && said !== undefined && peer.send({ id, error: { code: -32601, message: 'unknown' } }),
      }),
    );
    await shaken(client);
    client.send({ id: 1, method, params });
    expect(await client.answer(1)).toMatchObject({ error: { code: -32601 } });
  });
});

describe('cursors', () => {
  it.each(['old', 'new'])('of a %s server pass as they are', async (kind) => {
    const pages: Record<string, object> = { first: { tools: [], nextCursor: 'b%2F=' }, 'b%2F=': { tools: [] } };
    const on = ({ id, method, params }: Record<string, any>, peer: RawLines): void => {
      if (method === 'tools/list')
        peer.send({
          id,
          result: { resultType: 'complete', ttlMs: 0, cacheScope: 'private', ...pages[params?.cursor ?? 'first'] },
        });
    };
    const { client } = await linesFace(kind === 'old' ? oldServer({ on }) : newServer({ on }));
    await shaken(client);
    client.send({ id: 1, method: 'tools/list' });
    const { nextCursor } = (await client.answer(1))['result'];
    expect(nextCursor).toBe('b%2F=');
    client.send({ id: 2, method: 'tools/list', params: { cursor: nextCursor } });
    expect((await client.answer(2))['result']).toEqual({ tools: [] });
  });
});

describe('pushes about tasks', () => {
  it.each(['handshake', 'per-request'])('name no task of the hop to the server, towards a %s client', async (down) => {
    const task = {
      taskId: 'up-1',
      status: 'working',
      createdAt: '2026-01-01T00:00:00Z',
      lastUpdatedAt: '2026-01-01T00:00:00Z',
      ttl: 60_000,
      pollInterval: 20,
    };
    const { client, peers } = await linesFace(
      oldServer({
        capabilities: { tools: {}, tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } },
        on: ({ id, method }, peer) => {
          if (method === 'tools/list')
            peer.send({
              id,
              result: {
                tools: [{ name: 'one', inputSchema: { type: 'object' }, execution: { taskSupport: 'optional' } }],
              },
            });
          if (method === 'tools/call')
            peer.send({ id, result: { task } }, { method: 'notifications/tasks/status', params: task });
          if (method === 'tasks/get') peer.send({ id, result: task });
        },
      }),
    );
    if (down === 'handshake') await shaken(client);
    const params =
      down === 'handshake' ? { task: {} } : { _meta: facts({ extensions: { 'io.modelcontextprotocol/tasks': {} } }) };
    client.send({ id: 1, method: 'tools/call', params: { name: 'one', ...params } });
    await client.answer(1);
    await until(() => serving(peers, 'tasks/get') !== undefined);
    serving(peers, 'tasks/get').send({ method: 'notifications/tasks/status', params: task });
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(says(JSON.stringify(client.received))).toEqual(says(expect.not.stringContaining('up-1')));
  });
});
