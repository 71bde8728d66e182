import { describe, expect, test } from 'vitest';
import { McpServer, ResourceTemplate, Server, text } from '../../src/server/index.ts';
import { proves } from '../requirements/proves.ts';
import { everyHandshake, everyRevision, newestHandshake, quiet, stateless, Wire } from './wire.ts';
import type { Revision } from '../../src/revisions/revision.ts';

const info = { name: 'changes', version: '1.0' };
const changed = (list: string): string => `notifications/${list}/list_changed`;
const lists = ['tools', 'prompts', 'resources'] as const;

function full(capabilities = {}): McpServer {
  const server = new McpServer(info, { capabilities });
  server.registerTool('t', {}, () => text(''));
  server.registerPrompt('p', {}, () => ({ messages: [] }));
  server.registerResource('r', 'r:r', {}, () => undefined);
  return server;
}

async function watch(server: McpServer | Server, revision: Revision): Promise<Wire> {
  const wire = await Wire.open(server);
  if (revision === stateless)
    wire.start(
      'subscriptions/listen',
      { notifications: { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true } },
      revision,
    );
  else await wire.handshake(revision);
  await quiet();
  return wire;
}

describe.each(everyRevision)('changes in %s', (_id, revision) => {
  proves('L-TOOLS-002, M-TOOL-006').test('every kind of change to a tool is told once', async () => {
    const server = full();
    const wire = await watch(server, revision);
    const told = async (change: () => void): Promise<number> => {
      const before = wire.notified(changed('tools')).length;
      change();
      await quiet();
      return wire.notified(changed('tools')).length - before;
    };
    let tool!: ReturnType<McpServer['registerTool']>;
    expect(await told(() => (tool = server.registerTool('new', {}, () => text(''))))).toBe(1);
    expect(await told(() => tool.disable())).toBe(1);
    expect(await told(() => tool.enable())).toBe(1);
    expect(await told(() => tool.update({ description: 'd' }))).toBe(1);
    expect(await told(() => tool.update({ name: 'renamed' }))).toBe(1);
    expect(await told(() => tool.remove())).toBe(1);
    expect(await told(() => tool.remove())).toBe(0);
    expect(await told(() => server.registerPrompt('only a prompt', {}, () => ({ messages: [] })))).toBe(0);
  });

  proves('L-RESOURCES-005, L-PROMPTS-004, M-RES-004, M-PRM-004').test(
    'registering and removing resources, templates and prompts is told once each',
    async () => {
      const server = full();
      const wire = await watch(server, revision);
      const resource = server.registerResource('x', 'x:x', {}, () => undefined);
      await quiet();
      expect(wire.notified(changed('resources'))).toHaveLength(1);
      resource.remove();
      await quiet();
      server.registerResource('y', new ResourceTemplate('y:{y}', { list: undefined }), {}, () => undefined);
      await quiet();
      expect(wire.notified(changed('resources'))).toHaveLength(3);
      server.registerPrompt('x', {}, () => ({ messages: [] })).remove();
      await quiet();
      expect(wire.notified(changed('prompts'))).toHaveLength(1);
    },
  );

  test('five registrations in one tick are told once', async () => {
    const server = full();
    const wire = await watch(server, revision);
    for (let index = 0; index < 5; index += 1) {
      server.registerTool(`n${index}`, {}, () => text(''));
      server.registerPrompt(`n${index}`, {}, () => ({ messages: [] }));
      server.registerResource(`n${index}`, `n:${index}`, {}, () => undefined);
      server.sendToolListChanged();
    }
    await quiet();
    for (const list of lists) expect(wire.notified(changed(list))).toHaveLength(1);
  });

  test('the programs may tell of changes themselves, to all clients', async () => {
    const server = full();
    const wires = [await watch(server, revision), await watch(server, revision)];
    server.sendToolListChanged();
    server.sendPromptListChanged();
    await server.server.notification({ method: changed('resources') });
    await quiet();
    for (const wire of wires) for (const list of lists) expect(wire.notified(changed(list)), list).toHaveLength(1);
  });

  proves('L-LIFECYCLE-019').test('a list whose changes were not announced does not tell of them', async () => {
    const server = full({ tools: { listChanged: false } });
    const wire = await watch(server, revision);
    server.registerTool('x', {}, () => text(''));
    server.registerPrompt('x', {}, () => ({ messages: [] }));
    await server.server.notification({ method: changed('tools') });
    await quiet();
    expect(wire.notified(changed('tools'))).toEqual([]);
    expect(wire.notified(changed('prompts'))).toHaveLength(1);
  });

  test('a change told inside a handler reaches those who may hear of it, in the way of their family', async () => {
    const server = full();
    server.registerTool('change', {}, async (ctx) => {
      await ctx.sendNotification({ method: changed('tools') });
      return text('done');
    });
    const [listening, other] = [await watch(server, revision), await Wire.open(server)];
    await listening.call('change', {}, revision);
    expect(listening.notified(changed('tools'))).toHaveLength(1);
    await other.call('change', {}, stateless);
    await quiet();
    expect(other.notified(changed('tools'))).toEqual([]);
  });
});

describe.each(everyHandshake)('sessions in %s', (_id, revision) => {
  proves('L-LIFECYCLE-006').test('nothing is told before the client has said that it is ready', async () => {
    const server = full();
    const wire = await Wire.open(server);
    wire.send({
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: revision.id, capabilities: {}, clientInfo: info },
    });
    await wire.answer(1);
    server.registerTool('x', {}, () => text(''));
    await quiet();
    expect(wire.notifications).toEqual([]);
    wire.notify('notifications/initialized');
    await quiet();
    server.registerTool('y', {}, () => text(''));
    await quiet();
    expect(wire.notified(changed('tools'))).toHaveLength(1);
  });

  proves('L-LIFECYCLE-019').test('a client is not told of a feature that was not there when it asked', async () => {
    const server = new McpServer(info);
    const wire = await Wire.open(server);
    expect((await wire.handshake(revision)).capabilities).toEqual({});
    server.registerTool('x', {}, () => text('served all the same'));
    await quiet();
    expect(wire.notifications).toEqual([]);
    expect((await wire.call('x', {}, revision)).content[0].text).toBe('served all the same');
  });
});

describe('notifications of the program', () => {
  test('those named as mergeable go once a tick, others each time, and with params always', async () => {
    const server = new Server(info, { debouncedNotificationMethods: ['com.example/merged'] });
    const wire = await Wire.open(server);
    await wire.handshake(newestHandshake);
    for (let index = 0; index < 3; index += 1) {
      await Promise.all([
        server.notification({ method: 'com.example/merged' }),
        server.notification({ method: 'com.example/plain' }),
        server.notification({ method: 'com.example/merged', params: { index } }),
      ]);
    }
    await quiet();
    expect(wire.notified('com.example/plain')).toHaveLength(3);
    expect(wire.notified('com.example/merged').filter((frame) => frame.params?.['index'] !== undefined)).toHaveLength(
      3,
    );
    for (let index = 0; index < 3; index += 1) void server.notification({ method: 'com.example/merged' });
    const before = wire.notified('com.example/merged').length;
    await quiet();
    expect(wire.notified('com.example/merged')).toHaveLength(before + 1);
  });

  test('progress outside a handler is a mistake with a word of advice', async () => {
    const server = new Server(info);
    await expect(
      server.notification({ method: 'notifications/progress', params: { progressToken: 1, progress: 1 } }),
    ).rejects.toThrow('inside the handler');
  });
});
