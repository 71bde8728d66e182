import { afterEach, describe, expect } from 'vitest';
import { proves } from '../../../crosspoint/test/requirements/proves.ts';
import { closeAll } from '../carriers.ts';
import { linesFace, shaken } from '../raw/faces.ts';
import type { RawLines } from '../raw/lines.ts';
import { facts, newServer, oldServer, says } from '../raw/words.ts';

afterEach(closeAll);

const methods = (peers: RawLines[]): unknown[] => peers.flatMap(({ received }) => received.map(({ method }) => method));

describe('ping', () => {
  proves('M-IOP-054').test('of a client is answered by the bridge', async () => {
    const { client, peers } = await linesFace(newServer());
    await shaken(client);
    client.send({ id: 1, method: 'ping' });
    expect(await client.answer(1)).toEqual({ jsonrpc: '2.0', id: 1, result: {} });
    expect(methods(peers)).not.toContain('ping');
  });

  proves('M-IOP-054').test('of a server is answered by the bridge, and reaches no client', async () => {
    const { client, peers } = await linesFace(
      oldServer({
        on: ({ id, method }, peer) => {
          if (method === 'tools/call') peer.send({ id: 'p', method: 'ping' }, { id, result: says('done') });
        },
      }),
    );
    client.send({ id: 1, method: 'tools/call', params: { name: 'one', _meta: facts({ elicitation: {} }) } });
    await client.answer(1);
    const server = peers.find(({ received }) => received.some(({ method }) => method === 'tools/call'));
    expect(await server?.answer('p')).toEqual({ jsonrpc: '2.0', id: 'p', result: {} });
    expect(client.received).toHaveLength(1);
  });
});

describe('a change of roots', () => {
  const fence = async (client: RawLines): Promise<void> => {
    client.send(
      { method: 'notifications/roots/list_changed' },
      { id: 1, method: 'tools/call', params: { name: 'one' } },
    );
    await client.answer(1);
    await new Promise((resolve) => setTimeout(resolve, 30));
  };

  proves('M-IOP-055').test('does not reach a server without sessions', async () => {
    const { client, peers } = await linesFace(
      newServer({
        on: ({ id, method }, peer) =>
          method === 'tools/call' && peer.send({ id, result: { resultType: 'complete', ...says('done') } }),
      }),
    );
    await shaken(client, { roots: { listChanged: true } });
    await fence(client);
    expect(methods(peers)).not.toContain('notifications/roots/list_changed');
  });

  proves('M-IOP-055').test('reaches a server with a handshake', async () => {
    const { client, peers } = await linesFace(
      oldServer({ on: ({ id, method }, peer) => method === 'tools/call' && peer.send({ id, result: says('done') }) }),
    );
    await shaken(client, { roots: { listChanged: true } });
    await fence(client);
    expect(methods(peers)).toContain('notifications/roots/list_changed');
  });
});
