import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Client } from '../../src/client/index.ts';
import { Server, type Caller } from '../../src/server/index.ts';
import { byCaller } from '../../src/server/relaying.ts';
import { KINDS, type SharedStores } from '../nodes/shared-stores.ts';
import { CELLS, FAMILIES, closeAll, lines, serveHttp, serveOver } from './carriers.ts';

afterEach(closeAll);

const groupOf = ({ client }: Caller): string | undefined => (client?.name === 'nobody' ? undefined : client?.name);

function face(rules: Parameters<typeof byCaller>[0] = { groupOf }): Server {
  const capabilities = { tools: { listChanged: true }, resources: { subscribe: true, listChanged: true } };
  const server = new Server({ name: 'face', version: '1.0.0' }, { capabilities });
  server.use(byCaller(rules));
  server.setRequestHandler('tools/list', () => ({ tools: [] }));
  server.setRequestHandler('resources/list', () => ({ resources: [] }));
  return server;
}

interface Listening {
  readonly client: Client;
  readonly told: string[];
}

/** A client that is named after its group, and listens to everything. */
async function listener(where: string | number, name: string, family: (typeof FAMILIES)[number]): Promise<Listening> {
  const told: string[] = [];
  const client = new Client({ name, version: '1' }, { revisions: family, cache: false });
  client.fallbackNotificationHandler = ({ method, params }) => {
    if (method !== 'notifications/subscriptions/acknowledged')
      told.push([method.slice(14), params?.['uri']].join(' ').trim());
  };
  await client.connect((typeof where === 'string' ? where : await lines(where)) as never);
  if (family === 'handshake') await client.subscribeResource({ uri: 'r://1' });
  else await client.listen({ toolsListChanged: true, resourcesListChanged: true, resourceSubscriptions: ['r://1'] });
  return { client, told };
}

const ALL = ['tools/list_changed', 'resources/updated r://1'];

describe.each(CELLS)('changes for one group over $carrier, $family', ({ carrier, family }) => {
  it('reach its members alone; changes for all reach everybody', async () => {
    const server = face();
    const where = await serveOver(carrier, server);
    const names = ['alice', 'alice', 'bob', 'nobody'];
    const all = await Promise.all(names.map((name) => listener(where, name, family)));
    const [first, second, bob, nobody] = all.map(({ told }) => told);
    await server.sendToolListChanged({ group: 'alice' });
    await server.sendResourceUpdated({ uri: 'r://1', group: 'alice' });
    await expect.poll(() => [first, second]).toEqual([ALL, ALL]);
    // Told in one tick, and not merged: each group has its own.
    await Promise.all([server.sendToolListChanged({ group: 'bob' }), server.sendToolListChanged({ group: 'carol' })]);
    await server.sendResourceListChanged();
    await expect.poll(() => bob).toEqual(['tools/list_changed', 'resources/list_changed']);
    await expect.poll(() => nobody).toEqual(['resources/list_changed']);
    expect(first).toEqual([...ALL, 'resources/list_changed']);
    await Promise.all(all.map(({ client }) => client.close()));
  });

  it('a group that cannot be told refuses the caller, not the server', async () => {
    const server = face({ groupOf: () => 42 as never });
    server.onerror = () => {};
    const where = await serveOver(carrier, server);
    await expect(listener(where, 'x', family)).rejects.toThrow();
    expect(() => server.sendToolListChanged({ group: 'x' })).not.toThrow();
  });
});

it('without groupOf, nobody is in a group', async () => {
  const server = face({});
  const { told, client } = await listener(await serveOver('http', server), 'alice', 'per-request');
  await server.sendToolListChanged({ group: 'alice' });
  await server.sendResourceListChanged();
  await expect.poll(() => told).toEqual(['resources/list_changed']);
  await client.close();
});

describe.each(KINDS.filter(([name]) => !name.startsWith('Redis')))(
  'on two nodes with a shared store: %s',
  (_name, open) => {
    let stores: SharedStores;
    beforeEach(async () => void (stores = await open()));
    afterEach(async () => {
      await closeAll();
      await stores.close();
    });

    it.each(FAMILIES)('a group is told on every node, %s', async (family) => {
      const nodes = [face(), face()] as const;
      const [here, there] = [
        await serveHttp(nodes[0], { store: stores.node() }),
        await serveHttp(nodes[1], { store: stores.node() }),
      ];
      const all = await Promise.all([
        listener(here, 'alice', family),
        listener(there, 'alice', family),
        listener(there, 'bob', family),
      ]);
      const [near, far, bob] = all.map(({ told }) => told);
      await nodes[0].sendToolListChanged({ group: 'alice' });
      await nodes[0].sendToolListChanged({ group: 'bob' });
      await nodes[0].sendResourceListChanged();
      const told = ['resources/list_changed', 'tools/list_changed'];
      for (const list of [near, far, bob]) await expect.poll(() => [...(list ?? [])].sort()).toEqual(told);
      await Promise.all(all.map(({ client }) => client.close()));
    });
  },
);
