/** Drivers for everything that cannot be carried: each has the two sides meet, and returns the codes of the errors that each of them got. */
import { expect } from 'vitest';
import { until } from '../../../crosspoint/test/until.ts';
import { linesFace, shaken } from '../raw/faces.ts';
import type { Message, RawLines } from '../raw/lines.ts';
import { facts, newServer, oldServer, says } from '../raw/words.ts';

export interface Seen {
  readonly client?: readonly number[];
  readonly server?: readonly number[];
}
export type Driver = () => Promise<Seen>;

export const FORM = { message: 'Name?', requestedSchema: { type: 'object', properties: {} } };
export const ACCEPT = { action: 'accept', content: {} };
const PAGE = { mode: 'url', message: 'Go', url: 'https://example.com/', elicitationId: 'e' };

export const call = (
  id: number,
  name = 'one',
  more: object = {},
  capabilities: object = { elicitation: {} },
): Message => ({
  id,
  method: 'tools/call',
  params: { name, ...more, _meta: facts(capabilities) },
});

/** The end of the call that a server has, by the name of its tool. */
export async function end(peer: RawLines, name = 'one'): Promise<void> {
  const { id } = await peer.got(({ method, params }) => method === 'tools/call' && params.name === name);
  peer.send({ id, result: says('done') });
}

/** An old server that asks this once in every call, and ends the call when it is answered. */
export const asking = (method: string, params: object) =>
  oldServer({
    on: (message, peer) => {
      if (message['method'] === 'tools/call') peer.send({ id: 'q', method, params });
      if (message['id'] === 'q') void end(peer, 'one');
    },
  });

export const serving = (peers: RawLines[], method = 'tools/call'): RawLines =>
  peers.find(({ received }) => received.some((one) => one['method'] === method)) as RawLines;

/** The code of the error that the server got for its request `q`, while the client of the call got its result. */
async function refusal(method: string, params: object, capabilities: object): Promise<number> {
  const { client, peers } = await linesFace(asking(method, params));
  client.send(call(1, 'one', {}, capabilities));
  expect((await client.answer(1))['result']).toMatchObject(says('done'));
  return (await serving(peers).answer('q'))['error'].code;
}

/** A call of a new client that is asked, and waits. */
export async function parked(options: Parameters<typeof linesFace>[1] = {}) {
  const opened = await linesFace(asking('elicitation/create', FORM), options);
  opened.client.send(call(1));
  const { inputRequests, requestState } = (await opened.client.answer(1))['result'];
  const inputResponses = Object.fromEntries(Object.keys(inputRequests).map((key) => [key, ACCEPT]));
  return { ...opened, retry: { requestState, inputResponses } };
}

/** The code of what an old client gets from a new server, whose every question it answers with an error. */
async function answeredWithError(method: string): Promise<Message> {
  const { client, peers } = await linesFace(
    newServer({
      capabilities: { tools: {}, prompts: {} },
      on: ({ id }, peer) =>
        peer.send({
          id,
          result: {
            resultType: 'input_required',
            requestState: 'S',
            inputRequests: { a: { method: 'elicitation/create', params: FORM } },
          },
        }),
    }),
  );
  await shaken(client, { elicitation: {} });
  client.send({ id: 1, method, params: { name: 'one' } });
  client.send({ id: (await client.said('elicitation/create'))['id'], error: { code: -32601, message: 'no' } });
  const answer = await client.answer(1);
  expect(peers.flatMap(({ received }) => received.filter((one) => one['method'] === method))).toHaveLength(1);
  return answer;
}

export const DRIVERS: Readonly<Record<string, Driver>> = {
  'A question of an old server outside `tools/call`, `prompts/get` and `resources/read`, for a new client':
    async () => {
      const { client, peers } = await linesFace(
        oldServer({
          on: ({ id, method }, peer) => {
            if (method === 'tools/list') peer.send({ id: 'q', method: 'elicitation/create', params: FORM });
            if (id === 'q')
              void peer.said('tools/list').then((list) => peer.send({ id: list['id'], result: { tools: [] } }));
          },
        }),
      );
      client.send({ id: 1, method: 'tools/list', params: { _meta: facts({ elicitation: {} }) } });
      expect((await client.answer(1))['result'].tools).toEqual([]);
      return { server: [(await serving(peers, 'tools/list').answer('q'))['error'].code] };
    },

  'A question of an old server that may belong to several calls, for a new client': async () => {
    const { client, peers } = await linesFace(oldServer(), { bridge: { concurrency: 'wait' } });
    client.send(call(1));
    await until(() => serving(peers) !== undefined);
    serving(peers).send({ id: 'q1', method: 'elicitation/create', params: FORM });
    await client.answer(1);
    client.send(call(2, 'two'));
    const server = serving(peers);
    await server.said('tools/call', 2);
    server.send({ id: 'q2', method: 'elicitation/create', params: FORM });
    const { error } = await server.answer('q2');
    await end(server, 'two');
    expect((await client.answer(2))['result']).toMatchObject(says('done'));
    return { server: [error.code] };
  },

  'A request of an old server that is no question, for a new client': async () => ({
    server: [await refusal('acme/ask', {}, { elicitation: {} })],
  }),

  'A question that the client did not declare': async () => ({
    server: [
      await refusal('sampling/createMessage', { messages: [], maxTokens: 1 }, { elicitation: {} }),
      await refusal('elicitation/create', PAGE, { elicitation: { form: {} } }),
    ],
  }),

  'An error as the answer of an old client to a new server': async () => {
    expect((await answeredWithError('tools/call'))['result']).toMatchObject({ isError: true });
    return { client: [(await answeredWithError('prompts/get'))['error'].code] };
  },

  'More rounds of questions than `maxRounds`, for an old client': async () => {
    const { client } = await linesFace(
      newServer({
        on: ({ id }, peer) => peer.send({ id, result: { resultType: 'input_required', requestState: 'S' } }),
      }),
      { bridge: { maxRounds: 1 } },
    );
    await shaken(client);
    client.send({ id: 1, method: 'tools/call', params: { name: 'one' } });
    return { client: [(await client.answer(1))['error'].code] };
  },

  'Cancelling a call that waits for answers': async () => {
    const { client, peers, retry } = await parked({ bridge: { parking: { forMs: 300 } } });
    client.send({ method: 'notifications/cancelled', params: { requestId: 1 } });
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(serving(peers).received.map(({ method }) => method)).not.toContain('notifications/cancelled');
    await serving(peers).said('notifications/cancelled');
    client.send(call(2, 'one', retry));
    return { client: [(await client.answer(2))['error'].code] };
  },

  'Progress of a call that waits for answers': async () => {
    const { client, peers } = await linesFace(asking('elicitation/create', FORM));
    const meta = (token: string) => ({ _meta: facts({ elicitation: {} }, { progressToken: token }) });
    client.send({ id: 1, method: 'tools/call', params: { name: 'one', ...meta('a') } });
    const { inputRequests, requestState } = (await client.answer(1))['result'];
    const server = serving(peers);
    const { progressToken } = (await server.said('tools/call'))['params']._meta;
    for (const progress of [1, 2, 3])
      server.send({ method: 'notifications/progress', params: { progressToken, progress } });
    // Answered after everything before it was heard.
    server.send({ id: 'fence', method: 'ping' });
    await server.answer('fence');
    const inputResponses = Object.fromEntries(Object.keys(inputRequests).map((key) => [key, ACCEPT]));
    client.send({ id: 2, method: 'tools/call', params: { name: 'one', requestState, inputResponses, ...meta('b') } });
    await client.answer(2);
    const told = client.received.flatMap(({ method, params }) =>
      method === 'notifications/progress' ? [[params.progressToken, params.progress]] : [],
    );
    expect(told).toEqual([['b', 3]]);
    return {};
  },

  'More calls that wait for answers than `parking` allows': async () => {
    const { client, peers } = await parked({ bridge: { parking: { perCaller: 1 } } });
    client.send(call(2));
    const { error } = await client.answer(2);
    await until(() =>
      peers.some(({ received }) => received.some(({ method }) => method === 'notifications/cancelled')),
    );
    return { client: [error.code] };
  },

  'A `resultType` of an extension that the bridge does not know': async () => {
    const { client } = await linesFace(
      newServer({ on: ({ id }, peer) => peer.send({ id, result: { resultType: 'acme/later' } }) }),
    );
    client.send(call(1));
    return { client: [(await client.answer(1))['error'].code] };
  },

  'Structured output that is no object, for an old client': async () => {
    const list = { resultType: 'complete', ...says('[1]'), structuredContent: [1] };
    const { client } = await linesFace(newServer({ on: ({ id }, peer) => peer.send({ id, result: list }) }));
    await shaken(client);
    client.send({ id: 1, method: 'tools/call', params: { name: 'one' } });
    expect((await client.answer(1))['result']).toEqual(says('[1]'));
    return {};
  },
};
