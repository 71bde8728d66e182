import { describe, expect, test } from 'vitest';
import type { WatchedChange } from '../../src/client/index.ts';
import type { WatchTarget } from '../../src/client/watching/watch.ts';
import type { JsonObject, RequestId } from '../../src/jsonrpc/message.ts';
import { META_SUBSCRIPTION_ID } from '../../src/protocol/meta.ts';
import { revisions } from '../../src/revisions/index.ts';
import { McpServer, text } from '../../src/server/index.ts';
import { linked } from '../asking/linked.ts';
import { connected } from '../client/connected.ts';
import { legacy, modern, Refusal, type Answers, type Line } from '../client/fake-server.ts';
import { proves } from '../requirements/proves.ts';
import { quiet } from '../server/wire.ts';

const A = 'note:///a';
const ALL: WatchTarget = { tools: true, prompts: true, resources: true, uris: [A] };

function server(): McpServer {
  const made = new McpServer({ name: 's', version: '1' }, { capabilities: { resources: { subscribe: true } } });
  made.registerResource('a', A, {}, () => ({ contents: [] }));
  made.registerTool('t', {}, () => text(''));
  made.registerPrompt('p', {}, () => ({ messages: [] }));
  return made;
}

/** As the changes are told, in short. */
const words = (change: WatchedChange): string => (change.kind === 'resource' ? change.uri : change.kind);

const acknowledge = (line: Line, id: RequestId | undefined, notifications: unknown): void =>
  line.notify('notifications/subscriptions/acknowledged', { notifications, _meta: { [META_SUBSCRIPTION_ID]: id } });
const end = (line: Line, id: RequestId | undefined): void =>
  line.reply(
    { method: '', ...(id !== undefined && { id }) },
    { resultType: 'complete', _meta: { [META_SUBSCRIPTION_ID]: id } },
  );
const listening: Answers = {
  'subscriptions/listen': (params, line, { id }) => acknowledge(line, id, params['notifications']),
};
const subscribing: Answers = { 'resources/subscribe': () => ({}), 'resources/unsubscribe': () => ({}) };

describe.each(revisions.map(({ id }) => id))('watching a server as a client of %s', (revision) => {
  test('tells of everything that was asked for, and of nothing else', async () => {
    const made = server();
    const { client } = await linked(made, revision);
    const seen: string[] = [];
    const lists: string[] = [];
    const watch = await client.watch(ALL, { onchange: (change) => void seen.push(words(change)) });
    await client.watch({ prompts: true }, { onchange: (change) => void lists.push(words(change)) });
    expect(watch.honored).toEqual({ tools: true, prompts: true, resources: true, uris: [A] });
    made.registerTool('u', {}, () => text(''));
    made.registerPrompt('q', {}, () => ({ messages: [] }));
    made.registerResource('b', 'note:///b', {}, () => ({ contents: [] }));
    await made.sendResourceUpdated({ uri: A });
    await made.sendResourceUpdated({ uri: 'note:///b' });
    await quiet();
    expect(seen.toSorted()).toEqual([A, 'prompts', 'resources', 'tools']);
    expect(lists).toEqual(['prompts']);
    await watch.close();
    expect(await watch.closed).toBe('closed');
    made.registerTool('v', {}, () => text(''));
    await made.sendResourceUpdated({ uri: A });
    await quiet();
    expect(seen).toHaveLength(4);
    await client.close();
  });

  test('ends at once where the server tells of nothing that was wanted', async () => {
    const bare = new McpServer({ name: 's', version: '1' }, { capabilities: { tools: { listChanged: false } } });
    bare.registerTool('t', {}, () => text(''));
    const { client } = await linked(bare, revision);
    const watch = await client.watch({ ...ALL, prompts: false }, { onchange: () => {} });
    expect(watch.honored).toEqual({});
    expect(await watch.closed).toBe('nothing');
  });

  test('ends with the connection, and with its signal', async () => {
    const made = server();
    const { client } = await linked(made, revision);
    const stop = new AbortController();
    const one = await client.watch({ tools: true }, { onchange: () => {}, signal: stop.signal });
    const two = await client.watch({ tools: true }, { onchange: () => {} });
    const three = await client.watch({ uris: [A] }, { onchange: () => {} });
    stop.abort();
    expect(await one.closed).toBe('closed');
    await client.close();
    expect(await two.closed).toBe('closed');
    expect(await three.closed).toBe('closed');
  });

  test('survives a callback that fails', async () => {
    const made = server();
    const problems: string[] = [];
    const { client } = await linked(made, revision, { onproblem: ({ message }) => problems.push(message) });
    let told = 0;
    await client.watch(
      { tools: true },
      {
        onchange: () => {
          told += 1;
          throw new Error('mine');
        },
      },
    );
    for (const name of ['u', 'v']) {
      made.registerTool(name, {}, () => text(''));
      await quiet();
    }
    expect(told).toBe(2);
    expect(problems).toEqual(['mine', 'mine']);
  });
});

describe('streams', () => {
  test('that the server ends or that break are asked for again, ever more slowly, and what was missed is told', async () => {
    const { client, transport, clock } = await connected(modern(listening));
    const seen: string[] = [];
    const watch = await client.watch(
      { tools: true, uris: [A] },
      { onchange: (change) => void seen.push(words(change)) },
    );
    for (let round = 1; round <= 3; round += 1) {
      end(transport.line, transport.sentTo('subscriptions/listen').at(-1)?.id);
      await clock.flush();
      expect(transport.sentTo('subscriptions/listen')).toHaveLength(round);
      await clock.advance(1000 * 2 ** (round - 1));
      expect(transport.sentTo('subscriptions/listen')).toHaveLength(round + 1);
      expect(seen).toHaveLength(2 * round);
    }
    await watch.close();
    expect(transport.sentTo('notifications/cancelled')).toHaveLength(1);
    await clock.advance(600_000);
    expect(transport.sentTo('subscriptions/listen')).toHaveLength(4);
    expect(clock.pending).toBe(0);
  });

  test('that are refused when asked for again are asked for later', async () => {
    let refusing = false;
    const script = modern({
      'subscriptions/listen': (params, line, { id }) =>
        refusing ? new Refusal(429, 'too many') : acknowledge(line, id, params['notifications']),
    });
    const { client, transport, clock, problems } = await connected(script);
    const watch = await client.watch({ tools: true }, { onchange: () => {} });
    refusing = true;
    end(transport.line, transport.sentTo('subscriptions/listen').at(-1)?.id);
    await clock.advance(10_000);
    expect(problems.length).toBeGreaterThan(1);
    refusing = false;
    await clock.advance(60_000);
    expect(watch.honored).toEqual({ tools: true });
    const asked = transport.sentTo('subscriptions/listen').length;
    await clock.advance(300_000);
    expect(transport.sentTo('subscriptions/listen')).toHaveLength(asked);
  });

  test('that are refused at first reject, and leave nothing behind', async () => {
    const { client, clock } = await connected(modern({ 'subscriptions/listen': () => new Refusal(-32603, 'no') }));
    await expect(client.watch({ tools: true }, { onchange: () => {} })).rejects.toThrow('no');
    expect(clock.pending).toBe(0);
  });

  proves('M-SUB-016').test('are carried on by a restored connection, and what was missed is told', async () => {
    const { client, transport, clock } = await connected(modern(listening), { reconnect: true }, { restartable: true });
    const seen: string[] = [];
    const watch = await client.watch({ prompts: true }, { onchange: (change) => void seen.push(words(change)) });
    transport.line.exit('crash');
    await clock.advance(5000);
    expect(transport.sentTo('subscriptions/listen')).toHaveLength(1);
    expect(seen).toEqual(['prompts']);
    transport.line.notify('notifications/prompts/list_changed', {
      _meta: { [META_SUBSCRIPTION_ID]: transport.sentTo('subscriptions/listen')[0]?.id },
    });
    await clock.flush();
    expect(seen).toEqual(['prompts', 'prompts']);
    await client.close();
    expect(await watch.closed).toBe('closed');
  });

  test('carry nothing to the program that it has not asked for', async () => {
    const { client, transport, clock } = await connected(modern(listening));
    const seen: string[] = [];
    await client.watch({ tools: true, uris: [A] }, { onchange: (change) => void seen.push(words(change)) });
    const id = transport.sentTo('subscriptions/listen')[0]?.id;
    const send = (method: string, params: JsonObject = {}): void =>
      transport.line.notify(method, { ...params, _meta: { [META_SUBSCRIPTION_ID]: id } });
    send('notifications/prompts/list_changed');
    send('notifications/resources/updated', { uri: 'note:///b' });
    send('notifications/resources/updated', { uri: `${A}b` });
    send('notifications/resources/updated', {});
    send('notifications/resources/updated', { uri: `${A}/part` });
    send('notifications/tools/list_changed');
    await clock.flush();
    expect(seen).toEqual([`${A}/part`, 'tools']);
  });

  test('that were granted nothing are not asked for again by list handlers either', async () => {
    const script = modern({
      'subscriptions/listen': (_params, line, { id }) => (acknowledge(line, id, {}), end(line, id)),
    });
    const { transport, clock } = await connected(script, { listChanged: { tools: { onChanged: () => {} } } });
    await clock.advance(600_000);
    expect(transport.sentTo('subscriptions/listen')).toHaveLength(1);
  });
});

describe('subscriptions of the handshake family', () => {
  test('are made once however many watch, and ended with the last', async () => {
    const { client, transport, clock } = await connected(legacy(subscribing));
    const watches = await Promise.all([1, 2].map(() => client.watch({ uris: [A, A] }, { onchange: () => {} })));
    expect(transport.sentTo('resources/subscribe')).toHaveLength(1);
    await client.subscribeResource({ uri: A });
    await watches[0]?.close();
    await watches[1]?.close();
    await clock.flush();
    // The program's own subscription still stands.
    expect(transport.sentTo('resources/unsubscribe')).toHaveLength(0);
    await client.unsubscribeResource({ uri: A });
    expect(transport.sentTo('resources/unsubscribe')).toHaveLength(1);
  });

  test('are made again by a restored connection, and what was missed is told', async () => {
    const { client, transport, clock } = await connected(
      legacy(subscribing),
      { reconnect: true },
      { restartable: true },
    );
    const seen: string[] = [];
    await client.watch({ tools: true, uris: [A] }, { onchange: (change) => void seen.push(words(change)) });
    transport.line.exit('crash');
    await clock.advance(5000);
    expect(transport.sentTo('resources/subscribe')).toHaveLength(1);
    expect(seen).toEqual(['tools', A]);
  });

  test('that are refused reject, and undo those made before', async () => {
    const { client, transport } = await connected(
      legacy({ ...subscribing, 'resources/subscribe': ({ uri }) => (uri === A ? {} : new Refusal(-32602, 'unknown')) }),
    );
    await expect(client.watch({ uris: [A, 'note:///x'] }, { onchange: () => {} })).rejects.toThrow('unknown');
    expect(transport.sentTo('resources/unsubscribe').map(({ params }) => params?.['uri'])).toEqual([A]);
  });

  test('are lost with a connection that cannot be restored', async () => {
    const { client, transport } = await connected(legacy(subscribing));
    const watch = await client.watch({ tools: true }, { onchange: () => {} });
    transport.line.exit();
    expect(await watch.closed).toBe('lost');
  });
});
