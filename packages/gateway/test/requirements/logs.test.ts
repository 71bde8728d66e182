import { afterEach, describe, expect, test } from 'vitest';
import { proves } from '../../../crosspoint/test/requirements/proves.ts';
import { until } from '../../../crosspoint/test/until.ts';
import { closeAll } from '../carriers.ts';
import { faceOver, linesFace, oldHttp, sender, shaken } from '../raw/faces.ts';
import { rawHttp, type Reply } from '../raw/http.ts';
import { rawClient, type RawLines } from '../raw/lines.ts';
import { P, newServer, oldServer, says } from '../raw/words.ts';
import { mostVerbose } from '../../src/upstream/log-level.ts';

afterEach(closeAll);

const LOG = `${P}logLevel`;
const LOGGING = { tools: {}, logging: {} };
const log = (level: string, data: string) => ({
  method: 'notifications/message',
  params: { level, data, logger: 'l' },
});

describe('the level of a client with a session', () => {
  proves('M-IOP-052').test(
    'is in each request to a server without sessions from then on, and none before',
    async () => {
      const { client, peers } = await linesFace(
        newServer({
          capabilities: LOGGING,
          on: ({ id, method, params }, peer) => {
            if (method !== 'tools/call') return;
            if (params._meta[LOG] !== undefined) peer.send(log('error', 'heard'));
            peer.send({ id, result: { resultType: 'complete', ...says('done') } });
          },
        }),
      );
      await shaken(client);
      client.send({ id: 1, method: 'tools/call', params: { name: 'one' } });
      await client.answer(1);
      client.send({ id: 2, method: 'logging/setLevel', params: { level: 'error' } });
      expect((await client.answer(2))['result']).toEqual({});
      client.send({ id: 3, method: 'tools/call', params: { name: 'one' } });
      await client.answer(3);
      const levels = peers.flatMap(({ received }) =>
        received.flatMap(({ method, params }) => (method === 'tools/call' ? [params._meta[LOG]] : [])),
      );
      expect(levels).toEqual([undefined, 'error']);
      expect(peers.flatMap(({ received }) => received.map(({ method }) => method))).not.toContain('logging/setLevel');
      expect(await client.said('notifications/message')).toMatchObject(log('error', 'heard'));
    },
  );

  test('reaches a server of its own family as it is', async () => {
    const { client, peers } = await linesFace(
      oldServer({
        capabilities: LOGGING,
        on: ({ id, method }, peer) => id !== undefined && method !== undefined && peer.send({ id, result: {} }),
      }),
    );
    await shaken(client);
    client.send({ id: 2, method: 'logging/setLevel', params: { level: 'error' } });
    await client.answer(2);
    const [server] = peers.filter(({ received }) => received.some(({ method }) => method === 'logging/setLevel'));
    expect((await server?.said('logging/setLevel'))?.['params']).toMatchObject({ level: 'error' });
    server?.send(log('alert', 'to nobody in particular'));
    expect(await client.said('notifications/message')).toMatchObject(log('alert', 'to nobody in particular'));
  });
});

describe('log messages of a server without sessions over one channel', () => {
  /** Says something while two calls are open, and ends both. */
  const saying = () => {
    const open: unknown[] = [];
    return newServer({
      capabilities: LOGGING,
      on: ({ id, method }, peer) => {
        if (method !== 'tools/call' || open.push(id) < 2) return;
        peer.send(
          { method: 'notifications/message', params: { level: 'loud', data: 'no level' } },
          { method: 'notifications/message', params: { level: 'error', data: 'x', _meta: { 'acme/k': 1 } } },
        );
        for (const one of open) peer.send({ id: one, result: { resultType: 'complete', ...says('done') } });
      },
    });
  };
  const call = (id: number) => ({ id, method: 'tools/call', params: { name: 'one' } });
  const told = ({ received }: RawLines): unknown[] =>
    received.flatMap(({ method, params }) => (method === 'notifications/message' ? [params] : []));

  test('reach a client with a session whose calls are the only ones open, once, as they are', async () => {
    const { client } = await linesFace(saying());
    await shaken(client);
    client.send({ id: 9, method: 'logging/setLevel', params: { level: 'info' } }, call(1), call(2));
    await Promise.all([client.answer(1), client.answer(2)]);
    expect(told(client)).toEqual([{ level: 'error', data: 'x', _meta: { 'acme/k': 1 } }]);
  });

  test('reach nobody where calls of several clients are open', async () => {
    const { client, where } = await linesFace(saying());
    const clients = [client, await rawClient(where as number)];
    for (const one of clients) {
      await shaken(one);
      one.send({ id: 9, method: 'logging/setLevel', params: { level: 'info' } }, call(1));
    }
    for (const one of clients) await one.answer(1);
    expect(clients.flatMap(told)).toEqual([]);
  });
});

describe('the level of a request without a session', () => {
  /** A server with a handshake whose calls stay open, and its streams. */
  async function opened() {
    const calls: Record<string, { reply: Reply; id: unknown }> = {};
    let standing: Reply | undefined;
    const server = await rawHttp(
      oldHttp(
        ({ method, body }, reply) => {
          if (method === 'GET') {
            reply.open();
            standing = reply;
          } else if (body?.['method'] === 'tools/call') {
            reply.open();
            calls[body['params'].name] = { reply, id: body['id'] };
          } else if (body?.['method'] !== undefined && body['id'] !== undefined)
            reply.json({ id: body['id'], result: {} });
        },
        { capabilities: LOGGING },
      ),
    );
    const { where } = await faceOver('http', server.url);
    const end = (): void => {
      for (const { reply, id } of Object.values(calls)) {
        reply.event({ id: id as string, result: says('done') });
        reply.end();
      }
    };
    return { server, calls, end, standing: () => standing, send: sender(where as string) };
  }

  proves('M-IOP-053').test('is the most verbose at the server, and its own for what it hears', async () => {
    const { server, calls, end, send } = await opened();
    const quiet = send('tools/call', { name: 'quiet' }, { [LOG]: 'error' });
    await until(() => calls['quiet'] !== undefined);
    const verbose = send('tools/call', { name: 'verbose' }, { [LOG]: 'debug' });
    const silent = send('tools/call', { name: 'silent' });
    await until(() => Object.keys(calls).length === 3);
    expect(server.said('logging/setLevel').map(({ params }) => params.level)).toEqual(['error', 'debug']);
    for (const { reply } of Object.values(calls)) for (const level of ['debug', 'error']) reply.event(log(level, 'x'));
    end();
    const heard = [];
    for (const answer of [await quiet, await verbose, await silent]) {
      await answer.ended;
      heard.push(
        answer.messages.filter(({ method }) => method === 'notifications/message').map(({ params }) => params.level),
      );
    }
    expect(heard).toEqual([['error'], ['debug', 'error'], []]);
  });

  proves('M-IOP-053').test(
    'lets it hear what names no request only while it is the only one that may be meant',
    async () => {
      const { calls, end, send, standing } = await opened();
      const one = send('tools/call', { name: 'one' }, { [LOG]: 'debug' });
      await until(() => calls['one'] !== undefined && standing() !== undefined);
      standing()?.event(log('info', 'mine'));
      const { messages } = await one.then((answer) => answer.said('notifications/message').then(() => answer));
      const two = send('tools/call', { name: 'two' }, { [LOG]: 'debug' });
      await until(() => calls['two'] !== undefined);
      standing()?.event(log('info', 'whose?'));
      await new Promise((resolve) => setTimeout(resolve, 50));
      end();
      const other = await two;
      await other.ended;
      expect(JSON.stringify([messages, other.messages])).not.toContain('whose?');
    },
  );

  test.each([
    [[], undefined],
    [['error', 'debug', 'alert'], 'debug'],
    [['emergency'], 'emergency'],
  ] as const)('of %o is %s', (levels, most) => {
    expect(mostVerbose(levels)).toBe(most);
  });
});
