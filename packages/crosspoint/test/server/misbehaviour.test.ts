import { describe, expect, test } from 'vitest';
import { McpServer, ProtocolError, Server, text } from '../../src/server/index.ts';
import { everyRevision, newestHandshake, quiet, stateless, Wire } from './wire.ts';

const info = { name: 'misbehaviour', version: '1.0' };

function handling(handler: () => unknown): { server: Server; problems: Error[] } {
  const server = new Server(info);
  const problems: Error[] = [];
  server.onerror = (error) => problems.push(error);
  server.setRequestHandler('com.example/x', handler as never);
  return { server, problems };
}

const cycle: Record<string, unknown> = {};
cycle['self'] = cycle;

describe.each(everyRevision)('handlers that misbehave in %s', (_id, revision) => {
  test.each([
    ['nothing', undefined],
    ['null', null],
    ['a string', 'text'],
    ['a number', 7],
    ['an array', [1]],
    ['a function', () => {}],
  ])('%s instead of a result is an internal error, from a function and from a promise', async (_what, value) => {
    for (const handler of [() => value, () => Promise.resolve(value)]) {
      const { server, problems } = handling(handler);
      const wire = await Wire.open(server);
      expect(await wire.error('com.example/x', {}, revision)).toEqual({ code: -32603, message: 'Internal error' });
      expect(problems.map((problem) => problem.message)).toEqual([expect.stringContaining('com.example/x')]);
    }
  });

  test.each([
    ['a BigInt', { big: 7n }],
    ['a cycle', cycle],
    [
      'a toJSON that throws',
      {
        x: {
          toJSON: () => {
            throw new Error('no');
          },
        },
      },
    ],
  ])('a result with %s still gets its caller an answer', async (_what, value) => {
    const { server, problems } = handling(() => value);
    const wire = await Wire.open(server);
    expect(await wire.error('com.example/x', {}, revision)).toMatchObject({ code: -32603 });
    expect(problems).not.toEqual([]);
    expect((await wire.error('no/such', {}, revision)).code).toBe(-32601);
  });

  test.each([
    ['an Error', new Error('secret'), 'secret'],
    ['a string', 'secret', 'secret'],
    ['nothing', undefined, 'undefined'],
    ['an object', { secret: 1 }, '[object Object]'],
  ])('%s thrown is an internal error whose words stay here', async (_what, thrown, reported) => {
    for (const handler of [
      () => {
        // oxlint-disable-next-line typescript/only-throw-error -- that is the misbehaviour
        throw thrown;
      },
      () => Promise.reject(thrown),
    ]) {
      const { server, problems } = handling(handler);
      const wire = await Wire.open(server);
      expect(await wire.error('com.example/x', {}, revision)).toEqual({ code: -32603, message: 'Internal error' });
      expect(problems.map((problem) => problem.message)).toEqual([reported]);
    }
  });

  test('an error whose data cannot be written is still an error', async () => {
    const { server } = handling(() => Promise.reject(new ProtocolError('invalid-params', 'x', cycle)));
    expect((await (await Wire.open(server)).error('com.example/x', {}, revision)).code).toBe(-32603);
  });

  test('an error of another copy of this library is taken for what it is, and reported to nobody', async () => {
    const foreign = Object.assign(new Error('theirs'), {
      name: 'ProtocolError',
      kind: 'invalid-params',
      code: -32602,
      data: undefined,
    });
    const { server, problems } = handling(() => Promise.reject(foreign));
    expect(await (await Wire.open(server)).error('com.example/x', {}, revision)).toEqual({
      code: -32602,
      message: 'theirs',
    });
    expect(problems).toEqual([]);
  });

  test('a handler that never ends holds up nobody else and can be cancelled', async () => {
    const server = new McpServer(info);
    server.registerTool('never', {}, () => new Promise(() => {}));
    server.registerTool('quick', {}, () => text('quick'));
    const wire = await Wire.open(server);
    if (revision !== stateless) await wire.handshake(revision);
    const id = wire.start('tools/call', { name: 'never' }, revision);
    expect((await wire.call('quick', {}, revision)).content[0].text).toBe('quick');
    wire.notify('notifications/cancelled', { requestId: id });
    await quiet();
    expect(wire.answers(id)).toEqual([]);
    await server.close();
  });

  test('a structured result that cannot be written is an internal error', async () => {
    const server = new McpServer(info);
    server.registerTool('big', {}, () => ({ structuredContent: { big: 7n } }));
    expect((await (await Wire.open(server)).error('tools/call', { name: 'big' }, revision)).code).toBe(-32603);
  });

  test('a thenable is awaited like a promise', async () => {
    // oxlint-disable-next-line unicorn/no-thenable -- the subject of the test
    const { server } = handling(() => ({ then: (resolve: (value: object) => void) => resolve({ ok: true }) }));
    expect(await (await Wire.open(server)).result('com.example/x', {}, revision)).toMatchObject({ ok: true });
  });
});

describe('callbacks that throw', () => {
  test('in oninitialized they are reported and end nothing', async () => {
    const server = new Server(info);
    const problems: Error[] = [];
    server.onerror = (error) => problems.push(error);
    server.oninitialized = () => {
      throw new Error('not ready');
    };
    const wire = await Wire.open(server);
    await wire.handshake(newestHandshake);
    await quiet();
    expect(problems.map((problem) => problem.message)).toEqual(['not ready']);
    await wire.result('ping', {}, newestHandshake);
  });

  test('a transport that cannot start leaves no connection behind', async () => {
    const server = new Server(info);
    await expect(
      server.connect({
        start: () => Promise.reject(new Error('no wire')),
        send: () => {},
        close: () => Promise.resolve(),
      }),
    ).rejects.toThrow('no wire');
    expect(server.isConnected()).toBe(false);
  });

  test('a transport that fails is reported', async () => {
    const server = new Server(info);
    const problems: Error[] = [];
    server.onerror = (error) => problems.push(error);
    const wire = await Wire.open(server);
    wire.serverTransport.onerror?.(new Error('static on the line'));
    wire.serverTransport.send = () => Promise.reject(new Error('line cut')) as never;
    wire.send({ jsonrpc: '2.0', id: 1, method: 'ping' });
    await quiet();
    expect(problems.map((problem) => problem.message)).toEqual(['static on the line', 'line cut']);
  });
});
