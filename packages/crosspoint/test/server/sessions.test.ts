import { describe, expect, test } from 'vitest';
import { revisions } from '../../src/revisions/index.ts';
import { McpServer, Server, text, type ServerOptions } from '../../src/server/index.ts';
import { ManualClock } from '../../src/testing/index.ts';
import { proves } from '../requirements/proves.ts';
import {
  batching,
  everyHandshake,
  handshakes,
  newestHandshake,
  oldestHandshake,
  quiet,
  stateless,
  Wire,
} from './wire.ts';
import { fromJsonSchema } from '../../src/schema/index.ts';

const info = {
  name: 'sessions',
  version: '1.2.3',
  title: 'Sessions',
  description: 'd',
  websiteUrl: 'https://example.com',
  icons: [{ src: 'https://example.com/i.png' }],
};
const clientInfo = { name: 'c', version: '1' };

function simple(options: ServerOptions = {}): McpServer {
  const server = new McpServer(info, options);
  server.registerTool('echo', { inputSchema: fromJsonSchema({ type: 'object' }) }, (args, ctx) =>
    text(`${String(args['words'])} in ${ctx.protocolVersion}`),
  );
  return server;
}

async function initialize(wire: Wire, params: object): Promise<any> {
  const id = wire.newId();
  wire.send({ jsonrpc: '2.0', id, method: 'initialize', params });
  return wire.answer(id);
}

const offer = (protocolVersion: unknown): object => ({ protocolVersion, capabilities: {}, clientInfo });

describe.each(everyHandshake)('the handshake of %s', (_id, revision) => {
  proves('L-LIFECYCLE-003, L-LIFECYCLE-009').test(
    "is answered with the same version, capabilities and the server's name",
    async () => {
      const { result } = await initialize(
        await Wire.open(simple({ instructions: 'Use it well.' })),
        offer(revision.id),
      );
      expect(result).toMatchObject({
        protocolVersion: revision.id,
        capabilities: { tools: { listChanged: true } },
        serverInfo: { name: 'sessions', version: '1.2.3' },
        instructions: 'Use it well.',
      });
      expect(result).not.toHaveProperty('resultType');
    },
  );

  proves('L-LIFECYCLE-031, L-LIFECYCLE-032').test(
    "the server's name is told in the words of the revision, instructions only where there are any",
    async () => {
      const { result } = await initialize(await Wire.open(simple()), offer(revision.id));
      expect(result.serverInfo).toEqual(revision.writeImplementation(info));
      expect(result).not.toHaveProperty('instructions');
    },
  );

  proves('L-LIFECYCLE-014').test(
    'settles the version for the whole session: a second handshake is refused and changes nothing',
    async () => {
      const wire = await Wire.open(simple());
      await wire.handshake(revision);
      const other = revision === newestHandshake ? oldestHandshake : newestHandshake;
      expect((await initialize(wire, offer(other.id))).error).toMatchObject({ code: -32600 });
      expect((await wire.call('echo', { words: 'still' }, revision)).content[0].text).toBe(`still in ${revision.id}`);
      wire.send([{ jsonrpc: '2.0', id: 'b', method: 'ping' }]);
      await quiet();
      expect(wire.answers('b')).toHaveLength(revision.batches ? 1 : 0);
    },
  );

  proves('L-LIFECYCLE-001').test('comes first: nothing but ping is served before it', async () => {
    const server = simple({ capabilities: { logging: {}, resources: { subscribe: true } } });
    server.server.setRequestHandler('com.example/own', () => ({ own: true }));
    const wire = await Wire.open(server);
    for (const method of [
      'tools/list',
      'tools/call',
      'resources/list',
      'resources/subscribe',
      'logging/setLevel',
      'com.example/own',
    ]) {
      wire.send({ jsonrpc: '2.0', id: method, method, params: { name: 'echo', uri: 'a:a', level: 'error' } });
      expect((await wire.answer(method)).error, method).toMatchObject({
        code: -32600,
        message: expect.stringContaining('initialize'),
      });
    }
    await wire.handshake(revision);
    expect(await wire.result('com.example/own', {}, revision)).toEqual({ own: true });
  });

  proves('L-PING-001, L-PING-002').test(
    'ping is answered at once with an empty result: before the handshake, after it, while a handler is busy, with any kind of id',
    async () => {
      const server = simple();
      server.registerTool('busy', {}, () => new Promise(() => {}));
      const wire = await Wire.open(server);
      const ping = async (id: string | number): Promise<void> => {
        wire.send({ jsonrpc: '2.0', id, method: 'ping' });
        expect(await wire.answer(id)).toEqual({ jsonrpc: '2.0', id, result: {} });
      };
      await ping('before');
      await wire.handshake(revision);
      await ping('after');
      wire.start('tools/call', { name: 'busy' }, revision);
      await ping('busy');
      await ping(0);
      await ping('');
    },
  );

  proves('L-MESSAGES-002').test(
    'a server without features completes the handshake, answers ping, and knows no feature',
    async () => {
      const wire = await Wire.open(new Server(info));
      expect((await wire.handshake(revision)).capabilities).toEqual({});
      expect(await wire.result('ping', {}, revision)).toEqual({});
      for (const method of [
        'tools/list',
        'tools/call',
        'prompts/list',
        'resources/list',
        'resources/read',
        'resources/subscribe',
        'logging/setLevel',
        'completion/complete',
        'tasks/list',
        'no/such',
      ]) {
        expect((await wire.error(method, {}, revision)).code, method).toBe(-32601);
      }
    },
  );

  test('requests that only a server may send, and methods of the other family, are not found', async () => {
    const server = simple();
    server.server.fallbackRequestHandler = () => ({ fallback: true });
    const wire = await Wire.open(server);
    for (const method of [
      'roots/list',
      'sampling/createMessage',
      'elicitation/create',
      'server/discover',
      'subscriptions/listen',
    ]) {
      expect((await wire.error(method, {}, revision)).code, method).toBe(-32601);
    }
    expect(await wire.result('com.example/any', {}, revision)).toEqual({ fallback: true });
  });

  proves('L-LIFECYCLE-017, L-LIFECYCLE-016').test('what the client has not declared is not asked of it', async () => {
    const server = simple();
    const wire = await Wire.open(server);
    await wire.handshake(revision);
    await quiet();
    const messages = [{ role: 'user' as const, content: { type: 'text' as const, text: '?' } }];
    await expect(server.server.createMessage({ messages, maxTokens: 1 })).rejects.toMatchObject({
      kind: 'missing-capability',
    });
    await expect(
      server.server.elicitInput({ message: '?', requestedSchema: { type: 'object', properties: {} } }),
    ).rejects.toMatchObject({ kind: 'missing-capability' });
    await expect(server.server.listRoots()).rejects.toMatchObject({ kind: 'missing-capability' });
    await quiet();
    expect(wire.asked).toEqual([]);
  });

  proves('L-LIFECYCLE-006').test(
    'the client is not asked before it has said that it is ready, except whether it lives',
    async () => {
      const server = simple();
      const wire = await Wire.open(server);
      wire.onrequest = () => ({ roots: [] });
      await initialize(wire, { ...offer(revision.id), capabilities: { roots: {} } });
      await expect(server.server.listRoots()).rejects.toThrow('not finished its initialization');
      expect(await server.server.ping()).toEqual({ roots: [] });
      expect(wire.asked.map((frame) => frame.method)).toEqual(['ping']);
      const ready = new Promise<void>((resolve) => {
        server.server.oninitialized = resolve;
      });
      wire.notify('notifications/initialized');
      await ready;
      expect(await server.server.listRoots()).toEqual({ roots: [] });
    },
  );

  proves('L-LIFECYCLE-020').test(
    'capabilities that are not known are harmless, and those for experiments reach the program',
    async () => {
      const server = simple();
      const wire = await Wire.open(server);
      await initialize(wire, { ...offer(revision.id), capabilities: { foo: 7, experimental: { x: { y: 1 } } } });
      expect(server.server.getClientCapabilities()).toMatchObject({ experimental: { x: { y: 1 } } });
      expect(server.server.getClientVersion()).toEqual(clientInfo);
      expect(server.server.getFamily()).toBe('handshake');
    },
  );
});

proves('M-IOP-070').test('the tasks extension of the other family enables no tasks in a handshake', async () => {
  const wire = await Wire.open(simple());
  await wire.handshake(newestHandshake, { extensions: { 'io.modelcontextprotocol/tasks': {} } });
  const result = await wire.result(
    'tools/call',
    { name: 'echo', arguments: { words: 'now' }, task: { ttl: 1000 } },
    newestHandshake,
  );
  expect(result.content[0].text).toContain('now');
  expect(result).not.toHaveProperty('task');
  for (const method of ['tasks/get', 'tasks/list', 'tasks/result', 'tasks/cancel'])
    expect((await wire.error(method, { taskId: 'x' }, newestHandshake)).code).toBe(-32601);
});

describe('negotiation', () => {
  proves('L-LIFECYCLE-010, L-LIFECYCLE-011, L-LIFECYCLE-015').test.each([
    '1.0.0',
    '1999-01-01',
    '2999-12-31',
    '',
    stateless.id,
  ])(
    'the offer of "%s" is answered with the newest version of the handshake: a result, not an error',
    async (version) => {
      expect((await initialize(await Wire.open(simple()), offer(version))).result.protocolVersion).toBe(
        newestHandshake.id,
      );
    },
  );

  proves('L-LIFECYCLE-010, L-LIFECYCLE-011').test(
    'the counter-offer is the newest that this server speaks',
    async () => {
      const wire = await Wire.open(simple({ revisions: [oldestHandshake.id, handshakes[1]!.id] }));
      expect((await initialize(wire, offer(newestHandshake.id))).result.protocolVersion).toBe(handshakes[1]!.id);
    },
  );

  proves('L-LIFECYCLE-003, L-LIFECYCLE-030').test.each([
    ['no params', undefined],
    ['no version', { capabilities: {}, clientInfo }],
    ['a version that is no string', offer(7)],
    ['no capabilities', { protocolVersion: newestHandshake.id, clientInfo }],
    ['capabilities that are no object', { ...offer(newestHandshake.id), capabilities: [] }],
    ['no name of the client', { protocolVersion: newestHandshake.id, capabilities: {} }],
    ['a client without version', { ...offer(newestHandshake.id), clientInfo: { name: 'c' } }],
    ['a client without name', { ...offer(newestHandshake.id), clientInfo: { version: '1' } }],
  ])('%s is -32602, and a good handshake may follow', async (_what, params) => {
    const wire = await Wire.open(simple());
    wire.send({ jsonrpc: '2.0', id: 'bad', method: 'initialize', ...(params && { params }) });
    expect((await wire.answer('bad')).error?.code).toBe(-32602);
    await wire.handshake(newestHandshake);
  });

  test('a server needs a name and a version', () => {
    for (const bad of [undefined, {}, { name: 'x' }, { version: '1' }])
      expect(() => new Server(bad as never)).toThrow(TypeError);
  });

  test('a server speaks at least one revision, and only known ones', () => {
    for (const bad of [[], ['1999-01-01'], 'both'])
      expect(() => new Server(info, { revisions: bad as never })).toThrow(TypeError);
  });
});

describe('a server of one family', () => {
  proves('M-IOP-027, M-ERR-015').test(
    'stateless only: a handshake is refused with the versions that are spoken',
    async () => {
      const wire = await Wire.open(simple({ revisions: 'per-request' }));
      const { error } = await initialize(wire, offer(newestHandshake.id));
      expect(error).toMatchObject({ code: -32022, data: { supported: [stateless.id], requested: newestHandshake.id } });
      expect(error.message).toContain(stateless.id);
      expect((await initialize(wire, {})).error.data).toEqual({
        supported: [stateless.id],
        requested: expect.any(String),
      });
      wire.send({ jsonrpc: '2.0', id: 'ping', method: 'ping' });
      expect((await wire.answer('ping')).error?.code).toBe(-32602);
      await wire.result('server/discover', {}, stateless);
    },
  );

  test.each(everyHandshake)(
    'handshake only: a probe of the stateless family is "method not found", and %s goes on',
    async (_id, revision) => {
      const wire = await Wire.open(simple({ revisions: 'handshake' }));
      expect((await wire.error('server/discover', {}, stateless)).code).toBe(-32601);
      expect((await wire.error('tools/list', {}, stateless)).code).toBe(-32600);
      expect((await wire.call('echo', { words: 'hi' }, revision)).content[0].text).toBe(`hi in ${revision.id}`);
      expect((await wire.error('server/discover', {}, stateless)).code).toBe(-32601);
    },
  );
});

describe('both families on one connection', () => {
  proves('M-IOP-023, M-IOP-024, M-IOP-025, M-VER-004, M-IOP-022').test.each(everyHandshake)(
    'a request that names the stateless revision is served by it, also inside a session of %s',
    async (_id, revision) => {
      const server = simple({ capabilities: { logging: {} } });
      server.registerTool('facts', {}, (ctx) => {
        ctx.log('info', 'hello');
        return text(JSON.stringify([ctx.family, ctx.capabilities, ctx.client?.name]));
      });
      const wire = await Wire.open(server, { sampling: {} });
      expect(
        (
          await wire.call('facts', {}, stateless, {
            capabilities: { roots: {} },
            client: { name: 'before', version: '1' },
          })
        ).content[0].text,
      ).toBe('["per-request",{"roots":{}},"before"]');
      await wire.handshake(revision);
      await wire.result('logging/setLevel', { level: 'debug' }, revision);
      for (let round = 0; round < 3; round += 1) {
        const [modern, legacy] = await Promise.all([
          wire.call('facts', {}, stateless, { capabilities: {}, client: { name: 'modern', version: '1' } }),
          wire.call('facts', {}, revision),
        ]);
        expect(modern.content[0].text).toBe('["per-request",{},"modern"]');
        expect(modern.resultType).toBe('complete');
        expect(legacy.content[0].text).toBe('["handshake",{"sampling":{}},"wire"]');
        expect(legacy).not.toHaveProperty('resultType');
      }
      expect(wire.notified('notifications/message')).toHaveLength(3);
      const _meta = { 'io.modelcontextprotocol/protocolVersion': stateless.id };
      wire.send({ jsonrpc: '2.0', id: 'bare', method: 'tools/call', params: { name: 'facts', _meta } });
      expect((await wire.answer('bare')).error).toMatchObject({ code: -32602 });
    },
  );

  proves('M-IOP-025').test('a malformed claim to be stateless is answered in the stateless way', async () => {
    const wire = await Wire.open(simple());
    await wire.handshake(newestHandshake);
    for (const version of [7, null, {}]) {
      wire.send({
        jsonrpc: '2.0',
        id: JSON.stringify(version),
        method: 'tools/list',
        params: { _meta: { 'io.modelcontextprotocol/protocolVersion': version } },
      });
      expect((await wire.answer(JSON.stringify(version))).error?.code).toBe(-32602);
    }
    wire.send({
      jsonrpc: '2.0',
      id: 'old',
      method: 'tools/list',
      params: {
        _meta: {
          'io.modelcontextprotocol/protocolVersion': newestHandshake.id,
          'io.modelcontextprotocol/clientCapabilities': {},
        },
      },
    });
    expect((await wire.answer('old')).error).toMatchObject({
      code: -32022,
      data: { supported: [stateless.id], requested: newestHandshake.id },
    });
  });
});

describe('heartbeat', () => {
  async function beating(): Promise<{ server: McpServer; wire: Wire; clock: ManualClock; problems: Error[] }> {
    const clock = new ManualClock();
    const server = simple({ clock, heartbeat: { intervalMs: 1000, failures: 2 } });
    const problems: Error[] = [];
    server.server.onerror = (error) => problems.push(error);
    return { server, wire: await Wire.open(server), clock, problems };
  }

  proves('L-PING-004, L-PING-005').test(
    'a handshake client is pinged at the interval, from when it is ready on',
    async () => {
      const { wire, clock } = await beating();
      wire.onrequest = () => ({});
      await clock.advance(5000);
      expect(wire.asked).toEqual([]);
      await wire.handshake(newestHandshake);
      await quiet();
      for (let beat = 1; beat <= 3; beat += 1) {
        await clock.advance(1000);
        await quiet();
        expect(wire.asked.map((frame) => frame.method)).toEqual(Array.from({ length: beat }, () => 'ping'));
      }
      expect(wire.closed).toBe(false);
    },
  );

  proves('L-PING-003, L-PING-006, L-PING-008, L-PING-009').test(
    'a client that stops answering is reported and closed',
    async () => {
      const { server, wire, clock, problems } = await beating();
      await wire.handshake(newestHandshake);
      await quiet();
      await clock.advance(2000);
      await quiet();
      expect(wire.closed).toBe(false);
      await clock.advance(2000);
      await quiet();
      expect(problems).toEqual([expect.objectContaining({ code: 'stale' })]);
      expect(wire.closed).toBe(true);
      expect(server.isConnected()).toBe(false);
      expect(clock.pending).toBe(0);
    },
  );

  test('a stateless client is never pinged, and closing stops the heart', async () => {
    const { server, wire, clock } = await beating();
    await wire.result('tools/list', {}, stateless);
    await clock.advance(10_000);
    expect(wire.asked).toEqual([]);
    await wire.handshake(newestHandshake);
    await quiet();
    await server.close();
    expect(clock.pending).toBe(0);
  });
});

proves('L-LIFECYCLE-015').test('every revision is found by its exact name only', async () => {
  for (const revision of revisions) expect(revision.id).toMatch(/^\d{4}-\d{2}-\d{2}$/);
  const wire = await Wire.open(simple());
  expect((await initialize(wire, offer(`${batching.id} `))).result.protocolVersion).toBe(newestHandshake.id);
});
