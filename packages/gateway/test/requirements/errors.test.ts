import { afterEach, describe, expect, test } from 'vitest';
import { proves } from '../../../crosspoint/test/requirements/proves.ts';
import { closeAll } from '../carriers.ts';
import { linesFace, shaken } from '../raw/faces.ts';
import type { Message } from '../raw/lines.ts';
import { facts, newServer, oldServer, says } from '../raw/words.ts';

afterEach(closeAll);

/** A server that answers everything with the code in the name of the tool, or in the address of the resource. */
const failing = (message: Message, send: (answer: Message) => void): void => {
  const { id, method, params } = message;
  if (id === undefined || method === undefined) return;
  const [code = '0', data] = String(params?.name ?? params?.uri).split('#');
  send({
    id,
    error: { code: Number(code), message: `code ${code}`, ...(data !== undefined && { data: { uri: data } }) },
  });
};
const old = oldServer({
  capabilities: { tools: {}, resources: {} },
  on: (message, peer) => failing(message, (one) => peer.send(one)),
});
const fresh = newServer({
  capabilities: { tools: {}, resources: {} },
  on: (message, peer) => failing(message, (one) => peer.send(one)),
});

describe('errors of a server with a handshake, for a client without a session', () => {
  proves('M-IOP-056').it.each([
    [-32002, -32602],
    [-32000, -32603],
    [-32001, -32603],
    [-32019, -32603],
    [-32020, -32603],
    [-32021, -32603],
    [-32022, -32603],
    [-32099, -32603],
    [-32601, -32601],
    [-32602, -32602],
    [-32603, -32603],
    [4711, 4711],
    [-1, -1],
  ])('%i is told as %i', async (code, told) => {
    const { client } = await linesFace(old);
    client.send({ id: 1, method: 'resources/read', params: { uri: String(code), _meta: facts() } });
    expect(await client.answer(1)).toMatchObject({ error: { code: told } });
  });

  proves('M-IOP-056').test('keep their data', async () => {
    const { client } = await linesFace(old);
    client.send({ id: 1, method: 'resources/read', params: { uri: '-32002#note://1', _meta: facts() } });
    expect(await client.answer(1)).toMatchObject({ error: { code: -32602, data: { uri: 'note://1' } } });
  });
});

describe('errors of a server without sessions, for a client with one', () => {
  proves('M-IOP-057').it.each([
    [-32020, -32603],
    [-32022, -32603],
    [-32601, -32601],
    [-32603, -32603],
    [4711, 4711],
  ])('%i is told as %i', async (code, told) => {
    const { client } = await linesFace(fresh);
    await shaken(client);
    client.send({ id: 1, method: 'tools/call', params: { name: String(code) } });
    expect(await client.answer(1)).toMatchObject({ error: { code: told } });
  });

  proves('M-IOP-057').test('say in the words of the client that there is no such resource', async () => {
    const { client } = await linesFace(fresh);
    await shaken(client);
    client.send({ id: 1, method: 'resources/read', params: { uri: '-32602#-32602#note' } });
    expect((await client.answer(1))['error'].code).toBe(-32002);
  });

  proves('M-IOP-057').test('say that a capability is missing in a code that the client knows', async () => {
    const { client } = await linesFace(fresh);
    await shaken(client);
    client.send({ id: 1, method: 'tools/call', params: { name: '-32021' } });
    expect((await client.answer(1))['error'].code).toBe(-32600);
  });
});

const PAGE = { mode: 'url', message: 'Log in', url: 'https://example.com/login' };
const ABLE = { elicitation: { url: {} } };

describe('pages that users are to open', () => {
  proves('M-IOP-058').test(
    'get an id towards a client with a session, and nothing says that they are finished',
    async () => {
      const { client, peers } = await linesFace(
        newServer({
          on: ({ id, method, params }, peer) => {
            if (method !== 'tools/call') return;
            const asks = { page: { method: 'elicitation/create', params: PAGE } };
            peer.send({
              id,
              result: params.inputResponses
                ? { resultType: 'complete', ...says('in') }
                : { resultType: 'input_required', requestState: 'S', inputRequests: asks },
            });
          },
        }),
      );
      await shaken(client, ABLE);
      client.send({ id: 1, method: 'tools/call', params: { name: 'one' } });
      const asked = await client.said('elicitation/create');
      expect(asked['params']).toEqual({ ...PAGE, elicitationId: expect.stringMatching(/./) });
      client.send({ id: asked['id'], result: { action: 'accept' } });
      expect(await client.answer(1)).toMatchObject({ result: says('in') });
      expect(client.received.map(({ method }) => method)).not.toContain('notifications/elicitation/complete');
      expect(JSON.stringify(peers.map(({ received }) => received))).not.toContain('elicitationId');
    },
  );

  proves('M-IOP-058').test(
    'lose their id towards a client without a session, which hears nothing of their end',
    async () => {
      const { client, peers } = await linesFace(
        oldServer({
          on: ({ id, method }, peer) => {
            if (method === 'tools/call')
              peer.send({ id: 'q', method: 'elicitation/create', params: { ...PAGE, elicitationId: 'e-1' } });
            if (id === 'q')
              peer.send({ method: 'notifications/elicitation/complete', params: { elicitationId: 'e-1' } });
          },
        }),
      );
      const call = (id: number, more: object = {}): Message => ({
        id,
        method: 'tools/call',
        params: { name: 'one', ...more, _meta: facts(ABLE) },
      });
      client.send(call(1));
      const { inputRequests, requestState } = (await client.answer(1))['result'];
      expect(Object.values(inputRequests)).toEqual([{ method: 'elicitation/create', params: PAGE }]);
      client.send(
        call(2, { requestState, inputResponses: { [Object.keys(inputRequests)[0] ?? '']: { action: 'accept' } } }),
      );
      const server = peers.find(({ received }) => received.some(({ method }) => method === 'tools/call'));
      await server?.answer('q');
      await new Promise((resolve) => setTimeout(resolve, 30));
      server?.send({ id: (await server.said('tools/call'))['id'], result: says('in') });
      expect(await client.answer(2)).toMatchObject({ result: says('in') });
      expect(client.received.map(({ method }) => method)).toEqual([undefined, undefined]);
    },
  );

  /** Wants a page first, and says when it is finished. */
  const wanting = () => {
    const state = { isDone: false, calls: 0 };
    const server = oldServer({
      on: ({ id, method }, peer) => {
        if (method !== 'tools/call') return;
        state.calls += 1;
        if (state.isDone) peer.send({ id, result: says('in') });
        else
          peer.send({
            id,
            error: {
              code: -32042,
              message: 'Log in first',
              data: { elicitations: [{ ...PAGE, elicitationId: 'e-1' }] },
            },
          });
      },
    });
    return { server, state };
  };

  proves('M-IOP-056, M-IOP-058').test(
    'that an error names are questions, and the call goes on when they are finished',
    async () => {
      const { server, state } = wanting();
      const { client, peers } = await linesFace(server);
      const call = (id: number, more: object = {}): Message => ({
        id,
        method: 'tools/call',
        params: { name: 'one', ...more, _meta: facts(ABLE) },
      });
      client.send(call(1));
      const { result } = await client.answer(1);
      expect(result).toMatchObject({ resultType: 'input_required' });
      expect(Object.values(result.inputRequests)).toEqual([{ method: 'elicitation/create', params: PAGE }]);
      const [key = ''] = Object.keys(result.inputRequests);
      client.send(call(2, { requestState: result.requestState, inputResponses: { [key]: { action: 'accept' } } }));
      await new Promise((resolve) => setTimeout(resolve, 50));
      expect([state.calls, client.received.length]).toEqual([1, 1]);
      state.isDone = true;
      for (const peer of peers)
        peer.send({ method: 'notifications/elicitation/complete', params: { elicitationId: 'e-1' } });
      expect(await client.answer(2)).toMatchObject({ result: says('in') });
      expect(state.calls).toBe(2);
    },
  );

  test('that an error names reach a client of the same family as they are', async () => {
    const { server } = wanting();
    const { client, peers } = await linesFace(server);
    await shaken(client, ABLE);
    client.send({ id: 1, method: 'tools/call', params: { name: 'one' } });
    expect(await client.answer(1)).toMatchObject({
      error: { code: -32042, data: { elicitations: [{ elicitationId: 'e-1' }] } },
    });
    for (const peer of peers)
      peer.send({ method: 'notifications/elicitation/complete', params: { elicitationId: 'e-1' } });
    expect((await client.said('notifications/elicitation/complete'))['params']).toMatchObject({ elicitationId: 'e-1' });
  });
});
