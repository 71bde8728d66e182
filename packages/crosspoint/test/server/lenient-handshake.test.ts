import { describe, expect, test } from 'vitest';
import { Server } from '../../src/server/index.ts';
import { newestHandshake, oldestHandshake, quiet, stateless, Wire } from './wire.ts';

const info = { name: 'polite', version: '1.0' };
const hello = (protocolVersion: string) => ({ protocolVersion, capabilities: {}, clientInfo: info });

async function answer(wire: Wire, id: number, method: string, params = {}): Promise<any> {
  wire.send({ jsonrpc: '2.0', id, method, params });
  return wire.frame((frame) => frame.id === id && frame.method === undefined, method);
}

describe('a lenient handshake', () => {
  test('may be left out, come later and be repeated; `initialized` is told each time', async () => {
    const server = new Server(info, { handshake: 'lenient', capabilities: { tools: {} } });
    server.setRequestHandler('tools/list', () => ({ tools: [] }));
    let told = 0;
    server.oninitialized = () => void (told += 1);
    const wire = await Wire.open(server);
    expect((await answer(wire, 1, 'tools/list')).result).toEqual({ tools: [] });
    wire.notify('notifications/initialized');
    for (const [id, revision] of [newestHandshake, oldestHandshake].entries()) {
      const opened = await answer(wire, id + 2, 'initialize', hello(revision.id));
      expect(opened.result.protocolVersion).toBe(revision.id);
      wire.notify('notifications/initialized');
    }
    await quiet();
    expect(told).toBe(3);
    expect(server.getClientVersion()).toEqual(info);
  });
});

describe('handlers of the program', () => {
  test('answer `ping` and `initialize`; the version in the answer is spoken', async () => {
    const server = new Server(info);
    server.setRequestHandler('ping', () => ({ mine: true }));
    server.setRequestHandler('initialize', async () => ({
      protocolVersion: oldestHandshake.id,
      capabilities: {},
      serverInfo: { name: 'other', version: '2' },
    }));
    const wire = await Wire.open(server);
    const opened = await answer(wire, 1, 'initialize', hello(newestHandshake.id));
    expect(opened.result).toMatchObject({ protocolVersion: oldestHandshake.id, serverInfo: { name: 'other' } });
    expect(server.getClientVersion()).toEqual(info);
    expect((await answer(wire, 2, 'ping')).result).toEqual({ mine: true });
    server.setRequestHandler('com.example/version', (_request: unknown, ctx) => ({ version: ctx.protocolVersion }));
    expect((await answer(wire, 3, 'com.example/version')).result).toEqual({ version: oldestHandshake.id });
  });

  test.each([
    ['refused', undefined],
    ['served', 'lenient' as const],
  ])('of methods that are not declared are %s', async (_what, handshake) => {
    const server = new Server(info, { ...(handshake && { handshake }) });
    const set = () => server.setRequestHandler('resources/subscribe', () => ({ mine: true }));
    if (handshake === undefined) {
      expect(set).toThrow('declare capabilities');
      return;
    }
    set();
    const wire = await Wire.open(server);
    const subscribed = await wire.result('resources/subscribe', { uri: 'a:b' }, newestHandshake);
    expect(subscribed).toEqual({ mine: true });
    expect((await wire.error('logging/setLevel', { level: 'info' }, newestHandshake)).code).toBe(-32601);
  });

  test('are told the reason of a cancellation as the client gave it', async () => {
    const server = new Server(info, { handshake: 'lenient' });
    const reasons: unknown[] = [];
    server.setRequestHandler('com.example/wait', async (_request: unknown, { signal }) => {
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      reasons.push(signal.reason);
      return {};
    });
    const wire = await Wire.open(server);
    await wire.handshake(newestHandshake);
    for (const id of [11, 12, 13]) wire.send({ jsonrpc: '2.0', id, method: 'com.example/wait' });
    wire.notify('notifications/cancelled', { requestId: 11, reason: 'changed my mind' });
    wire.notify('notifications/cancelled', { requestId: 12 });
    await quiet();
    await wire.transport.close();
    await quiet();
    expect(reasons).toEqual(['changed my mind', expect.any(DOMException), 'The connection closed.']);
  });
});

describe('changes', () => {
  const capabilities = { resources: {}, tools: {} };

  test('are all told to a client with a handshake where the server says so, those of a handler with its request', async () => {
    const server = new Server(info, { handshake: 'lenient', capabilities });
    server.setRequestHandler('tools/list', async (_request: unknown, ctx) => {
      await ctx.sendNotification({ method: 'notifications/tools/list_changed' });
      return { tools: [] };
    });
    const wire = await Wire.open(server);
    await wire.handshake(newestHandshake);
    await server.sendToolListChanged();
    await server.notification({ method: 'notifications/resources/updated', params: { uri: 'a:b' } });
    await quiet();
    expect(wire.notifications.map(({ method }) => method).sort()).toEqual([
      'notifications/resources/updated',
      'notifications/tools/list_changed',
    ]);
    await wire.result('tools/list', {}, newestHandshake);
    expect(wire.notified('notifications/tools/list_changed')).toHaveLength(2);
    await wire.result('tools/list', {}, stateless);
    await quiet();
    expect(wire.notified('notifications/tools/list_changed')).toHaveLength(3);
  });

  test('are told as declared otherwise', async () => {
    const server = new Server(info, { capabilities });
    const wire = await Wire.open(server);
    await wire.handshake(newestHandshake);
    await server.sendToolListChanged();
    await quiet();
    expect(wire.notifications).toEqual([]);
  });
});
