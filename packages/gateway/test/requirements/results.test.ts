import { afterEach, describe, expect, test } from 'vitest';
import { proves } from '../../../crosspoint/test/requirements/proves.ts';
import { closeAll } from '../carriers.ts';
import { authenticate } from '../raw/callers.ts';
import { faceOver, linesFace, sender, shaken } from '../raw/faces.ts';
import { rawServer, type Message } from '../raw/lines.ts';
import { facts, newServer, oldServer, says } from '../raw/words.ts';

afterEach(closeAll);

const SCHEMA = { type: 'array', items: { type: 'number' } };
const TOOLS = [
  { name: 'list', inputSchema: { type: 'object' }, outputSchema: SCHEMA },
  { name: 'object', inputSchema: { type: 'object' }, outputSchema: { type: 'object' } },
];
const RESULTS: Record<string, object> = {
  'tools/list': { tools: TOOLS },
  'prompts/list': { prompts: [] },
  'resources/list': { resources: [] },
  'resources/templates/list': { resourceTemplates: [] },
  'resources/read': { contents: [] },
  'prompts/get': { messages: [] },
  'completion/complete': { completion: { values: [] } },
  'tools/call': says('done'),
};
const CACHED = ['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list', 'resources/read'];
const PARAMS: Record<string, object> = {
  'tools/call': { name: 'object' },
  'prompts/get': { name: 'p' },
  'resources/read': { uri: 'note://1' },
  'completion/complete': { ref: { type: 'ref/prompt', name: 'p' }, argument: { name: 'a', value: '' } },
};
const CAPABILITIES = { tools: {}, prompts: {}, resources: {}, completions: {} };
const answering =
  (results: (message: Message) => object) =>
  (message: Message, peer: { send(one: Message): void }): void => {
    if (message['id'] !== undefined && message['method'] !== undefined)
      peer.send({ id: message['id'], result: results(message) });
  };
const old = oldServer({ capabilities: CAPABILITIES, on: answering(({ method }) => RESULTS[method] ?? {}) });
const fresh = newServer({
  capabilities: CAPABILITIES,
  on: answering(({ method, params }) => ({
    resultType: 'complete',
    ...(CACHED.includes(method) && { ttlMs: 60_000, cacheScope: 'public' }),
    ...(params.name === 'list' ? says('[1,2]', { structuredContent: [1, 2] }) : RESULTS[method]),
    ...(params.name === 'object' && { structuredContent: { a: 1 } }),
  })),
});
const request = (id: number, method: string, more: object = {}): Message => ({
  id,
  method,
  params: { ...PARAMS[method], ...more },
});

describe.each(Object.keys(RESULTS))('the result of %s', (method) => {
  proves('M-IOP-059, M-IOP-060').test(
    'has its type and its place in caches towards a client without a session',
    async () => {
      const { client } = await linesFace(old);
      client.send(request(1, method, { _meta: facts() }));
      const { result } = await client.answer(1);
      expect(result).toMatchObject({ ...RESULTS[method], resultType: 'complete' });
      expect([result.ttlMs, result.cacheScope]).toEqual(
        CACHED.includes(method) ? [0, 'private'] : [undefined, undefined],
      );
    },
  );

  proves('M-IOP-059, M-IOP-060').test('has neither towards a client with one', async () => {
    const { client } = await linesFace(fresh);
    await shaken(client);
    client.send(request(1, method));
    const { result } = await client.answer(1);
    for (const word of ['resultType', 'ttlMs', 'cacheScope']) expect(result).not.toHaveProperty(word);
  });

  test('keeps its place in caches between two sides without sessions', async () => {
    const { client } = await linesFace(fresh);
    client.send(request(1, method, { _meta: facts() }));
    const { result } = await client.answer(1);
    if (CACHED.includes(method)) expect(result).toMatchObject({ ttlMs: 60_000, cacheScope: 'public' });
  });
});

describe('results that only one family has', () => {
  const unusual = (resultType: string) =>
    newServer({
      capabilities: { tools: {}, extensions: { 'io.modelcontextprotocol/tasks': {} } },
      on: answering(() => ({
        resultType,
        requestState: 'S',
        taskId: 't',
        status: 'working',
        createdAt: '',
        lastUpdatedAt: '',
        ttlMs: 1,
      })),
    });

  proves('M-IOP-059').it.each(['input_required', 'acme/later', 'task'])(
    'do not reach a client with a session: %s',
    async (type) => {
      const { client } = await linesFace(unusual(type), { bridge: { maxRounds: 1 } });
      await shaken(client);
      client.send(request(1, 'prompts/get'));
      const answer = await client.answer(1);
      expect(answer['result']).toBeUndefined();
      expect(answer).toMatchObject({ error: { code: -32603 } });
    },
  );
});

describe('caching', () => {
  proves('M-IOP-061').test('is left to the two ends: every user is answered by the server', async () => {
    const { port, peers } = await rawServer(fresh);
    const { where } = await faceOver('http', port, { handler: { authenticate } });
    for (const token of ['ada', 'bob', 'ada'])
      await (await sender(where as string, {}, { authorization: `Bearer ${token}` })('tools/list')).answer(1);
    expect(peers.flatMap(({ received }) => received.filter(({ method }) => method === 'tools/list'))).toHaveLength(3);
  });
});

describe('lists of a server with a handshake', () => {
  proves('M-IOP-067').test('that change with its calls are private, and never fresh', async () => {
    const tools = [{ name: 'first', inputSchema: { type: 'object' } }];
    const { client } = await linesFace(
      oldServer({
        on: answering(({ method }) => {
          if (method === 'tools/call') tools.push({ name: 'second', inputSchema: { type: 'object' } });
          return method === 'tools/list' ? { tools: [...tools] } : says('done');
        }),
      }),
    );
    const listed: unknown[] = [];
    for (const id of [1, 3]) {
      client.send(request(id, 'tools/list', { _meta: facts() }));
      const { result } = await client.answer(id);
      expect([result.ttlMs, result.cacheScope]).toEqual([0, 'private']);
      listed.push(result.tools.length);
      client.send(request(id + 1, 'tools/call', { _meta: facts() }));
      await client.answer(id + 1);
    }
    expect(listed).toEqual([1, 2]);
  });
});

describe('structured output of a server without sessions', () => {
  const structured = async (version: string): Promise<{ tools: Message[]; list: Message; object: Message }> => {
    const { client } = await linesFace(fresh);
    await shaken(client, {}, version);
    client.send(
      request(1, 'tools/list'),
      request(2, 'tools/call', { name: 'list' }),
      request(3, 'tools/call', { name: 'object' }),
    );
    const { tools } = (await client.answer(1))['result'];
    return { tools, list: (await client.answer(2))['result'], object: (await client.answer(3))['result'] };
  };

  proves('M-IOP-068').it.each(['2025-11-25', '2025-06-18'])(
    'is withheld from %s where it is no object, and its text stays',
    async (version) => {
      const { tools, list, object } = await structured(version);
      expect(tools.map(({ outputSchema }) => outputSchema)).toEqual([undefined, { type: 'object' }]);
      expect(list).toEqual(says('[1,2]'));
      expect(object['structuredContent']).toEqual({ a: 1 });
    },
  );

  proves('M-IOP-068').it.each(['2025-03-26', '2024-11-05'])('does not reach %s at all', async (version) => {
    const { tools, list, object } = await structured(version);
    expect(tools.map(({ outputSchema }) => outputSchema)).toEqual([undefined, undefined]);
    expect([list['structuredContent'], object['structuredContent']]).toEqual([undefined, undefined]);
    expect(list).toEqual(says('[1,2]'));
  });
});
