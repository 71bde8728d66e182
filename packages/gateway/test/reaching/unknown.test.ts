import { afterEach, describe, expect, it } from 'vitest';
import { closeAll } from '../carriers.ts';
import { linesFace, shaken } from '../raw/faces.ts';
import type { Message, RawLines } from '../raw/lines.ts';
import { facts, newServer, oldServer, says } from '../raw/words.ts';

afterEach(closeAll);

const DECLARED = { tools: {}, experimental: { 'acme/e': { a: [1] } }, extensions: { 'acme/x': { deep: { b: 2 } } } };
const OFFERED = { experimental: { 'acme/c': { d: 4 } }, extensions: { 'acme/y': { c: 3 } } };

/** Answers unknown methods with what it was sent, and notes notifications. */
const echo = (message: Message, peer: RawLines): void => {
  const { id, method, params } = message;
  if (id === undefined || method === undefined) return;
  if (method === 'acme/fail') return peer.send({ id, error: { code: 7, message: 'no', data: { why: ['x'] } } });
  if (method === 'tools/call')
    peer.send(
      { method: 'acme/note', params: { n: 1, _meta: { 'acme/m': 1 } } },
      {
        id,
        result: { resultType: 'complete', ...says('done'), further: { kept: true }, _meta: { 'acme/back': { z: 1 } } },
      },
    );
  else peer.send({ id, result: { resultType: 'complete', echo: params, _meta: { 'acme/back': 1 } } });
};

const CELLS = ['handshake', 'per-request'].flatMap((down) =>
  ['handshake', 'per-request'].map((up) => [down, up] as const),
);

describe.each(CELLS)('words that the bridge does not know, from a %s client to a %s server', (down, up) => {
  const opened = async () => {
    const server =
      up === 'handshake'
        ? oldServer({ capabilities: DECLARED, on: echo })
        : newServer({ capabilities: DECLARED, on: echo });
    const { client, peers } = await linesFace(server);
    const declared = down === 'handshake' ? (await shaken(client, OFFERED))['result'] : undefined;
    const request = (id: number, method: string, params: object = {}, meta: object = {}): Message => ({
      id,
      method,
      params: { ...params, _meta: down === 'handshake' ? meta : facts(OFFERED, meta) },
    });
    const sent = (method: string): Message[] =>
      peers.flatMap(({ received }) => received.filter((one) => one['method'] === method));
    return { client, declared, request, sent, peers };
  };

  it('pass as methods, with their results and errors', async () => {
    const { client, request } = await opened();
    client.send(request(1, 'acme/do', { a: { b: 1 } }, { 'acme/k': 'v' }), request(2, 'acme/fail'));
    const { result } = await client.answer(1);
    expect(result.echo).toMatchObject({ a: { b: 1 }, _meta: { 'acme/k': 'v' } });
    expect(result._meta['acme/back']).toBe(1);
    expect(await client.answer(2)).toMatchObject({ error: { code: 7, message: 'no', data: { why: ['x'] } } });
  });

  it('pass in _meta, results and notifications of a call', async () => {
    const { client, request, sent } = await opened();
    client.send(
      request(1, 'tools/call', { name: 'one', extra: { kept: 1 } }, { 'acme/k': 'v', traceparent: '00-0-0-00' }),
    );
    const { result } = await client.answer(1);
    expect(result).toMatchObject({ further: { kept: true }, _meta: { 'acme/back': { z: 1 } } });
    expect(sent('tools/call')[0]?.['params']).toMatchObject({
      extra: { kept: 1 },
      _meta: { 'acme/k': 'v', traceparent: '00-0-0-00' },
    });
    expect((await client.said('acme/note'))['params']).toMatchObject({ n: 1, _meta: { 'acme/m': 1 } });
  });

  it('pass in capabilities, both ways', async () => {
    const { client, declared, request, sent } = await opened();
    client.send(request(1, 'tools/call', { name: 'one' }), request(2, 'server/discover'));
    await client.answer(1);
    const capabilities = declared?.capabilities ?? (await client.answer(2))['result'].capabilities;
    expect(capabilities).toMatchObject(DECLARED);
    const told =
      up === 'handshake'
        ? sent('initialize').at(-1)?.['params'].capabilities
        : sent('tools/call')[0]?.['params']._meta['io.modelcontextprotocol/clientCapabilities'];
    expect(told).toMatchObject(OFFERED);
  });
});

describe('a request of a server that the bridge does not know', () => {
  it('reaches a client with a session', async () => {
    const { client, peers } = await linesFace(
      oldServer({
        on: ({ method }, peer) =>
          method === 'tools/call' && peer.send({ id: 'q', method: 'acme/ask', params: { a: 1 } }),
      }),
    );
    await shaken(client);
    client.send({ id: 1, method: 'tools/call', params: { name: 'one' } });
    const asked = await client.said('acme/ask');
    expect(asked['params']).toMatchObject({ a: 1 });
    client.send({ id: asked['id'], result: { b: 2 } });
    const server = peers.find(({ received }) => received.some(({ method }) => method === 'tools/call'));
    expect((await server?.answer('q'))?.['result']).toMatchObject({ b: 2 });
  });

  it('is refused where the client has no session', async () => {
    const { client, peers } = await linesFace(
      oldServer({
        on: ({ id, method }, peer) => {
          if (method === 'tools/call') peer.send({ id: 'q', method: 'acme/ask', params: { a: 1 } });
          if (id === 'q')
            void peer.said('tools/call').then((call) => peer.send({ id: call['id'], result: says('done') }));
        },
      }),
    );
    client.send({ id: 1, method: 'tools/call', params: { name: 'one', _meta: facts({ elicitation: {} }) } });
    expect((await client.answer(1))['result']).toMatchObject(says('done'));
    const server = peers.find(({ received }) => received.some(({ method }) => method === 'tools/call'));
    expect(await server?.answer('q')).toMatchObject({ error: { code: -32601 } });
  });
});
