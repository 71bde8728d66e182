import { afterEach, describe, expect, test } from 'vitest';
import { proves } from '../../../crosspoint/test/requirements/proves.ts';
import { until } from '../../../crosspoint/test/until.ts';
import { closeAll } from '../carriers.ts';
import { authenticate } from '../raw/callers.ts';
import { faceOver, linesFace, oldHttp, sender, session, shaken } from '../raw/faces.ts';
import { rawHttp, type Reply } from '../raw/http.ts';
import type { Message, RawLines } from '../raw/lines.ts';
import { facts, newServer, oldServer, says } from '../raw/words.ts';

afterEach(closeAll);

const FORM = { message: 'Name?', requestedSchema: { type: 'object', properties: { name: { type: 'string' } } } };
const ACCEPT = { action: 'accept', content: { name: 'Ada' } };
const REFUSED = { error: { code: -32601 } };

/** Asks once in each call, and answers it with the answer as text. */
function asking(method = 'elicitation/create', params: object = FORM) {
  const calls = new Map<string, Message>();
  return oldServer({
    capabilities: { tools: {}, prompts: {}, resources: {} },
    on: (message, peer) => {
      const { id, method: said } = message;
      if (said === 'notifications/cancelled' || said === 'notifications/initialized') return;
      if (said !== undefined) {
        calls.set(`ask-${id}`, message);
        return peer.send({ id: `ask-${id}`, method, params });
      }
      const call = calls.get(String(id));
      const told = JSON.stringify(message['result'] ?? message['error']);
      const results: Record<string, object> = {
        'tools/call': says(told),
        'prompts/get': { messages: [], description: told },
        'resources/read': { contents: [{ uri: 'note://1', text: told }] },
        'resources/list': { resources: [{ uri: 'note://1', name: told }] },
      };
      peer.send({ id: call?.['id'], result: results[call?.['method']] });
    },
  });
}

const call = (id: number, more: object = {}, capabilities: object = { elicitation: {} }): Message => ({
  id,
  method: 'tools/call',
  params: { name: 'ask', ...more, _meta: facts(capabilities) },
});

describe('a question of a server with a handshake to a client without a session', () => {
  proves('M-IOP-043').test(
    'ends its call with the question, and the answer to the retry is the answer to it',
    async () => {
      const { client, peers } = await linesFace(asking());
      client.send(call(1));
      const { result } = await client.answer(1);
      expect(result.resultType).toBe('input_required');
      const [[key, embedded]] = Object.entries(result.inputRequests) as [[string, Message]];
      expect(embedded).toEqual({ method: 'elicitation/create', params: FORM });
      expect(result.requestState).not.toContain('park');
      expect(peers[0]?.received.filter((one) => 'result' in one)).toEqual([]);
      client.send(call(2, { inputResponses: { [key]: ACCEPT }, requestState: result.requestState }));
      expect((await client.answer(2))['result']).toMatchObject({
        ...says(JSON.stringify(ACCEPT)),
        resultType: 'complete',
      });
      expect(peers[0]?.received.filter((one) => 'result' in one)).toEqual([
        { jsonrpc: '2.0', id: expect.stringMatching(/^ask-/), result: ACCEPT },
      ]);
      expect(peers[0]?.received.filter(({ method }) => method === 'tools/call')).toHaveLength(1);
      expect(client.received.every((one) => one['method'] !== 'elicitation/create')).toBe(true);
    },
  );

  proves('M-IOP-043').test('is withdrawn at the server when the client does not come back', async () => {
    const { client, peers } = await linesFace(asking(), { bridge: { parking: { forMs: 60 } } });
    client.send(call(1));
    const { result } = await client.answer(1);
    const sent = peers[0]?.received.find(({ method }) => method === 'tools/call');
    expect((await peers[0]?.said('notifications/cancelled'))?.['params']).toMatchObject({ requestId: sent?.['id'] });
    client.send(call(2, { inputResponses: {}, requestState: result.requestState }));
    expect(await client.answer(2)).toMatchObject({ error: { code: -32602 } });
  });

  proves('M-IOP-044').test('belongs to its user, method and arguments, and is answered once', async () => {
    const server = await rawHttp(
      oldHttp(({ method, body }, reply) => {
        if (method === 'GET') return reply.open();
        if (body?.['method'] === 'tools/call') {
          reply.event({ id: 'ask', method: 'elicitation/create', params: FORM });
          ending = { reply, id: body['id'] };
        } else if (body?.['id'] === 'ask') {
          ending?.reply.event({ id: ending.id, result: says('thanks') });
          ending?.reply.end();
        }
      }),
    );
    let ending: { reply: Reply; id: string | number } | undefined;
    const { where } = await faceOver('http', server.url, { handler: { authenticate } });
    const by = (token: string) => sender(where as string, { elicitation: {} }, { authorization: `Bearer ${token}` });
    const { result } = await (await by('ada')('tools/call', { name: 'ask' })).answer(1);
    const [key] = Object.keys(result.inputRequests) as [string];
    const retry = { inputResponses: { [key]: ACCEPT }, requestState: result.requestState as string };
    const answers = (): number => server.came.filter(({ body }) => body?.['id'] === 'ask').length;
    expect(await (await by('bob')('tools/call', { name: 'ask', ...retry })).answer(1)).toMatchObject({
      error: { code: -32602 },
    });
    expect(await (await by('ada')('tools/call', { name: 'other', ...retry })).answer(1)).toMatchObject({
      error: { code: -32602 },
    });
    expect(
      await (await by('ada')('tools/call', { name: 'ask', arguments: { a: 1 }, ...retry })).answer(1),
    ).toMatchObject({ error: { code: -32602 } });
    expect(await (await by('ada')('prompts/get', { name: 'ask', ...retry })).answer(1)).toMatchObject({
      error: { code: -32602 },
    });
    const broken = { ...retry, requestState: `${retry.requestState.slice(0, -2)}xx` };
    expect(await (await by('ada')('tools/call', { name: 'ask', ...broken })).answer(1)).toMatchObject({
      error: { code: -32602 },
    });
    expect(answers()).toBe(0);
    expect(await (await by('ada')('tools/call', { name: 'ask', ...retry })).answer(1)).toMatchObject({
      result: says('thanks'),
    });
    await (await by('ada')('tools/call', { name: 'ask', ...retry })).answer(1);
    expect(answers()).toBe(1);
  });

  proves('M-IOP-045').it.each([
    ['elicitation/create', FORM, { sampling: {} }],
    [
      'elicitation/create',
      { mode: 'url', message: 'Go', url: 'https://example.com', elicitationId: 'e' },
      { elicitation: { form: {} } },
    ],
    ['sampling/createMessage', { messages: [], maxTokens: 1 }, { elicitation: {} }],
    ['roots/list', {}, { elicitation: {} }],
  ])('is refused where the client did not declare it: %s', async (method, params, capabilities) => {
    const { client } = await linesFace(asking(method, params));
    client.send(call(1, {}, capabilities));
    const { result } = await client.answer(1);
    expect(result).toMatchObject({ resultType: 'complete' });
    expect(JSON.parse(result.content[0].text)).toMatchObject({ code: expect.any(Number), message: expect.any(String) });
  });

  proves('M-IOP-046').test('is refused outside of the three methods that may ask', async () => {
    const { client } = await linesFace(asking());
    client.send({ id: 1, method: 'resources/list', params: { _meta: facts({ elicitation: {} }) } });
    const { result } = await client.answer(1);
    expect(JSON.parse(result.resources[0].name)).toMatchObject({ code: -32601 });
    for (const [id, method, params] of [
      [2, 'prompts/get', { name: 'p' }],
      [3, 'resources/read', { uri: 'note://1' }],
    ] as const) {
      client.send({ id, method, params: { ...params, _meta: facts({ elicitation: {} }) } });
      expect((await client.answer(id))['result'].resultType).toBe('input_required');
    }
  });

  proves('M-IOP-046').test('is refused where no call is open, and waits where it may belong to several', async () => {
    const server = await rawHttp(
      oldHttp(({ method, body }, reply) => {
        if (method === 'GET') {
          reply.open();
          getStream = reply;
        } else if (body?.['method'] === 'tools/call') open.push({ reply, id: body['id'] });
        else if (body?.['method'] === 'tools/list') reply.json({ id: body['id'], result: { tools: [] } });
      }),
    );
    let getStream: Reply | undefined;
    const open: { reply: Reply; id: string | number }[] = [];
    const refusals = (): unknown[] =>
      server.came.flatMap(({ body }) => (body?.['error'] ? [[body['id'], body['error'].code]] : []));
    const { where } = await faceOver('http', server.url);
    const send = sender(where as string, { elicitation: {} });
    await (await send('tools/list')).answer(1);
    await until(() => getStream !== undefined);
    getStream?.event({ id: 'a', method: 'elicitation/create', params: FORM });
    await until(() => refusals().length === 1);
    const first = send('tools/call', { name: 'one' });
    const second = send('tools/call', { name: 'two' });
    await until(() => open.length === 2);
    getStream?.event({ id: 'b', method: 'elicitation/create', params: FORM });
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(refusals()).toEqual([['a', -32601]]);
    // As soon as one call is left, the question is its own.
    open[0]?.reply.json({ id: open[0].id, result: says('done') });
    const ends = [(await first).answer(2), (await second).answer(3)];
    expect((await Promise.all(ends)).map(({ result }) => result.resultType).toSorted()).toEqual([
      'complete',
      'input_required',
    ]);
    expect(refusals()).toEqual([['a', -32601]]);
  });

  proves('M-IOP-046').test('on the standing stream is asked where only one call can have asked it', async () => {
    let getStream: Reply | undefined;
    const server = await rawHttp(
      oldHttp(({ method, body }, reply) => {
        if (method === 'GET') {
          reply.open();
          getStream = reply;
        } else if (body?.['method'] === 'tools/call')
          void until(() => getStream !== undefined).then(() =>
            getStream?.event({ id: 'a', method: 'elicitation/create', params: FORM }),
          );
      }),
    );
    const { where } = await faceOver('http', server.url);
    const answer = await sender(where as string, { elicitation: {} })('tools/call', { name: 'one' });
    expect((await answer.answer(1))['result']).toMatchObject({ resultType: 'input_required' });
  });
});

/** A server without sessions that asks in rounds, by hand: each call of `on` gives one answer. */
function rounds(answers: readonly ((params: Message) => object)[]) {
  let round = 0;
  return newServer({
    capabilities: { tools: {}, prompts: {} },
    on: ({ id, method, params }, peer) => {
      if (id === undefined || (method !== 'tools/call' && method !== 'prompts/get')) return;
      const answer = answers[Math.min(round, answers.length - 1)] as (params: Message) => object;
      round += 1;
      peer.send({ id, result: answer(params) });
    },
  });
}

const round = (state: string | undefined, asks: object = {}) => ({
  resultType: 'input_required',
  ...(state !== undefined && { requestState: state }),
  ...(Object.keys(asks).length > 0 && { inputRequests: asks }),
});
const ASKS = { a: { method: 'elicitation/create', params: FORM }, b: { method: 'roots/list' } };
const final = (params: Message) => ({ resultType: 'complete', ...says(JSON.stringify(params['inputResponses'])) });
const callOf = (peers: RawLines[]): Message[] =>
  peers.flatMap(({ received }) => received.filter(({ method }) => method === 'tools/call'));

describe('questions of a server without sessions to a client with one', () => {
  proves('M-IOP-047').test(
    'are requests while its call runs, and the call is made again with the answers',
    async () => {
      const { client, peers } = await linesFace(rounds([() => round('S1', ASKS), () => round('S2'), final]));
      await shaken(client, { elicitation: {}, roots: {} });
      client.send({ id: 7, method: 'tools/call', params: { name: 'ask', arguments: { x: 1 } } });
      const form = await client.said('elicitation/create');
      const roots = await client.said('roots/list');
      expect(form['params']).toEqual(FORM);
      client.send({ id: form['id'], result: ACCEPT }, { id: roots['id'], result: { roots: [] } });
      expect((await client.answer(7))['result']).toEqual({ content: expect.any(Array) });
      const calls = callOf(peers);
      expect(calls.map(({ params }) => [params.requestState, params.inputResponses ?? {}, params.arguments])).toEqual([
        [undefined, {}, { x: 1 }],
        ['S1', { a: ACCEPT, b: { roots: [] } }, { x: 1 }],
        ['S2', {}, { x: 1 }],
      ]);
      expect(new Set(calls.map(({ id }) => id)).size).toBe(3);
    },
  );

  proves('M-IOP-047').test('come on the stream of the call over HTTP, and not on the standing one', async () => {
    const { peers: _peers, ...server } = await linesFace(rounds([() => round('S', ASKS), final]));
    const { where } = await faceOver('http', server.where as number);
    const client = await session(where as string, { elicitation: {}, roots: {} });
    const stream = await client.stream();
    const called = await client.post({ id: 1, method: 'tools/call', params: { name: 'ask' } });
    const [form, roots] = [await called.said('elicitation/create'), await called.said('roots/list')];
    await client.post({ id: form['id'], result: ACCEPT });
    await client.post({ id: roots['id'], result: { roots: [] } });
    expect((await called.answer(1))['result']).toMatchObject(says(JSON.stringify({ a: ACCEPT, b: { roots: [] } })));
    expect(stream.messages).toEqual([]);
  });

  proves('M-IOP-047').test('end after so many rounds', async () => {
    const { client, peers } = await linesFace(rounds([() => round('S', { a: ASKS.a })]), { bridge: { maxRounds: 3 } });
    await shaken(client, { elicitation: {} });
    client.send({ id: 7, method: 'tools/call', params: { name: 'ask' } });
    for (let asked = 1; asked <= 3; asked += 1)
      client.send({ id: (await client.said('elicitation/create', asked))['id'], result: ACCEPT });
    expect(await client.answer(7)).toMatchObject({
      error: { code: -32603, message: expect.stringContaining('3 rounds') },
    });
    expect(callOf(peers)).toHaveLength(4);
  });

  proves('M-IOP-048').it.each([{ action: 'decline' }, { action: 'cancel' }])(
    'carry %o as an answer',
    async (answer) => {
      const { client } = await linesFace(rounds([() => round('S', { a: ASKS.a }), final]));
      await shaken(client, { elicitation: {} });
      client.send({ id: 7, method: 'tools/call', params: { name: 'ask' } });
      client.send({ id: (await client.said('elicitation/create'))['id'], result: answer });
      expect((await client.answer(7))['result']).toMatchObject(says(JSON.stringify({ a: answer })));
    },
  );

  proves('M-IOP-048').test(
    'end the call of a tool with a tool error where the client answers with an error',
    async () => {
      const { client, peers } = await linesFace(rounds([() => round('S', { a: ASKS.a }), final]));
      await shaken(client, { elicitation: {} });
      client.send({ id: 7, method: 'tools/call', params: { name: 'ask' } });
      client.send({ id: (await client.said('elicitation/create'))['id'], error: { code: -1, message: 'cannot ask' } });
      const { result } = await client.answer(7);
      expect(result).toMatchObject({ isError: true });
      expect(result.content[0].text).toContain('cannot ask');
      expect(callOf(peers)).toHaveLength(1);
    },
  );

  proves('M-IOP-048').test('end other requests with the error itself', async () => {
    const { client } = await linesFace(rounds([() => round('S', { a: ASKS.a }), final]));
    await shaken(client, { elicitation: {} });
    client.send({ id: 7, method: 'prompts/get', params: { name: 'ask' } });
    client.send({
      id: (await client.said('elicitation/create'))['id'],
      error: { code: -32601, message: 'cannot ask' },
    });
    expect(await client.answer(7)).toMatchObject(REFUSED);
  });

  test('pass with their state unseen between two sides without sessions', async () => {
    const { client, peers } = await linesFace(rounds([() => round('S1', { a: ASKS.a }), final]));
    client.send(call(1));
    const { result } = await client.answer(1);
    expect(result).toMatchObject({ resultType: 'input_required', inputRequests: { a: ASKS.a } });
    expect(result.requestState).not.toBe('S1');
    client.send(call(2, { inputResponses: { a: ACCEPT }, requestState: result.requestState }));
    expect((await client.answer(2))['result']).toMatchObject(says(JSON.stringify({ a: ACCEPT })));
    expect(callOf(peers).map(({ params }) => params.requestState)).toEqual([undefined, 'S1']);
  });
});
