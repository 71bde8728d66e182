import { afterEach, describe, expect, test } from 'vitest';
import { proves } from '../../../crosspoint/test/requirements/proves.ts';
import { until } from '../../../crosspoint/test/until.ts';
import { atEnd, closeAll } from '../carriers.ts';
import { authenticate } from '../raw/callers.ts';
import { faceOver, linesFace, oldHttp, sender, session, shaken } from '../raw/faces.ts';
import { rawHttp, standing, type Reply } from '../raw/http.ts';
import { rawClient, rawServer, type Message } from '../raw/lines.ts';
import { P, facts, newServer, oldServer, says } from '../raw/words.ts';

afterEach(closeAll);

const newHttp = (on: (message: Message, reply: Reply) => void) =>
  rawHttp(({ body = {} }, reply) =>
    newServer({ on: (message) => on(message, reply) })(body, { send: (one: object) => reply.json(one) } as never),
  );

describe('the end of a call', () => {
  proves('M-IOP-062').test('of a client that goes away is told to a server with a handshake', async () => {
    const { port, sent } = await waiting();
    const { where } = await faceOver('http', port);
    const abort = new AbortController();
    const called = fetch(where as string, {
      method: 'POST',
      signal: abort.signal,
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'tools/call',
        'mcp-name': 'one',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'one', _meta: facts() } }),
    }).catch(() => {});
    await until(() => sent('tools/call').length === 1);
    abort.abort();
    await called;
    await until(() => sent('notifications/cancelled').length === 1);
    expect(sent('notifications/cancelled')[0]?.['params'].requestId).toBe(sent('tools/call')[0]?.['id']);
  });

  proves('M-IOP-062').test('is not the end of a connection of a client with a session', async () => {
    const { port, sent } = await waiting();
    const { where } = await faceOver('http', port);
    const client = await session(where as string);
    const abort = new AbortController();
    const called = fetch(where as string, {
      method: 'POST',
      signal: abort.signal,
      headers: { ...client.headers, 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'one' } }),
    }).catch(() => {});
    await until(() => sent('tools/call').length === 1);
    abort.abort();
    await called;
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(sent('notifications/cancelled')).toEqual([]);
  });

  proves('M-IOP-062').test('that a client with a session asks for closes the stream of a server without', async () => {
    const server = await newHttp((_message, reply) => reply.open());
    const { where } = await faceOver('stdio', server.url);
    const client = await rawClient(where as number);
    await shaken(client);
    client.send({ id: 1, method: 'tools/call', params: { name: 'one' } });
    await until(() => server.said('tools/call').length === 1);
    client.send({ method: 'notifications/cancelled', params: { requestId: 1, reason: 'enough' } });
    await until(
      () => server.came.some(({ body, isGone }) => body?.['method'] === 'tools/call' && isGone),
      'the stream is closed',
    );
    expect(server.said('notifications/cancelled')).toEqual([]);
  });

  test('that a client with a session asks for reaches a server with a handshake by its own id', async () => {
    const { port, sent } = await waiting();
    const { where } = await faceOver('stdio', port);
    const client = await rawClient(where as number);
    await shaken(client);
    client.send({ id: 'mine', method: 'tools/call', params: { name: 'one' } });
    await until(() => sent('tools/call').length === 1);
    client.send({ method: 'notifications/cancelled', params: { requestId: 'mine' } });
    await until(() => sent('notifications/cancelled').length > 0);
    client.send({ method: 'acme/after', params: {} });
    await until(() => sent('acme/after').length === 1);
    const ids = sent('notifications/cancelled').map(({ params }) => params.requestId);
    expect(ids).toEqual([sent('tools/call')[0]?.['id']]);
    expect(ids).not.toEqual(['mine']);
  });
});

/** A server with a handshake whose calls do not end. */
async function waiting() {
  const { port, peers } = await rawServer(oldServer());
  const sent = (method: string): Message[] =>
    peers.flatMap(({ received }) => received.filter((one) => one['method'] === method));
  return { port, sent };
}

describe('ids and tokens', () => {
  /** Reports progress of each call under its token twice, and answers with its name when all are there. */
  const inTurn = (expected: number) => {
    const calls: { message: Message; send: (one: Message) => void }[] = [];
    return (message: Message, peer: { send(one: Message): void }): void => {
      if (message['method'] !== 'tools/call') return;
      calls.push({ message, send: (one) => peer.send(one) });
      if (calls.length < expected) return;
      for (const step of [1, 2])
        for (const {
          message: { params },
          send,
        } of calls)
          send({
            method: 'notifications/progress',
            params: { progressToken: params._meta.progressToken, progress: step, message: params.name },
          });
      for (const {
        message: { id, params },
        send,
      } of calls.toReversed())
        send({ id, result: { ...says(params.name), resultType: 'complete' } });
    };
  };

  proves('M-IOP-063, M-IOP-064').it.each(['old', 'new'])(
    'of two clients that use the same ones do not meet at one %s server',
    async (kind) => {
      const on = inTurn(4);
      const { where, peers, client } = await linesFace(kind === 'old' ? oldServer({ on }) : newServer({ on }), {
        bridge: { stateless: true },
      });
      const clients = [client, await rawClient(where as number)];
      for (const [index, one] of clients.entries())
        for (const id of [1, 2])
          one.send({
            id,
            method: 'tools/call',
            params: { name: `${index}-${id}`, _meta: facts({}, { progressToken: `token-${id}` }) },
          });
      for (const [index, one] of clients.entries())
        for (const id of [1, 2]) {
          expect((await one.answer(id))['result']).toMatchObject(says(`${index}-${id}`));
          const told = one.received.filter(
            ({ method, params }) => method === 'notifications/progress' && params.progressToken === `token-${id}`,
          );
          expect(told.map(({ params }) => [params.progress, params.message])).toEqual([
            [1, `${index}-${id}`],
            [2, `${index}-${id}`],
          ]);
        }
      const sent = peers.flatMap(({ received }) => received.filter(({ id }) => id !== undefined));
      const perPeer = peers.map(({ received }) =>
        received.flatMap(({ id, method }) => (id !== undefined && method !== undefined ? [id] : [])),
      );
      for (const ids of perPeer) expect(new Set(ids).size).toBe(ids.length);
      expect(sent.some(({ params }) => String(params?._meta?.progressToken).startsWith('token-'))).toBe(false);
    },
  );

  proves('M-IOP-063').test('are never used twice in a session, whatever ids its clients use', async () => {
    const { client, peers } = await linesFace(
      oldServer({
        on: ({ id, method }, peer) =>
          id !== undefined && method !== undefined && peer.send({ id, result: says('done') }),
      }),
    );
    const kinds = [0, '0', 1, '1', -7, 'a', 2 ** 40];
    for (let round = 0; round < 20; round += 1)
      for (const id of kinds) {
        client.send({ id, method: 'tools/call', params: { name: 'one', _meta: facts() } });
        await until(() => client.received.length === round * kinds.length + kinds.indexOf(id) + 1);
        expect(client.received.at(-1)).toMatchObject({ id, result: says('done') });
      }
    for (const { received } of peers) {
      const ids = received.flatMap(({ id, method }) => (id !== undefined && method !== undefined ? [id] : []));
      expect(new Set(ids).size).toBe(ids.length);
    }
  });

  proves('M-IOP-064').test('let progress reach the stream of its call alone', async () => {
    const { port } = await rawServer(oldServer({ on: inTurn(2) }));
    const { where } = await faceOver('http', port);
    const client = await session(where as string);
    const stream = await client.stream();
    const call = (id: number) =>
      client.post({ id, method: 'tools/call', params: { name: `call-${id}`, _meta: { progressToken: `t-${id}` } } });
    const answers = await Promise.all([call(1), call(2)]);
    for (const [index, answer] of answers.entries()) {
      await answer.answer(index + 1);
      const told = answer.messages.filter(({ method }) => method === 'notifications/progress');
      expect(told.map(({ params }) => params.progressToken)).toEqual([`t-${index + 1}`, `t-${index + 1}`]);
    }
    expect(stream.messages).toEqual([]);
  });
});

describe('resuming', () => {
  proves('M-IOP-065').test(
    'is offered to clients with a session, and nothing of it reaches a server without',
    async () => {
      let ending = (): void => {};
      const server = await newHttp(({ id, params }, reply) => {
        reply.event({
          method: 'notifications/progress',
          params: { progressToken: params._meta.progressToken, progress: 1 },
        });
        ending = () => {
          reply.event({ id, result: { resultType: 'complete', ...says('late') } });
          reply.end();
        };
      });
      const { where } = await faceOver('http', server.url);
      const client = await session(where as string);
      const called = await client.post({
        id: 1,
        method: 'tools/call',
        params: { name: 'one', _meta: { progressToken: 't' } },
      });
      await called.said('notifications/progress');
      const last = called.ids.at(-1) ?? '';
      expect(last).not.toBe('');
      await called.leave();
      ending();
      const resumed = await standing(where as string, { ...client.headers, 'last-event-id': last });
      expect(await resumed.answer(1)).toMatchObject({ result: says('late') });
      for (const { headers, method } of server.came) {
        expect([headers['last-event-id'], headers['mcp-session-id']]).toEqual([undefined, undefined]);
        expect(method).toBe('POST');
      }
      const plain = await sender(where as string)('tools/call', { name: 'one' }, { progressToken: 'u' });
      await plain.said('notifications/progress');
      ending();
      await plain.ended;
      expect([plain.ids, plain.response.headers.get('mcp-session-id')]).toEqual([[], null]);
    },
  );
});

describe('batches', () => {
  const on = ({ id, method, params }: Message, peer: { send(one: Message): void }): void => {
    if (method === 'tools/call') peer.send({ id, result: { resultType: 'complete', ...says(params.name) } });
  };
  const batch = [1, 2, 3].map((id) => ({ id, method: 'tools/call', params: { name: `call-${id}` } }));

  proves('M-IOP-066').test('are split into single requests, and every one is answered', async () => {
    const server = await newHttp((message, reply) => on(message, { send: (one) => reply.json(one) }));
    const { where } = await faceOver('http', server.url);
    const client = await session(where as string, {}, { version: '2025-03-26' });
    const answer = await client.post(batch);
    await answer.ended;
    const results = answer.messages.map(({ id, result }) => [id, result.content[0].text]);
    expect(results.toSorted()).toEqual([
      [1, 'call-1'],
      [2, 'call-2'],
      [3, 'call-3'],
    ]);
    expect(server.said('tools/call')).toHaveLength(3);
    expect(server.came.every(({ body }) => !Array.isArray(body))).toBe(true);
  });

  proves('M-IOP-066').it.each(['2025-11-25', '2025-06-18'])('are refused in %s', async (version) => {
    const server = await newHttp((message, reply) => on(message, { send: (one) => reply.json(one) }));
    const { where } = await faceOver('http', server.url);
    const client = await session(where as string, {}, { version });
    const answer = await client.post(batch);
    expect(answer.response.status).toBe(400);
    expect(server.said('tools/call')).toEqual([]);
  });
});

describe('the access token of a caller', () => {
  proves('M-IOP-069').it.each(['old', 'new'])('reaches nothing of a %s server', async (kind) => {
    const on = ({ body, method }: { body: Message | undefined; method: string }, reply: Reply): void => {
      if (method === 'GET') return reply.open();
      if (body?.['method'] === 'tools/call')
        reply.json({ id: body['id'], result: { resultType: 'complete', ...says('done') } });
    };
    const server = await rawHttp(
      kind === 'old'
        ? oldHttp(on)
        : (came, reply) =>
            newServer({ on: () => on(came, reply) })(came.body ?? {}, {
              send: (one: object) => reply.json(one),
            } as never),
    );
    const { where } = await faceOver('http', server.url, { handler: { authenticate } });
    const authorization = { authorization: 'Bearer secret-of-ada' };
    await (await sender(where as string, {}, authorization)('tools/call', { name: 'one' })).answer(1);
    const client = await session(where as string, {}, { headers: authorization });
    await (await client.post({ id: 1, method: 'tools/call', params: { name: 'one' } })).answer(1);
    await (await client.stream()).leave();
    expect(server.said('tools/call')).toHaveLength(2);
    expect(JSON.stringify(server.came)).not.toContain('secret-of-ada');
    atEnd(() => expect(JSON.stringify(server.came)).not.toContain('secret-of-ada'));
  });
});

describe('reserved keys', () => {
  test('are made anew on each hop, and all others pass', async () => {
    const { client, peers } = await linesFace(
      oldServer({
        on: ({ id, method }, peer) =>
          method === 'tools/call' &&
          peer.send({ id, result: says('done', { _meta: { 'acme/back': 1, [`${P}serverInfo`]: { name: 'liar' } } }) }),
      }),
    );
    client.send({
      id: 1,
      method: 'tools/call',
      params: { name: 'one', _meta: facts({}, { 'acme/trace': 'x', traceparent: '00-1-1-01' }) },
    });
    const { result } = await client.answer(1);
    const sent = peers.flatMap(({ received }) => received.filter(({ method }) => method === 'tools/call'));
    expect(sent[0]?.['params']._meta).toMatchObject({ 'acme/trace': 'x', traceparent: '00-1-1-01' });
    expect(Object.keys(sent[0]?.['params']._meta).filter((key) => key.startsWith(P))).toEqual([]);
    expect(result._meta['acme/back']).toBe(1);
    expect(result._meta[`${P}serverInfo`]?.name).not.toBe('liar');
  });
});
