import { describe, expect, test } from 'vitest';
import { LOG_LEVELS, type LoggingLevel } from '../../src/protocol/logging.ts';
import { META_LOG_LEVEL, META_SUBSCRIPTION_ID } from '../../src/protocol/meta.ts';
import { McpServer, text, type McpServerOptions } from '../../src/server/index.ts';
import { ManualClock } from '../../src/testing/index.ts';
import { proves } from '../requirements/proves.ts';
import { everyHandshake, everyRevision, newestHandshake, quiet, stateless, Wire, type SpeakOptions } from './wire.ts';
import { fromJsonSchema } from '../../src/schema/index.ts';
import { clientWordsOf } from '../../src/revisions/client-words.ts';

const info = { name: 'logging', version: '1.0' };
const logging: McpServerOptions = { capabilities: { logging: {} } };
const MESSAGE = 'notifications/message';

function logger(options: McpServerOptions = logging): McpServer {
  const server = new McpServer(info, options);
  server.registerTool('all', {}, (ctx) => {
    for (const level of LOG_LEVELS) ctx.log(level, level, 'demo');
    return text('done');
  });
  server.registerTool('log', { inputSchema: fromJsonSchema({ type: 'object' }) }, (args, ctx) => {
    ctx.log('error', args['data']);
    return text('done');
  });
  return server;
}

const levels = (wire: Wire): unknown[] => wire.notified(MESSAGE).map((frame) => frame.params?.['level']);

describe.each(everyRevision)('logging in %s', (_id, revision) => {
  const verbose: SpeakOptions = revision === stateless ? { logLevel: 'debug' } : {};

  proves('L-LOGGING-001, M-LOG-001').test(
    'logging is declared, and a server that did not declare it cannot log',
    async () => {
      expect((await (await Wire.open(logger())).declared(revision)).logging).toEqual({});
      const wire = await Wire.open(logger({}));
      expect(await wire.declared(revision)).not.toHaveProperty('logging');
      expect(await wire.call('all', {}, revision, verbose)).toMatchObject({
        isError: true,
        content: [{ text: expect.stringContaining('capabilities: { logging: {} }') }],
      });
      expect(wire.notified(MESSAGE)).toEqual([]);
      await expect(logger({}).sendLoggingMessage({ level: 'error', data: '' })).rejects.toThrow(TypeError);
    },
  );

  proves('L-LOGGING-002, M-LOG-009, L-LOGGING-006').test(
    'a message has one of the eight levels, data of any kind and perhaps a logger',
    async () => {
      expect(LOG_LEVELS).toEqual(['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency']);
      const wire = await Wire.open(logger());
      await wire.call('all', {}, revision, verbose);
      expect(levels(wire)).toEqual(LOG_LEVELS);
      expect(wire.notified(MESSAGE)[0]?.params).toEqual({ level: 'debug', logger: 'demo', data: 'debug' });
      const values = ['text', 7, null, false, [1, 'two'], { a: { b: 1 } }];
      for (const data of values) await wire.call('log', { data }, revision, verbose);
      const sent = wire.notified(MESSAGE).slice(LOG_LEVELS.length);
      expect(sent.map((frame) => frame.params?.['data'])).toEqual(values);
      expect(sent[0]?.params).not.toHaveProperty('logger');
    },
  );

  test("a level that is none is the program's mistake", async () => {
    const server = new McpServer(info, logging);
    server.registerTool('odd', {}, (ctx) => {
      ctx.log('verbose' as LoggingLevel, '');
      return text('');
    });
    const wire = await Wire.open(server);
    expect(await wire.call('odd', {}, revision, verbose)).toMatchObject({ isError: true });
    expect(wire.notified(MESSAGE)).toEqual([]);
  });

  proves('L-LOGGING-011, L-LOGGING-012, M-LOG-007').test('what looks like a credential does not leave', async () => {
    const secrets = {
      authorization: 'Bearer abcdefghijklmnop',
      nested: [{ api_key: 'k-123' }],
      url: 'https://x/?access_token=tok123456',
      text: 'Authorization: Bearer eyJhbGciOiJI.eyJzdWIiOiIx.abc',
      github: 'ghp_0123456789abcdefghijABCDEF',
      aws: 'AKIAIOSFODNN7EXAMPLE',
      clientSecret: 's3cr3t',
      password: 'hunter2',
    };
    const wire = await Wire.open(logger());
    await wire.call('log', { data: secrets }, revision, verbose);
    const sent = JSON.stringify(wire.notified(MESSAGE));
    for (const secret of [
      'abcdefghijklmnop',
      'k-123',
      'tok123456',
      'eyJhbGciOiJI',
      'ghp_',
      'AKIA',
      's3cr3t',
      'hunter2',
    ])
      expect(sent).not.toContain(secret);
    await wire.call('log', { data: { order: 7, note: 'the token bucket is full' } }, revision, verbose);
    expect(wire.notified(MESSAGE)[1]?.params?.['data']).toEqual({ order: 7, note: 'the token bucket is full' });
  });

  proves('L-LOGGING-008').test('a flood is thinned, and the reader is told how much is missing', async () => {
    const clock = new ManualClock();
    const server = new McpServer(info, { ...logging, clock });
    server.registerTool('flood', { inputSchema: fromJsonSchema({ type: 'object' }) }, (args, ctx) => {
      for (let index = 0; index < Number(args['times']); index += 1) ctx.log('error', index);
      return text('');
    });
    const wire = await Wire.open(server);
    await wire.call('flood', { times: 5000 }, revision, verbose);
    expect(wire.notified(MESSAGE)).toHaveLength(1000);
    await clock.advance(1000);
    await wire.call('flood', { times: 1 }, revision, verbose);
    const [notice, last] = wire.notified(MESSAGE).slice(1000);
    expect(notice?.params).toMatchObject({ level: 'warning', data: expect.stringContaining('4000') });
    expect(last?.params?.['data']).toBe(0);
  });

  test('what cannot be told as it is does no harm', async () => {
    const server = new McpServer(info, logging);
    const cycle: Record<string, unknown> = { big: 7n, error: new Error('token=abcdef') };
    for (let index = 0; index < 20; index += 1) cycle[`self${index}`] = cycle;
    server.registerTool('odd', {}, (ctx) => {
      ctx.log('error', cycle);
      ctx.log('error', 'after');
      return text('done');
    });
    const wire = await Wire.open(server);
    await wire.call('odd', {}, revision, verbose);
    const sent = wire.notified(MESSAGE);
    expect(sent.map((frame) => frame.params?.['data']).at(-1)).toBe('after');
    expect(sent[0]?.params?.['data']).toMatchObject({ big: '7', error: 'Error: token=[redacted]' });
  });

  test('a hand-written message keeps the same rules', async () => {
    const server = new McpServer(info, logging);
    server.registerTool('hand', {}, async (ctx) => {
      await ctx.sendNotification({ method: MESSAGE, params: { level: 'debug', data: 'low' } });
      await ctx.sendNotification({ method: MESSAGE, params: { level: 'error', data: 'password=hunter2' } });
      return text('');
    });
    const wire = await Wire.open(server);
    if (revision !== stateless) await wire.result('logging/setLevel', { level: 'warning' }, revision);
    await wire.call('hand', {}, revision, revision === stateless ? { logLevel: 'warning' } : {});
    expect(wire.notified(MESSAGE).map((frame) => frame.params)).toEqual([
      { level: 'error', data: 'password=[redacted]' },
    ]);
  });
});

describe.each(everyHandshake)('levels of a session in %s', (_id, revision) => {
  proves('L-LOGGING-003, L-LOGGING-004').test.each(LOG_LEVELS.map((level, index) => [level, index] as const))(
    'after setLevel %s exactly that and what is worse is sent',
    async (level, index) => {
      const wire = await Wire.open(logger());
      expect(await wire.result('logging/setLevel', { level }, revision)).toEqual({});
      await wire.call('all', {}, revision);
      expect(levels(wire)).toEqual(LOG_LEVELS.slice(index));
    },
  );

  proves('L-LOGGING-007').test('a level that is none is -32602 and changes nothing', async () => {
    const wire = await Wire.open(logger());
    await wire.result('logging/setLevel', { level: 'error' }, revision);
    for (const level of ['verbose', 'ERROR', 7, null, undefined])
      expect((await wire.error('logging/setLevel', { level }, revision)).code).toBe(-32602);
    await wire.call('all', {}, revision);
    expect(levels(wire)).toEqual(['error', 'critical', 'alert', 'emergency']);
  });

  test('the level of one session is not that of another', async () => {
    const server = logger();
    const [one, two] = [await Wire.open(server), await Wire.open(server)];
    await one.result('logging/setLevel', { level: 'emergency' }, revision);
    await two.call('all', {}, revision);
    expect(levels(two)).toHaveLength(8);
    expect(levels(one)).toEqual([]);
  });

  test('outside a handler a message goes to every session that wants it, or to the one that is named', async () => {
    const server = logger();
    const [one, two, modern] = [await Wire.open(server), await Wire.open(server), await Wire.open(server)];
    one.serverTransport.sessionId = 'one';
    await one.result('logging/setLevel', { level: 'error' }, revision);
    await two.handshake(revision);
    await modern.result('tools/list', {}, stateless, { logLevel: 'debug' });
    await server.sendLoggingMessage({ level: 'info', data: 'for two' });
    await server.sendLoggingMessage({ level: 'error', data: 'token=abcdef' });
    await server.server.sendLoggingMessage({ level: 'alert', data: 'for one' }, 'one');
    await server.server.notification({ method: MESSAGE, params: { level: 'alert', data: 'by hand' } });
    await quiet();
    const data = (wire: Wire): unknown[] => wire.notified(MESSAGE).map((frame) => frame.params?.['data']);
    expect(data(one)).toEqual(['token=[redacted]', 'for one', 'by hand']);
    expect(data(two)).toEqual(['for two', 'token=[redacted]', 'by hand']);
    expect(data(modern)).toEqual([]);
  });
});

describe('levels of a request', () => {
  proves('M-LOG-002').test('without a level in the request nothing is sent', async () => {
    const wire = await Wire.open(logger());
    await wire.call('all', {}, stateless);
    await quiet();
    expect(wire.notified(MESSAGE)).toEqual([]);
  });

  proves('M-LOG-003').test.each(LOG_LEVELS.map((level, index) => [level, index] as const))(
    'with %s exactly that and what is worse is sent',
    async (level, index) => {
      const wire = await Wire.open(logger());
      await wire.call('all', {}, stateless, { logLevel: level });
      expect(levels(wire)).toEqual(LOG_LEVELS.slice(index));
      await wire.call('all', {}, stateless);
      expect(levels(wire)).toHaveLength(8 - index);
    },
  );

  proves('M-LOG-005').test('an unknown level is -32602', async () => {
    const wire = await Wire.open(logger());
    const { params } = {
      params: clientWordsOf(stateless).writeRequest({
        method: 'tools/call',
        params: { name: 'all' },
        facts: { capabilities: {} },
      }),
    };
    wire.send({
      jsonrpc: '2.0',
      id: 9,
      method: 'tools/call',
      params: { ...params, _meta: { ...(params['_meta'] as object), [META_LOG_LEVEL]: 'verbose' } },
    });
    expect((await wire.answer(9)).error?.code).toBe(-32602);
  });

  proves('M-LOG-004').test(
    'messages belong to the request that asked: none carries a subscription, none comes for another request',
    async () => {
      const server = logger();
      const wire = await Wire.open(server);
      const listen = wire.start('subscriptions/listen', { notifications: { toolsListChanged: true } }, stateless);
      await wire.notification('notifications/subscriptions/acknowledged');
      const related: unknown[] = [];
      const send = wire.serverTransport.send.bind(wire.serverTransport);
      wire.serverTransport.send = (message, options) => {
        if ('method' in message && message.method === MESSAGE) related.push(options?.relatedRequestId);
        send(message, options);
      };
      const id = wire.start('tools/call', { name: 'all' }, stateless, { logLevel: 'alert' });
      await wire.answer(id);
      expect(related).toEqual([id, id]);
      expect(listen).not.toBe(id);
      for (const frame of wire.notified(MESSAGE)) expect(frame.params?._meta?.[META_SUBSCRIPTION_ID]).toBeUndefined();
    },
  );

  test('logging/setLevel is no method here', async () => {
    expect((await (await Wire.open(logger())).error('logging/setLevel', { level: 'error' }, stateless)).code).toBe(
      -32601,
    );
  });
});

test('a program may handle logging/setLevel itself', async () => {
  const server = logger();
  const seen: unknown[] = [];
  server.server.setRequestHandler('logging/setLevel', (request: { params: { level: string } }) => {
    seen.push(request.params.level);
    return {};
  });
  await (await Wire.open(server)).result('logging/setLevel', { level: 'error' }, newestHandshake);
  expect(seen).toEqual(['error']);
});
