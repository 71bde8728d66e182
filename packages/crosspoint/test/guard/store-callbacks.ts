/** A store of the program's own: each driver has one of its methods go wrong wherever peers have it called, and then wants an ordinary answer. */
import { expect } from 'vitest';
import { memoryStore, text, type McpServer } from '../../src/server/index.ts';
import { tasks } from '../../src/server/tasks/index.ts';
import type { Store } from '../../src/stores/store.ts';
import {
  HANDSHAKE,
  makeServer,
  openSession,
  send,
  serve,
  stateless,
  type Answer,
  type RawSession,
  type Served,
} from '../http/serving.ts';
import { embedded } from './auth-callbacks.ts';
import { settled } from './faults.ts';
import type { Driver } from './server-callbacks.ts';

type Member = Exclude<keyof Store, 'isShared' | 'serving' | 'close'>;

/** Servers behind one store, with everything that keeps something there. */
async function startNodes(store: Store): Promise<[Served, Served]> {
  const make = (): McpServer => {
    const server = makeServer({
      store,
      idempotency: {},
      limits: { 'tools/call': { perSecond: 1000, burst: 1000 } },
    });
    server.use(tasks({ store }));
    server.registerTool('task', { task: 'optional' }, async (ctx) => text(await ctx.step('s', () => 'x')));
    server.registerTool('fail', {}, () => {
      throw new Error('fails');
    });
    return server;
  };
  return [await serve({ store }, {}, make()), await serve({ store }, {}, make())];
}

const KEY = 'dev.crosspoint/idempotencyKey';

/** Everything that a client can ask of a session, at the node where it was not opened. The answers, some of which never end. */
function askEverything(node: Served, { headers }: RawSession, seen: string): Promise<Answer>[] {
  const post = (id: number, method: string, params: object): Promise<Answer> =>
    send(node, { headers, body: { jsonrpc: '2.0', id, method, params } });
  const call = (id: number, name: string, args: object, more: object = {}): Promise<Answer> =>
    post(id, 'tools/call', { name, arguments: args, ...more });
  return [
    call(11, 'echo', { text: 'x' }),
    call(12, 'echo', { text: 'x' }, { _meta: { [KEY]: crypto.randomUUID() } }),
    call(13, 'count', { to: 3 }, { _meta: { progressToken: 'p' } }),
    call(14, 'task', {}, { task: { ttl: 60_000 } }),
    call(15, 'ask', {}),
    post(16, 'tasks/list', {}),
    post(17, 'logging/setLevel', { level: 'debug' }),
    send(node, { method: 'GET', headers: { ...headers, 'last-event-id': seen } }),
    send(node, { method: 'GET', headers }),
    send(
      node,
      stateless(
        'tools/call',
        { name: 'ask', arguments: {} },
        { meta: { 'io.modelcontextprotocol/clientCapabilities': { elicitation: {} } } },
      ),
    ),
    send(node, { headers, body: { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 99 } } }),
  ];
}

/** The store of servers: sessions, their events, limits, keys, tasks and, where it is shared, what nodes tell each other. */
const serving =
  (member: Member, shared: boolean): Driver =>
  async (fault) => {
    fault.isOn = false;
    const store = memoryStore({ shared });
    const [a, b] = await startNodes(fault.of(store, member));
    try {
      const session = await openSession(a, HANDSHAKE, { elicitation: {} });
      const ended = await openSession(a);
      const told = await (await session.call(1, 'count', { to: 2 }, { progressToken: 'p' })).finish();
      const seen = told.frames.find(({ id }) => id !== undefined)?.id ?? 'none_0';
      fault.isOn = true;
      const asked = askEverything(b, session, seen);
      b.server.sendToolListChanged();
      asked.push(send(b, { method: 'DELETE', headers: ended.headers }));
      await fault.called();
      // A store that is away is waited for: some of it ends when the store is back.
      await Promise.race([Promise.all([...asked, settled(openSession(b))]), patience()]);
      fault.isOn = false;
      const answers = await Promise.all(asked);
      for (const answer of answers) answer.abort();
      const again = await openSession(b);
      const answer = await (await again.call(1, 'echo', { text: 'still here' })).finish();
      expect(answer.text).toContain('still here');
    } finally {
      // A store that breaks its word fails whoever closes it.
      for (const node of [a, b]) {
        await settled(node.close());
        node.http.closeAllConnections();
        node.http.close();
      }
      await store.close();
    }
  };

const patience = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 200));

const embeddedStore = (member: Member): Driver =>
  embedded((fault) => ({ as: { store: fault.of(memoryStore(), member) } }));

/** What calls each method: servers with a store of their own, servers that share one, the authorization server. */
const PLACES: Readonly<Record<Member, readonly ('own' | 'shared' | 'login')[]>> = {
  get: ['own', 'shared', 'login'],
  put: ['own', 'shared', 'login'],
  touch: ['own', 'shared', 'login'],
  delete: ['own', 'shared', 'login'],
  add: ['login'],
  keys: ['own', 'shared'],
  count: ['own', 'shared'],
  append: ['own', 'shared'],
  read: ['own', 'shared'],
  deleteLog: ['own', 'shared'],
  publish: ['own', 'shared'],
  subscribe: ['own', 'shared'],
};

export const STORE: Readonly<Record<string, Driver>> = Object.fromEntries(
  (Object.keys(PLACES) as Member[]).flatMap((member) =>
    PLACES[member].map((place) => [
      `store.${member} ${place}`,
      place === 'login' ? embeddedStore(member) : serving(member, place === 'shared'),
    ]),
  ),
);
