import { afterEach, describe, expect, it } from 'vitest';
import { until } from '../../../crosspoint/test/until.ts';
import { closeAll } from '../carriers.ts';
import { linesFace, shaken } from '../raw/faces.ts';
import type { Message } from '../raw/lines.ts';
import { facts, newServer, oldServer, says } from '../raw/words.ts';

afterEach(closeAll);

const FORM = { message: 'Name?', requestedSchema: { type: 'object', properties: {} } };
const call = (id: number, name: string, more: object = {}): Message => ({
  id,
  method: 'tools/call',
  params: { name, ...more, _meta: facts({ elicitation: {} }) },
});

/** Answers, asks or dies, as the name of the tool says. */
const on = ({ id, method, params }: Message, peer: { send(one: Message): void; close(): void }): void => {
  if (method === 'resources/subscribe') peer.send({ id, result: {} });
  if (method !== 'tools/call') return;
  if (params.name === 'die') peer.close();
  else if (params.name === 'ask') peer.send({ id: 'q', method: 'elicitation/create', params: FORM });
  else peer.send({ id, result: { resultType: 'complete', ...says('done') } });
};
const CAPABILITIES = { tools: { listChanged: true }, resources: { subscribe: true } };
const old = oldServer({ capabilities: CAPABILITIES, on });
const fresh = newServer({ capabilities: CAPABILITIES, on });

describe.each([
  ['handshake', old],
  ['per-request', fresh],
])('a %s server that dies', (family, server) => {
  it.each(['handshake', 'per-request'])(
    'in a call of a %s client ends it with an error, and the next call reaches a new one',
    async (down) => {
      const { client } = await linesFace(server);
      if (down === 'handshake') await shaken(client);
      client.send(call(1, 'die'));
      const { error } = await client.answer(1);
      expect(error.code).toBe(-32603);
      expect(error.message).toMatch(/server/);
      client.send(call(2, 'work'));
      expect((await client.answer(2))['result']).toMatchObject(says('done'));
    },
  );

  it('while its changes are watched is watched again, and everything counts as changed', async () => {
    const { client, peers } = await linesFace(
      family === 'handshake'
        ? server
        : newServer({
            capabilities: CAPABILITIES,
            on: ({ id, method, params }, peer) =>
              method === 'subscriptions/listen' &&
              peer.send({
                method: 'notifications/subscriptions/acknowledged',
                params: {
                  notifications: params.notifications,
                  _meta: { 'io.modelcontextprotocol/subscriptionId': id },
                },
              }),
          }),
    );
    const notifications = { toolsListChanged: true, resourceSubscriptions: ['note://1'] };
    client.send({ id: 'l', method: 'subscriptions/listen', params: { notifications, _meta: facts() } });
    await client.said('notifications/subscriptions/acknowledged');
    const watch = family === 'handshake' ? 'resources/subscribe' : 'subscriptions/listen';
    const watched = (): number =>
      peers.flatMap(({ received }) => received.filter(({ method }) => method === watch)).length;
    await until(() => watched() === 1);
    for (const peer of peers) peer.close();
    await client.said('notifications/tools/list_changed');
    expect((await client.said('notifications/resources/updated'))['params']).toMatchObject({ uri: 'note://1' });
    expect(watched()).toBe(2);
  });
});

describe('a server with a handshake that dies while its question is with a person', () => {
  it('is an error for the retry, and the next call reaches a new one', async () => {
    const { client, peers } = await linesFace(old);
    client.send(call(1, 'ask'));
    const { result } = await client.answer(1);
    for (const peer of peers) peer.close();
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(client.received).toHaveLength(1);
    const inputResponses = Object.fromEntries(
      Object.keys(result.inputRequests).map((key) => [key, { action: 'accept', content: {} }]),
    );
    client.send(call(2, 'ask', { requestState: result.requestState, inputResponses }));
    expect(await client.answer(2)).toMatchObject({
      error: { code: -32603, message: expect.stringContaining('server') },
    });
    client.send(call(3, 'work'));
    expect((await client.answer(3))['result']).toMatchObject(says('done'));
  });
});

describe('a server that dies when a client with a session changes it', () => {
  it.each([
    ['logging/setLevel', { level: 'debug' }],
    ['resources/subscribe', { uri: 'note://1' }],
  ])('%s is refused as a failure of the server', async (method, params) => {
    const { client } = await linesFace(
      oldServer({
        capabilities: { logging: {}, resources: { subscribe: true } },
        on: ({ method: said }, peer) => (said === method ? peer.close() : undefined),
      }),
      { bridge: { client: { reconnect: { attempts: 0 } } } },
    );
    await shaken(client);
    client.send({ id: 1, method, params });
    expect(await client.answer(1)).toMatchObject({
      error: { code: -32603, message: expect.stringContaining('server behind the bridge') },
    });
  });
});

describe('a server that cannot be reached', () => {
  it('is an error for each request, and for a stream of changes', async () => {
    const { client, peers } = await linesFace(({ id }, peer) => (id === undefined ? undefined : peer.close()));
    client.send(call(1, 'work'));
    expect(await client.answer(1)).toMatchObject({
      error: { code: -32603, message: expect.stringContaining('server') },
    });
    client.send({
      id: 2,
      method: 'subscriptions/listen',
      params: { notifications: { toolsListChanged: true }, _meta: facts() },
    });
    expect(await client.answer(2)).toMatchObject({
      error: { code: -32603, message: expect.stringContaining('server') },
    });
    client.send({ id: 3, method: 'server/discover', params: { _meta: facts() } });
    expect(await client.answer(3)).toMatchObject({
      error: { code: -32603, message: expect.stringContaining('server') },
    });
    expect(peers.length).toBeLessThan(30);
  });
});
