import { afterEach, describe, expect } from 'vitest';
import { proves } from '../../../crosspoint/test/requirements/proves.ts';
import { until } from '../../../crosspoint/test/until.ts';
import { closeAll } from '../carriers.ts';
import { faceOver, linesFace, shaken, session } from '../raw/faces.ts';
import { rawServer, type Message, type RawLines } from '../raw/lines.ts';
import { P, facts, newServer, oldServer } from '../raw/words.ts';

afterEach(closeAll);

const CAPABILITIES = {
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
};
const SUBSCRIPTION = `${P}subscriptionId`;

/** A server without sessions that acknowledges every listen, and the listens that are open. */
function listening() {
  const open = new Map<string | number, { filter: Message; peer: RawLines }>();
  const ended: (string | number)[] = [];
  const server = newServer({
    capabilities: CAPABILITIES,
    on: ({ id, method, params }, peer) => {
      if (method === 'notifications/cancelled' && open.delete(params.requestId)) ended.push(params.requestId);
      if (method !== 'subscriptions/listen') return;
      open.set(id, { filter: params.notifications, peer });
      peer.send({
        method: 'notifications/subscriptions/acknowledged',
        params: { notifications: params.notifications, _meta: { [SUBSCRIPTION]: id } },
      });
    },
  });
  const tell = (method: string, params: object = {}): void => {
    for (const [id, { peer }] of open) peer.send({ method, params: { ...params, _meta: { [SUBSCRIPTION]: id } } });
  };
  const uris = (): unknown[] => [...open.values()].map(({ filter }) => filter['resourceSubscriptions'] ?? []);
  return { server, open, ended, tell, uris };
}

describe('changes of a server without sessions, for a client with one', () => {
  proves('M-IOP-049').test('come by one listen, which is opened anew for other addresses', async () => {
    const { server, open, ended, tell, uris } = listening();
    const { client } = await linesFace(server);
    await shaken(client);
    await until(() => open.size === 1);
    expect([...open.values()][0]?.filter).toMatchObject({
      toolsListChanged: true,
      promptsListChanged: true,
      resourcesListChanged: true,
    });
    for (const [id, uri] of [
      [1, 'note://1'],
      [2, 'note://2'],
    ] as const) {
      client.send({ id, method: 'resources/subscribe', params: { uri } });
      expect(await client.answer(id)).toMatchObject({ result: {} });
    }
    await until(() => open.size === 1 && ended.length === 2, 'one listen is left');
    expect(uris()).toEqual([['note://1', 'note://2']]);
    client.send({ id: 3, method: 'resources/unsubscribe', params: { uri: 'note://1' } });
    await client.answer(3);
    await until(() => open.size === 1 && ended.length === 3);
    expect(uris()).toEqual([['note://2']]);
    tell('notifications/resources/updated', { uri: 'note://2' });
    tell('notifications/tools/list_changed');
    const updated = await client.said('notifications/resources/updated');
    const changed = await client.said('notifications/tools/list_changed');
    expect(updated['params']).toEqual({ uri: 'note://2' });
    expect(JSON.stringify([updated, changed])).not.toContain('subscriptionId');
    expect(client.received.filter(({ method }) => String(method).includes('resources/updated'))).toHaveLength(1);
  });

  proves('M-IOP-049').test('come on the standing stream of its session, and end with it', async () => {
    const { server, open, ended, tell } = listening();
    const { port } = await rawServer(server);
    const { where } = await faceOver('http', port);
    const client = await session(where as string);
    const stream = await client.stream();
    await until(() => open.size === 1);
    tell('notifications/prompts/list_changed');
    await stream.said('notifications/prompts/list_changed');
    await fetch(where as string, { method: 'DELETE', headers: client.headers });
    await until(() => ended.length === 1, 'the listen ends with the session');
  });
});

/** A server with a handshake that says what it was told. */
function subscribing(capabilities: object = CAPABILITIES) {
  return oldServer({
    capabilities,
    on: ({ id, method }, peer) => {
      if (id !== undefined && method !== undefined)
        peer.send({ id, result: method === 'tools/list' ? { tools: [] } : {} });
    },
  });
}

const listen = (id: number | string, notifications: object): Message => ({
  id,
  method: 'subscriptions/listen',
  params: { notifications, _meta: facts() },
});
const said = (peers: RawLines[], method: string): Message[] =>
  peers.flatMap(({ received }) => received.filter((one) => one['method'] === method));

describe('changes of a server with a handshake, for a client without a session', () => {
  proves('M-IOP-050').test('are subscribed to once for all listens, and told to each under its own id', async () => {
    const { client, peers } = await linesFace(subscribing());
    const acknowledged = (id: string): Promise<Message> =>
      client.got(
        (one) =>
          one['method'] === 'notifications/subscriptions/acknowledged' && one['params']._meta[SUBSCRIPTION] === id,
      );
    client.send(listen('one', { toolsListChanged: true, resourceSubscriptions: ['note://1'] }));
    expect((await acknowledged('one'))['params'].notifications).toMatchObject({
      toolsListChanged: true,
      resourceSubscriptions: ['note://1'],
    });
    client.send(listen('two', { resourceSubscriptions: ['note://1', 'note://2'] }));
    await acknowledged('two');
    expect(said(peers, 'resources/subscribe').map(({ params }) => params.uri)).toEqual(['note://1', 'note://2']);
    const server = peers.find(({ received }) => received.some(({ method }) => method === 'resources/subscribe'));
    server?.send(
      { method: 'notifications/resources/updated', params: { uri: 'note://1' } },
      { method: 'notifications/tools/list_changed' },
    );
    await until(
      () => client.received.filter(({ method }) => method === 'notifications/resources/updated').length === 2,
    );
    const ids = client.received.flatMap(({ method, params }) =>
      method === 'notifications/resources/updated' ? [params._meta[SUBSCRIPTION]] : [],
    );
    expect(ids.toSorted()).toEqual(['one', 'two']);
    expect((await client.said('notifications/tools/list_changed'))['params']._meta[SUBSCRIPTION]).toBe('one');
    client.send({ method: 'notifications/cancelled', params: { requestId: 'one' } });
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(said(peers, 'resources/unsubscribe')).toEqual([]);
    client.send({ method: 'notifications/cancelled', params: { requestId: 'two' } });
    await until(() => said(peers, 'resources/unsubscribe').length === 2, 'the last listen ends both subscriptions');
  });

  proves('M-IOP-050').test('are acknowledged as far as the server reports them', async () => {
    const { client } = await linesFace(subscribing({ tools: { listChanged: true }, prompts: {}, resources: {} }));
    client.send(
      listen('one', { toolsListChanged: true, promptsListChanged: true, resourceSubscriptions: ['note://1'] }),
    );
    const { params } = await client.said('notifications/subscriptions/acknowledged');
    expect(params.notifications).toEqual({ toolsListChanged: true });
  });

  proves('M-IOP-051').test('are told only to those who asked for them', async () => {
    const { client, peers } = await linesFace(subscribing());
    client.send(listen('one', { promptsListChanged: true }));
    await client.said('notifications/subscriptions/acknowledged');
    client.send({ id: 2, method: 'tools/list', params: { _meta: facts() } });
    await client.answer(2);
    for (const peer of peers)
      peer.send(
        { method: 'notifications/tools/list_changed' },
        { method: 'notifications/resources/updated', params: { uri: 'note://1' } },
        { method: 'notifications/resources/list_changed' },
        { method: 'notifications/prompts/list_changed' },
      );
    await client.said('notifications/prompts/list_changed');
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(
      client.received.filter(({ method }) => /list_changed|updated/.test(String(method))).map(({ method }) => method),
    ).toEqual(['notifications/prompts/list_changed']);
  });
});
