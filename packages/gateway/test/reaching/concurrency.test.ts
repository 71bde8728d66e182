import { afterEach, describe, expect, it } from 'vitest';
import { until } from '../../../crosspoint/test/until.ts';
import { bridge, type BridgeOptions } from '../../src/index.ts';
import { atEnd, closeAll, connected, serveHttp } from '../carriers.ts';
import { faceOver, linesFace, oldHttp, session, shaken } from '../raw/faces.ts';
import { rawHttp, type Reply } from '../raw/http.ts';
import { rawClient, rawServer, type Message, type RawLines } from '../raw/lines.ts';
import { facts, oldServer, says } from '../raw/words.ts';

afterEach(closeAll);

const FORM = { message: 'Name?', requestedSchema: { type: 'object', properties: {} } };
const call = (id: number, name: string, capabilities: object = { elicitation: {} }): Message => ({
  id,
  method: 'tools/call',
  params: { name, _meta: facts(capabilities) },
});
const names = (peers: RawLines[]): string[][] =>
  peers.map(({ received }) =>
    received.flatMap(({ method, params }) => (method === 'tools/call' ? [params.name as string] : [])),
  );
const peerOf = (peers: RawLines[], name: string): RawLines =>
  peers[names(peers).findIndex((all) => all.includes(name))] as RawLines;
const idOf = ({ received }: RawLines, name: string): number =>
  received.find(({ method, params }) => method === 'tools/call' && params.name === name)?.['id'] as number;
const end = (peers: RawLines[], name: string): void => {
  const peer = peerOf(peers, name);
  peer.send({ id: idOf(peer, name), result: says(name) });
};
const asks = (peers: RawLines[], name: string): void =>
  peerOf(peers, name).send({ id: `q-${name}`, method: 'elicitation/create', params: FORM });
const called = (peers: RawLines[]): string[] => names(peers).flat();

describe('calls that may be asked, where a question names no call', () => {
  it('get a connection each', async () => {
    const { client, peers } = await linesFace(oldServer());
    client.send(call(1, 'one'), call(2, 'two'));
    await until(() => called(peers).length === 2);
    expect(
      names(peers)
        .filter((all) => all.length > 0)
        .toSorted(),
    ).toEqual([['one'], ['two']]);
    asks(peers, 'two');
    expect((await client.answer(2))['result'].resultType).toBe('input_required');
    end(peers, 'one');
    expect((await client.answer(1))['result']).toMatchObject(says('one'));
  });

  it('share one where they cannot be asked', async () => {
    const { client, peers } = await linesFace(oldServer());
    client.send(call(1, 'one', {}), call(2, 'two', {}));
    await until(() => called(peers).length === 2);
    expect(names(peers).filter((all) => all.length > 0)).toHaveLength(1);
  });

  it('wait for each other with "wait"', async () => {
    const { client, peers } = await linesFace(oldServer(), { bridge: { concurrency: 'wait' } });
    client.send(call(1, 'one'), call(2, 'two'));
    await until(() => called(peers).length === 1);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(called(peers)).toHaveLength(1);
    const [first = ''] = called(peers);
    end(peers, first);
    await until(() => called(peers).length === 2);
    expect(names(peers).filter((all) => all.length > 0)).toHaveLength(1);
  });

  it('wait for each other once there are as many connections as one caller may have', async () => {
    const { client, peers } = await linesFace(oldServer(), { bridge: { sessions: { perCaller: 2 } } });
    client.send(call(1, 'one'), call(2, 'two'), call(3, 'three'));
    await until(() => called(peers).length === 2);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(called(peers)).toHaveLength(2);
    end(peers, called(peers)[0] as string);
    await until(() => called(peers).length === 3);
  });

  it('do not wait for a call that waits for a person, and a question that may be of either is refused', async () => {
    const { client, peers } = await linesFace(oldServer(), { bridge: { concurrency: 'wait' } });
    client.send(call(1, 'one'));
    await until(() => called(peers).length === 1);
    asks(peers, 'one');
    expect((await client.answer(1))['result'].resultType).toBe('input_required');
    client.send(call(2, 'two'));
    await until(() => called(peers).length === 2);
    const server = peerOf(peers, 'two');
    server.send({ id: 'whose', method: 'elicitation/create', params: FORM });
    expect(await server.answer('whose')).toMatchObject({ error: { code: -32601 } });
    end(peers, 'two');
    expect((await client.answer(2))['result']).toMatchObject(says('two'));
  });

  it('get a connection each where clients with sessions share those of the server', async () => {
    const { port, peers } = await rawServer(oldServer());
    const { where } = await faceOver('stdio', port, { bridge: { stateless: true } });
    const [ann, bob] = [await rawClient(where as number), await rawClient(where as number)];
    for (const [client, name] of [
      [ann, 'of ann'],
      [bob, 'of bob'],
    ] as const) {
      await shaken(client, { elicitation: {} });
      client.send({ id: 1, method: 'tools/call', params: { name } });
    }
    await until(() => called(peers).length === 2);
    asks(peers, 'of bob');
    const { id } = await bob.said('elicitation/create');
    bob.send({ id, result: { action: 'decline' } });
    expect((await peerOf(peers, 'of bob').answer('q-of bob'))['result']).toEqual({ action: 'decline' });
    expect(ann.received.map(({ method }) => method)).not.toContain('elicitation/create');
    for (const name of called(peers)) end(peers, name);
    expect((await ann.answer(1))['result']).toMatchObject(says('of ann'));
    expect((await bob.answer(1))['result']).toMatchObject(says('of bob'));
  });

  it('leave the queue when their client goes', async () => {
    const { client, peers } = await linesFace(oldServer(), { bridge: { concurrency: 'wait' } });
    client.send(call(1, 'one'));
    await until(() => called(peers).length === 1);
    client.send(call(2, 'two'), { method: 'notifications/cancelled', params: { requestId: 2 } }, call(3, 'three'));
    await new Promise((resolve) => setTimeout(resolve, 30));
    end(peers, 'one');
    await until(() => called(peers).length === 2);
    expect(called(peers)).toEqual(['one', 'three']);
  });
});

describe('calls that may be asked, over Streamable HTTP', () => {
  /** A server that asks on the standing stream of the session of a call, or on the stream of the call. */
  async function asking(isApart: boolean) {
    const standing = new Map<string, Reply>();
    const calls: { name: string; session: string; reply: Reply; id: unknown }[] = [];
    const server = await rawHttp(
      oldHttp(({ method, body, headers }, reply) => {
        const session = String(headers['mcp-session-id']);
        if (method === 'GET') {
          reply.open();
          standing.set(session, reply);
        } else if (body?.['method'] === 'tools/call') {
          const { name } = body['params'];
          calls.push({ name, session, reply, id: body['id'] });
          const on = isApart ? standing.get(session) : reply;
          on?.event({ id: `q-${name}`, method: 'elicitation/create', params: { ...FORM, message: name } });
        } else if (body?.['method'] === undefined) {
          const call = calls.find(({ name }) => `q-${name}` === body?.['id']);
          const message = { id: call?.id, result: says(`${call?.name} ${body?.['result']?.action}`) };
          if (isApart) call?.reply.json(message);
          else call?.reply.event(message);
        }
      }),
    );
    return { server, calls };
  }

  const ask = async (where: string, names: string[], options: BridgeOptions = {}): Promise<unknown[]> => {
    const face = bridge(where, options);
    atEnd(() => face.close());
    const client = await connected(
      await serveHttp(face),
      { revisions: 'per-request', capabilities: { elicitation: {} } },
      (one) => one.setRequestHandler('elicitation/create', () => ({ action: 'decline' })),
    );
    const results: unknown[] = [(await client.callTool({ name: names[0] as string })).content];
    const more = await Promise.all(names.slice(1).map((name) => client.callTool({ name })));
    return [...results, ...more.map(({ content }) => content)];
  };
  const NAMES = ['one', 'two', 'three', 'four'];
  const ANSWERS = NAMES.map((name) => [{ type: 'text', text: `${name} decline` }]);

  it('get a session each once the server has asked on its standing stream', async () => {
    const { server, calls } = await asking(true);
    expect(await ask(server.url, NAMES)).toEqual(ANSWERS);
    expect(new Set(calls.map(({ session }) => session)).size).toBeGreaterThan(1);
  });

  it('wait for each other then with "wait"', async () => {
    const { server, calls } = await asking(true);
    expect(await ask(server.url, NAMES, { concurrency: 'wait' })).toEqual(ANSWERS);
    expect(new Set(calls.map(({ session }) => session)).size).toBe(1);
  });

  it('get a session each from the beginning with "own"', async () => {
    const { server, calls } = await asking(false);
    expect(await ask(server.url, NAMES, { concurrency: 'own' })).toEqual(ANSWERS);
    expect(new Set(calls.map(({ session }) => session)).size).toBeGreaterThan(1);
  });

  it('share a session where the server asks on their streams', async () => {
    const { server, calls } = await asking(false);
    expect(await ask(server.url, NAMES)).toEqual(ANSWERS);
    expect(new Set(calls.map(({ session }) => session)).size).toBe(1);
  });
});

describe('connections to the server', () => {
  it('are bounded, and the caller is told', async () => {
    const { client, peers } = await linesFace(oldServer(), { bridge: { sessions: { atMost: 2, perCaller: 8 } } });
    client.send(call(1, 'one'), call(2, 'two'));
    await until(() => called(peers).length === 2);
    client.send(call(3, 'three'));
    const { error } = await client.answer(3);
    expect(error.message).toMatch(/connections to the server/);
    end(peers, 'one');
    await client.answer(1);
    client.send(call(4, 'four'));
    await until(() => called(peers).includes('four'));
  });

  it('are closed when unused', async () => {
    const { client, peers } = await linesFace(
      oldServer({ on: ({ id, method }, peer) => method === 'tools/call' && peer.send({ id, result: says('done') }) }),
      { bridge: { sessions: { idleMs: 30 } } },
    );
    client.send(call(1, 'one'));
    await client.answer(1);
    await until(() => peers.every(({ isClosed }) => isClosed), 'all connections are closed');
    client.send(call(2, 'two'));
    expect((await client.answer(2))['result']).toMatchObject(says('done'));
  });

  it('end with the session of the client that they are for', async () => {
    const server = await rawHttp(oldHttp(({ method }, reply) => (method === 'GET' ? reply.open() : undefined)));
    const face = bridge(server.url);
    atEnd(() => face.close());
    const where = await serveHttp(face);
    const { headers } = await session(where);
    await fetch(where, { method: 'DELETE', headers });
    await until(() => server.came.some(({ method }) => method === 'DELETE'), 'the session of the server is ended');
  });

  it.each(['tools/list', 'logging/setLevel'])('are given back when %s fails before a call', async (method) => {
    const { client, peers } = await linesFace(
      oldServer({
        capabilities: { tools: {}, logging: {}, tasks: { requests: { tools: { call: {} } } } },
        on: ({ id, method: said }, peer) => {
          if (said === method) peer.send({ id, error: { code: -1, message: 'broken' } });
          else if (id !== undefined && said !== undefined)
            peer.send({ id, result: said === 'tools/call' ? says('done') : {} });
        },
      }),
      { bridge: { sessions: { idleMs: 30 } } },
    );
    const capabilities = { elicitation: {}, extensions: { 'io.modelcontextprotocol/tasks': {} } };
    const meta = facts(capabilities, { 'io.modelcontextprotocol/logLevel': 'debug' });
    client.send({ id: 1, method: 'tools/call', params: { name: 'one', _meta: meta } });
    await client.answer(1);
    await until(() => peers.every(({ isClosed }) => isClosed), 'all connections are closed');
  });
});
