import { afterEach, expect, it } from 'vitest';
import { Client, StreamableHTTPClientTransport } from 'crosspoint/client';
import { exchange } from 'crosspoint/client/relaying';
import { bridge, type BridgeOptions } from '../../src/index.ts';
import { atEnd, closeAll, serveHttp } from '../carriers.ts';
import { ABLE, answering } from '../cells/cell.ts';
import { NOTHING, emptied, inside } from './inside.ts';
import { scripted, told, type Tool } from './scripted.ts';

afterEach(async () => {
  await closeAll();
  await expect.poll(inside).toEqual(NOTHING);
  emptied();
});

type Asked = { kind: 'input-required'; asks: Record<string, unknown>; state: string };

const TOOLS: Readonly<Record<string, Tool>> = {
  silent: () => {},
  asks: ({ id, line }) => {
    const params = { message: 'Which?', requestedSchema: { type: 'object', properties: { a: { type: 'string' } } } };
    line.write({ jsonrpc: '2.0', id: 'which', method: 'elicitation/create', params });
    const timer = setInterval(() => {
      const answer = line.answers.get('which');
      if (answer) line.write({ jsonrpc: '2.0', id, result: told(JSON.stringify(answer)) });
      if (answer || line.socket.destroyed) clearInterval(timer);
    }, 5);
  },
};

/** A bridge whose callers are the users that a header names. */
async function forUsers(options: BridgeOptions): Promise<(user: string, name?: string) => Promise<Client>> {
  const { upstream } = await scripted(TOOLS);
  const face = bridge(upstream, options);
  const url = await serveHttp(face, {
    authenticate: (request) => {
      const user = request.header('x-user');
      return user === undefined ? undefined : { token: user, clientId: user, scopes: [], extra: { sub: user } };
    },
  });
  atEnd(() => face.close());
  return async (user, name = 'client') => {
    const client = new Client({ name, version: '1' }, { ...ABLE, revisions: 'per-request' });
    answering(client);
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers: { 'x-user': user } } }));
    atEnd(() => client.close());
    return client;
  };
}

it('a state that another user was given is refused, and still counts for its owner', async () => {
  const join = await forUsers({});
  const [alice, mallory] = [await join('alice'), await join('mallory')];
  const call = { method: 'tools/call', params: { name: 'asks' } };
  const asked = (await exchange(alice, call)) as Asked;
  const answer = { action: 'accept', content: { a: 'mine' } };
  const retry = {
    answers: Object.fromEntries(Object.keys(asked.asks).map((key) => [key, answer])),
    state: asked.state,
  };
  await expect(exchange(mallory, call, { retry })).rejects.toMatchObject({ code: -32602 });
  expect(inside()).toMatchObject({ parked: 1, calls: 1 });
  expect(await exchange(alice, call, { retry })).toMatchObject({
    kind: 'complete',
    result: told(JSON.stringify(answer)),
  });
});

it('a user who is another client in every call takes no connection from other users', async () => {
  const join = await forUsers({ sessions: { atMost: 8, idleMs: 50 } });
  const names = Array.from({ length: 20 }, (_, at) => `client ${at}`);
  const clients = await Promise.allSettled(names.map((name) => join('mallory', name)));
  const aborts: AbortController[] = [];
  const held = (client: Client): Promise<unknown> => {
    const abort = new AbortController();
    aborts.push(abort);
    return client.callTool({ name: 'silent' }, { signal: abort.signal }).catch((error: Error) => error);
  };
  const calls = clients.flatMap((one) => (one.status === 'fulfilled' ? [held(one.value)] : []));
  expect(calls.length).toBeGreaterThan(0);
  await expect.poll(() => inside().calls).toBe(4);
  const alice = await join('alice');
  expect(await alice.callTool({ name: 'fine' })).toMatchObject(told('fine client'));
  expect(inside().sessions).toBeLessThanOrEqual(8);
  for (const abort of aborts) abort.abort();
  for (const error of await Promise.all(calls)) expect(error).toBeInstanceOf(Error);
  await expect.poll(() => inside().calls).toBe(0);
});
