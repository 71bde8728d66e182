import { afterEach, describe, expect, it } from 'vitest';
import { createSecret, memoryStore } from 'crosspoint/server';
import { exchange } from 'crosspoint/client/relaying';
import { bridge, type BridgeOptions } from '../../src/index.ts';
import { CARRIERS, atEnd, closeAll, connected, serveHttp } from '../carriers.ts';
import { ABLE, answering, open } from './cell.ts';
import { behind } from './behind.ts';

afterEach(closeAll);

const CALL = { method: 'tools/call', params: { name: 'interview' } };
const cellBy = (upBy: (typeof CARRIERS)[number]) =>
  ({ down: 'per-request', up: 'handshake', downBy: 'http', upBy }) as const;
type Asked = { kind: 'input-required'; asks: Record<string, unknown>; state: string };
const accept = { action: 'accept', content: { name: 'Ada', town: 'Turin' } };
const answersTo = ({ asks }: Asked) => Object.fromEntries(Object.keys(asks).map((key) => [key, accept]));

describe.each(CARRIERS)('a call that waits for answers, its server over %s', (upBy) => {
  it('is used once: the same answers a second time give the same outcome, and do not reach the server', async () => {
    const { client, hop } = await open(cellBy(upBy), { client: ABLE, prepare: answering });
    const asked = (await exchange(client, CALL)) as Asked;
    const retry = { answers: answersTo(asked), state: asked.state };
    const next = await exchange(client, CALL, { retry });
    expect(next).toMatchObject({ kind: 'input-required' });
    expect((await exchange(client, CALL, { retry })) as Asked).toMatchObject({ asks: (next as Asked).asks });
    const answered = hop.filter(
      ({ direction, message }) => direction === 'sent' && 'result' in message && 'action' in message['result'],
    );
    expect(answered).toHaveLength(1);
  });

  it('belongs to its method and arguments', async () => {
    const { client } = await open(cellBy(upBy), { client: ABLE, prepare: answering });
    const asked = (await exchange(client, CALL)) as Asked;
    const retry = { answers: answersTo(asked), state: asked.state };
    const other = { method: 'tools/call', params: { name: 'interview', arguments: { more: 1 } } };
    await expect(exchange(client, other, { retry })).rejects.toMatchObject({ code: -32602 });
    expect(await exchange(client, CALL, { retry })).toMatchObject({ kind: 'input-required' });
  });

  it('asks again for an answer that is missing', async () => {
    const { client } = await open(cellBy(upBy), { client: ABLE, prepare: answering });
    const asked = (await exchange(client, CALL)) as Asked;
    const again = (await exchange(client, CALL, { retry: { answers: {}, state: asked.state } })) as Asked;
    expect(again.asks).toEqual(asked.asks);
    const next = (await exchange(client, CALL, { retry: { answers: answersTo(again), state: again.state } })) as Asked;
    expect(JSON.stringify(next.asks)).toContain('Town?');
  });

  it('ends at the server when the client does not come back', async () => {
    const { client, hop } = await open(cellBy(upBy), {
      client: ABLE,
      prepare: answering,
      bridge: { parking: { forMs: 50 } },
    });
    const asked = (await exchange(client, CALL)) as Asked;
    await expect.poll(() => hop.some(({ message }) => message['method'] === 'notifications/cancelled')).toBe(true);
    const retry = { answers: answersTo(asked), state: asked.state };
    await expect(exchange(client, CALL, { retry })).rejects.toMatchObject({ code: -32602 });
  });

  it('is one of a bounded number', async () => {
    const { client, hop } = await open(cellBy(upBy), {
      client: ABLE,
      prepare: answering,
      bridge: { parking: { perCaller: 2 } },
    });
    await Promise.all([exchange(client, CALL), exchange(client, CALL)]);
    await expect(exchange(client, CALL)).rejects.toMatchObject({ kind: 'rate-limited' });
    await expect
      .poll(() => hop.filter(({ message }) => message['method'] === 'notifications/cancelled').length)
      .toBe(1);
  });

  it('is not mixed up with others of the same caller', async () => {
    const { client } = await open(cellBy(upBy), { client: ABLE, prepare: answering });
    const all = await Promise.all(Array.from({ length: 5 }, () => client.callTool({ name: 'interview' })));
    for (const { content } of all) expect(JSON.stringify(content)).toContain('my name');
  });
});

describe('a call that waits for answers while the bridge is restarted', () => {
  async function twice(options: BridgeOptions, sessions = {}) {
    const url = await serveHttp(behind('handshake').server, { sessions });
    const shared: BridgeOptions = { ...options, keys: [createSecret()] };
    const first = bridge(url, shared);
    const client = await connected(await serveHttp(first), { revisions: 'per-request', ...ABLE }, answering);
    const asked = (await exchange(client, CALL)) as Asked;
    await first.close();
    const second = bridge(url, shared);
    atEnd(() => second.close());
    const later = await connected(await serveHttp(second), { revisions: 'per-request', ...ABLE }, answering);
    return { asked, later };
  }

  it('goes on where the stream of the server can be resumed', async () => {
    const { asked, later } = await twice({ store: Object.assign(memoryStore(), { isShared: true }) });
    const next = (await exchange(later, CALL, { retry: { answers: answersTo(asked), state: asked.state } })) as Asked;
    expect(JSON.stringify(next.asks)).toContain('Town?');
    const third = (await exchange(later, CALL, { retry: { answers: answersTo(next), state: next.state } })) as Asked;
    expect(JSON.stringify(third.asks)).toContain('Greet');
  });

  it('is lost where the stream cannot be resumed, and the client is told', async () => {
    const store = Object.assign(memoryStore(), { isShared: true });
    const { asked, later } = await twice({ store }, { resumable: false });
    const retry = { answers: answersTo(asked), state: asked.state };
    await expect(exchange(later, CALL, { retry })).rejects.toThrow('whether it was carried out is not known');
  });
});

describe('a call that waits for answers while the store is away', () => {
  it('waits in this process, and the operator is told', async () => {
    const store = Object.assign(memoryStore(), { isShared: true });
    const problems: string[] = [];
    const url = await serveHttp(behind('handshake').server);
    const face = bridge(url, { store, onproblem: ({ message }) => problems.push(message) });
    atEnd(() => face.close());
    const client = await connected(await serveHttp(face), { revisions: 'per-request', ...ABLE }, answering);
    const put = store.put.bind(store);
    store.put = (key, ...rest) =>
      key.startsWith('bridge/') ? Promise.reject(new Error('the store is away')) : put(key, ...rest);
    const { content } = await client.callTool({ name: 'interview' });
    expect(JSON.stringify(content)).toContain('my name');
    expect(problems).toContain('the store is away');
  });
});
