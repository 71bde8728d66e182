import { describe, expect, test } from 'vitest';
import { META_SUBSCRIPTION_ID } from '../../src/protocol/meta.ts';
import {
  McpServer,
  ResourceTemplate,
  Server,
  text,
  type Caller,
  type McpServerOptions,
} from '../../src/server/index.ts';
import { proves } from '../requirements/proves.ts';
import { auth, everyHandshake, newestHandshake, quiet, stateless, Wire } from './wire.ts';

const info = { name: 'subscriptions', version: '1.0' };
const UPDATED = 'notifications/resources/updated';
const ACK = 'notifications/subscriptions/acknowledged';

function resources(options: McpServerOptions = { capabilities: { resources: { subscribe: true } } }): McpServer {
  const server = new McpServer(info, options);
  server.registerResource('a', 'note:///a', {}, () => undefined);
  server.registerTool('t', {}, () => text(''));
  server.registerPrompt('p', {}, () => ({ messages: [] }));
  return server;
}

describe.each(everyHandshake)('resource subscriptions in %s', (_id, revision) => {
  proves('L-RESOURCES-006, L-RESOURCES-007').test(
    'updates come after subscribe and stop after unsubscribe, only for that uri and that client',
    async () => {
      const server = resources();
      const [one, two] = [await Wire.open(server), await Wire.open(server)];
      await two.handshake(revision);
      await server.sendResourceUpdated({ uri: 'note:///a' });
      expect(await one.result('resources/subscribe', { uri: 'note:///a' }, revision)).toEqual({});
      await quiet();
      expect(one.notified(UPDATED)).toEqual([]);
      await server.sendResourceUpdated({ uri: 'note:///a' });
      await server.sendResourceUpdated({ uri: 'note:///b' });
      await server.server.notification({ method: UPDATED, params: { uri: 'note:///a' } });
      await quiet();
      expect(one.notified(UPDATED).map((frame) => frame.params)).toEqual([{ uri: 'note:///a' }, { uri: 'note:///a' }]);
      expect(await one.result('resources/unsubscribe', { uri: 'note:///a' }, revision)).toEqual({});
      await server.sendResourceUpdated({ uri: 'note:///a' });
      await quiet();
      expect(one.notified(UPDATED)).toHaveLength(2);
      expect(two.notified(UPDATED)).toEqual([]);
    },
  );

  proves('L-RESOURCES-008').test('unsubscribing from what was never subscribed is answered', async () => {
    const wire = await Wire.open(resources());
    expect(await wire.result('resources/unsubscribe', { uri: 'note:///zzz' }, revision)).toEqual({});
    for (const method of ['resources/subscribe', 'resources/unsubscribe'])
      expect((await wire.error(method, {}, revision)).code).toBe(-32602);
  });

  proves('L-LIFECYCLE-019, L-RESOURCES-001').test(
    'without the capability there is nothing to subscribe to, and sending an update is a mistake',
    async () => {
      const server = resources({});
      const wire = await Wire.open(server);
      for (const method of ['resources/subscribe', 'resources/unsubscribe'])
        expect((await wire.error(method, { uri: 'note:///a' }, revision)).code).toBe(-32601);
      await expect(server.sendResourceUpdated({ uri: 'note:///a' })).rejects.toThrow('subscribe: true');
      await server.server.notification({ method: UPDATED, params: { uri: 'note:///a' } });
      await quiet();
      expect(wire.notified(UPDATED)).toEqual([]);
    },
  );
});

test('a program may keep subscriptions itself', async () => {
  const seen: unknown[] = [];
  const server = new Server(info, { capabilities: { resources: { subscribe: true } } });
  for (const method of ['resources/subscribe', 'resources/unsubscribe']) {
    server.setRequestHandler(method, (request: { params: { uri: string } }) => {
      seen.push([method, request.params.uri]);
      return {};
    });
  }
  const wire = await Wire.open(server);
  const other = await Wire.open(server);
  await other.handshake(newestHandshake);
  await wire.result('resources/subscribe', { uri: 'a:a' }, newestHandshake);
  for (const uri of ['a:a', 'a:a/below', 'a:ab', 'a:b']) await server.sendResourceUpdated({ uri });
  await quiet();
  expect(wire.notified(UPDATED).map((frame) => frame.params?.['uri'])).toEqual(['a:a', 'a:a/below']);
  expect(other.notified(UPDATED)).toEqual([]);
  await wire.result('resources/unsubscribe', { uri: 'a:a' }, newestHandshake);
  await server.sendResourceUpdated({ uri: 'a:a' });
  await quiet();
  expect(wire.notified(UPDATED)).toHaveLength(2);
  expect(seen).toEqual([
    ['resources/subscribe', 'a:a'],
    ['resources/unsubscribe', 'a:a'],
  ]);
});

describe('what the caller may not see', () => {
  function guarded(): McpServer {
    const server = resources();
    const visible = ({ authInfo }: Caller): boolean => authInfo?.clientId === 'ann';
    server.registerResource('own', 'note:///own', { visible }, () => undefined);
    server.registerResource(
      'diary',
      new ResourceTemplate('diary:///{day}', { list: undefined }),
      { visible },
      () => undefined,
    );
    return server;
  }

  test.each(everyHandshake)(
    '%s: cannot be subscribed to, and is refused like what does not exist',
    async (_id, revision) => {
      const wire = await Wire.open(guarded());
      for (const uri of ['note:///own', 'diary:///monday']) {
        expect(await wire.error('resources/subscribe', { uri }, revision, { authInfo: auth('bob') })).toMatchObject({
          code: -32002,
          data: { uri },
        });
        expect(await wire.result('resources/subscribe', { uri }, revision, { authInfo: auth('ann') })).toEqual({});
      }
      expect(await wire.result('resources/subscribe', { uri: 'note:///not-yet' }, revision)).toEqual({});
    },
  );

  test('is left out of what a listen grants', async () => {
    const server = guarded();
    const wire = await Wire.open(server);
    const notifications = { resourceSubscriptions: ['note:///own', 'note:///a', 'diary:///monday'] };
    wire.start('subscriptions/listen', { notifications }, stateless, { id: 'bob', authInfo: auth('bob') });
    wire.start('subscriptions/listen', { notifications }, stateless, { id: 'ann', authInfo: auth('ann') });
    await quiet();
    expect(wire.notified(ACK).map((frame) => frame.params?.['notifications'])).toEqual([
      { resourceSubscriptions: ['note:///a'] },
      notifications,
    ]);
    await server.sendResourceUpdated({ uri: 'note:///own' });
    await quiet();
    expect(wire.notified(UPDATED).map((frame) => frame.params?._meta?.[META_SUBSCRIPTION_ID])).toEqual(['ann']);
  });
});

test('subscriptions of a session are bounded', async () => {
  const wire = await Wire.open(resources());
  await wire.handshake(newestHandshake);
  for (let index = 0; index < 10_000; index += 1)
    wire.start('resources/subscribe', { uri: `n:${index}` }, newestHandshake, { id: `s${index}` });
  await wire.answer('s9999');
  expect((await wire.error('resources/subscribe', { uri: 'n:more' }, newestHandshake)).message).toContain('10000');
  expect(await wire.result('resources/subscribe', { uri: 'n:7' }, newestHandshake)).toEqual({});
});

describe('listen', () => {
  const all = {
    toolsListChanged: true,
    promptsListChanged: true,
    resourcesListChanged: true,
    resourceSubscriptions: ['note:///a'],
  };

  proves('M-SUB-003, M-SUB-008').test(
    'the acknowledgement comes first and carries the subscription id, in its own type',
    async () => {
      const wire = await Wire.open(resources());
      for (const id of [41, 'forty-two', '41']) {
        wire.start('subscriptions/listen', { notifications: all }, stateless, { id });
        await quiet();
        const last = wire.frames.at(-1);
        expect(last).toMatchObject({
          method: ACK,
          params: { notifications: all, _meta: { [META_SUBSCRIPTION_ID]: id } },
        });
      }
      expect(wire.answers(41)).toEqual([]);
    },
  );

  proves('M-SUB-008, M-SUB-002, M-SUB-018, M-TOOL-006, M-PRM-004, M-RES-004').test(
    'events come on the streams that asked for them, marked, and on no other',
    async () => {
      const server = resources();
      const [wire, other] = [await Wire.open(server), await Wire.open(server)];
      const wanted: [string, object][] = [
        ['tools', { toolsListChanged: true }],
        ['prompts', { promptsListChanged: true, toolsListChanged: false }],
        ['resources', { resourcesListChanged: true }],
        ['a', { resourceSubscriptions: ['note:///a'] }],
        ['b', { resourceSubscriptions: ['note:///b'] }],
        ['none', {}],
      ];
      for (const [id, notifications] of wanted)
        wire.start('subscriptions/listen', { notifications }, stateless, { id });
      await other.result('tools/list', {}, stateless);
      await quiet();
      server.registerTool('t2', {}, () => text(''));
      server.registerPrompt('p2', {}, () => ({ messages: [] }));
      server.registerResource('r2', 'note:///r2', {}, () => undefined);
      await server.sendResourceUpdated({ uri: 'note:///a' });
      await server.sendResourceUpdated({ uri: 'note:///c' });
      await quiet();
      const events = wire.notifications
        .filter((frame) => frame.method !== ACK)
        .map((frame) => [frame.method, frame.params?._meta?.[META_SUBSCRIPTION_ID]]);
      expect(events.sort()).toEqual([
        ['notifications/prompts/list_changed', 'prompts'],
        ['notifications/resources/list_changed', 'resources'],
        ['notifications/resources/updated', 'a'],
        ['notifications/tools/list_changed', 'tools'],
      ]);
      expect(other.notifications).toEqual([]);
    },
  );

  proves('M-SUB-004').test('a change while the stream opens is told after the acknowledgement', async () => {
    const server = resources();
    const wire = await Wire.open(server);
    server.registerTool('before', {}, () => text(''));
    wire.start('subscriptions/listen', { notifications: { toolsListChanged: true } }, stateless, { id: 'l' });
    server.registerTool('meanwhile', {}, () => text(''));
    await Promise.resolve();
    server.registerTool('after', {}, () => text(''));
    await quiet();
    expect(wire.notifications[0]?.method).toBe(ACK);
  });

  proves('M-SUB-006, M-RES-018, M-SUB-021').test(
    'what cannot be delivered is left out of the acknowledgement',
    async () => {
      const server = new McpServer(info, { capabilities: { prompts: { listChanged: false } } });
      server.registerTool('t', {}, () => text(''));
      server.registerPrompt('p', {}, () => ({ messages: [] }));
      const wire = await Wire.open(server);
      wire.start(
        'subscriptions/listen',
        { notifications: { ...all, taskIds: ['x'], 'com.example/own': true } },
        stateless,
      );
      expect((await wire.notification(ACK)).params?.['notifications']).toEqual({ toolsListChanged: true });
    },
  );

  proves('M-SUB-020').test(
    'a server with nothing to tell acknowledges an empty filter and ends the stream at once',
    async () => {
      const wire = await Wire.open(new Server(info));
      const id = wire.start('subscriptions/listen', { notifications: all }, stateless);
      expect((await wire.notification(ACK)).params?.['notifications']).toEqual({});
      expect((await wire.answer(id)).result).toMatchObject({
        resultType: 'complete',
        _meta: { [META_SUBSCRIPTION_ID]: id },
      });
      expect(wire.frames.map((frame) => frame.method ?? 'result')).toEqual([ACK, 'result']);
    },
  );

  proves('M-SUB-001').test('a listen without a filter, or with one that is none, is -32602', async () => {
    const wire = await Wire.open(resources());
    for (const notifications of [
      undefined,
      null,
      [],
      'tools',
      { resourceSubscriptions: 'note:///a' },
      { resourceSubscriptions: [7] },
    ]) {
      expect(
        (await wire.error('subscriptions/listen', { notifications }, stateless)).code,
        JSON.stringify(notifications),
      ).toBe(-32602);
    }
    expect(wire.notified(ACK)).toEqual([]);
  });

  proves('M-SUB-010, M-SUB-012').test(
    'streams are independent: one ends by cancellation, the other goes on',
    async () => {
      const server = resources();
      const wire = await Wire.open(server);
      for (const id of ['one', 'two'])
        wire.start('subscriptions/listen', { notifications: { toolsListChanged: true } }, stateless, { id });
      await quiet();
      wire.notify('notifications/cancelled', { requestId: 'one' });
      await quiet();
      const before = wire.frames.length;
      server.registerTool('new', {}, () => text(''));
      await quiet();
      expect(wire.frames.slice(before).map((frame) => frame.params?._meta?.[META_SUBSCRIPTION_ID])).toEqual(['two']);
      expect(wire.answers('one')).toEqual([]);
    },
  );

  proves('M-SUB-017').test('a new connection hears nothing until it listens', async () => {
    const server = resources();
    const first = await Wire.open(server);
    first.start('subscriptions/listen', { notifications: all }, stateless);
    await quiet();
    await first.close();
    const second = await Wire.open(server);
    server.registerTool('new', {}, () => text(''));
    await server.sendResourceUpdated({ uri: 'note:///a' });
    await quiet();
    expect(second.frames).toEqual([]);
  });

  test('streams and their uris are bounded', async () => {
    const wire = await Wire.open(resources());
    const many = Array.from({ length: 10_001 }, (_, index) => `n:${index}`);
    expect(
      (await wire.error('subscriptions/listen', { notifications: { resourceSubscriptions: many } }, stateless)).code,
    ).toBe(-32602);
    for (let index = 0; index < 100; index += 1) wire.start('subscriptions/listen', { notifications: all }, stateless);
    expect((await wire.error('subscriptions/listen', { notifications: all }, stateless)).message).toContain('100');
  });

  test.each(['resources/subscribe', 'resources/unsubscribe'])(
    '%s is no method of the stateless family',
    async (method) => {
      expect((await (await Wire.open(resources())).error(method, { uri: 'note:///a' }, stateless)).code).toBe(-32601);
    },
  );
});
