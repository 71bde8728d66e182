import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import * as z3 from 'zod/v3';
import * as core from 'zod/v4/core';
import { McpServer, Server, text, type ServerContext } from '../../src/server/index.ts';
import { everyRevision, newestHandshake, quiet, stateless, Wire } from './wire.ts';

const info = { name: 'low', version: '1.0' };

const schemas = {
  'zod 4': z.object({
    method: z.literal('com.example/add'),
    params: z.object({ a: z.number(), b: z.coerce.number() }),
  }),
  'zod 3': z3.object({
    method: z3.literal('com.example/add'),
    params: z3.object({ a: z3.number(), b: z3.coerce.number() }),
  }),
};

describe.each(everyRevision)('the low-level server in %s', (_id, revision) => {
  test.each(Object.entries(schemas))(
    'a handler is registered by a schema of %s and gets what the schema read',
    async (_kind, schema) => {
      const server = new Server(info);
      server.setRequestHandler(schema, (request: { params: { a: number; b: number } }) => ({
        sum: request.params.a + request.params.b,
      }));
      const wire = await Wire.open(server);
      expect(await wire.result('com.example/add', { a: 1, b: '2' }, revision)).toMatchObject({ sum: 3 });
      expect((await wire.error('com.example/add', { a: 'one' }, revision)).code).toBe(-32602);
    },
  );

  test('a handler is registered by a schema of the core of zod, which cannot parse by itself', async () => {
    const method = new core.$ZodLiteral({ type: 'literal', values: ['com.example/core'] });
    const schema = new core.$ZodObject({ type: 'object', shape: { method } });
    const server = new Server(info);
    server.setRequestHandler(schema as never, (request: { params: { a: number } }) => ({ a: request.params.a }));
    const wire = await Wire.open(server);
    expect(await wire.result('com.example/core', { a: 1 }, revision)).toMatchObject({ a: 1 });
  });

  test('what answers a method is what is registered now, however often it was called before', async () => {
    const server = new Server(info, { capabilities: { tools: {} } });
    const answer = (from: string) => () => ({ tools: [], from });
    const asked = async (): Promise<unknown> => (await wire.result('tools/list', {}, revision))['from'];
    server.setRequestHandler('tools/list', answer('first'));
    const wire = await Wire.open(server);
    expect([await asked(), await asked()]).toEqual(['first', 'first']);
    server.setRequestHandler('tools/list', answer('second'));
    expect(await asked()).toBe('second');
    server.removeRequestHandler('tools/list');
    expect((await wire.error('tools/list', {}, revision)).code).toBe(-32601);
    server.fallbackRequestHandler = answer('third');
    expect([await asked(), await asked()]).toEqual(['third', 'third']);
    server.fallbackRequestHandler = answer('fourth');
    expect(await asked()).toBe('fourth');
  });

  test('a handler is registered by name and gets method, params and context', async () => {
    const server = new Server(info);
    server.setRequestHandler(
      'com.example/ctx',
      (request: { method: string; params: { x: number } }, ctx: ServerContext) => ({
        method: request.method,
        x: request.params.x,
        version: ctx.protocolVersion,
        id: ctx.requestId,
        meta: ctx._meta?.['com.example/m'],
      }),
    );
    const wire = await Wire.open(server);
    expect(
      await wire.result('com.example/ctx', { x: 7, _meta: { 'com.example/m': 'kept' } }, revision, { id: 'mine' }),
    ).toMatchObject({ method: 'com.example/ctx', x: 7, version: revision.id, id: 'mine', meta: 'kept' });
  });

  test('features by hand: the program lists and calls tools itself', async () => {
    const server = new Server(info, { capabilities: { tools: {} } });
    server.setRequestHandler('tools/list', () => ({ tools: [{ name: 'hand', inputSchema: { type: 'object' } }] }));
    server.setRequestHandler('tools/call', (request: { params: { name: string } }) => ({
      ...text(`called ${request.params.name}`),
    }));
    const wire = await Wire.open(server);
    expect(await wire.declared(revision)).toEqual({ tools: {} });
    expect((await wire.result('tools/list', {}, revision)).tools[0].name).toBe('hand');
    expect((await wire.call('hand', {}, revision)).content[0].text).toBe('called hand');
  });

  test('the fallback handler gets what nobody else handles, and removing a handler gives it back', async () => {
    const server = new Server(info);
    server.setRequestHandler('com.example/own', () => ({ by: 'own' }));
    server.fallbackRequestHandler = ({ method }) => ({ by: 'fallback', method });
    const wire = await Wire.open(server);
    expect(await wire.result('com.example/own', {}, revision)).toMatchObject({ by: 'own' });
    expect(await wire.result('com.example/other', {}, revision)).toMatchObject({
      by: 'fallback',
      method: 'com.example/other',
    });
    server.removeRequestHandler('com.example/own');
    expect(await wire.result('com.example/own', {}, revision)).toMatchObject({ by: 'fallback' });
    server.fallbackRequestHandler = undefined;
    expect((await wire.error('com.example/own', {}, revision)).code).toBe(-32601);
  });

  test.each([
    ['zod 4', z.object({ method: z.literal('com.example/note'), params: z.object({ n: z.number() }) })],
    ['zod 3', z3.object({ method: z3.literal('com.example/note'), params: z3.object({ n: z3.number() }) })],
    ['a name', 'com.example/note'],
  ])('notifications are handled by %s, and those nobody handles go to the fallback', async (_kind, key) => {
    const server = new Server(info);
    const seen: unknown[] = [];
    const problems: Error[] = [];
    server.onerror = (error) => problems.push(error);
    server.setNotificationHandler(key, (notification: { params: { n: number } }) => {
      seen.push(notification.params.n);
    });
    server.fallbackNotificationHandler = ({ method }) => {
      seen.push(method);
    };
    const wire = await Wire.open(server);
    if (revision !== stateless) await wire.handshake(revision);
    wire.notify('com.example/note', { n: 1 });
    wire.notify('com.example/unknown');
    await quiet();
    expect(seen.filter((one) => one !== 'notifications/initialized')).toEqual([1, 'com.example/unknown']);
    server.removeNotificationHandler('com.example/note');
    wire.notify('com.example/note', { n: 2 });
    if (typeof key !== 'string') {
      server.setNotificationHandler(key, () => {});
      wire.notify('com.example/note', { n: 'bad' });
    }
    await quiet();
    expect(problems).toHaveLength(typeof key === 'string' ? 0 : 1);
  });
});

describe('misuse', () => {
  test('a handler for a feature that is not declared is refused at once', () => {
    const server = new Server(info);
    for (const method of [
      'tools/list',
      'tools/call',
      'resources/read',
      'resources/subscribe',
      'prompts/get',
      'logging/setLevel',
      'completion/complete',
    ]) {
      expect(() => server.setRequestHandler(method, () => ({})), method).toThrow(
        /declare capabilities: \{ \w+: \{\} \}/,
      );
    }
    server.registerCapabilities({ tools: {} });
    server.setRequestHandler('tools/list', () => ({ tools: [] }));
    server.setRequestHandler('com.example/own', () => ({}));
  });

  test('something without a method is no key for a handler', () => {
    const server = new Server(info);
    for (const bad of [undefined, 7, {}, z.object({ params: z.string() }), z.object({ method: z.string() })])
      expect(() => server.setRequestHandler(bad as string, () => ({}))).toThrow(TypeError);
  });

  test('assertCanSetRequestHandler tells of a handler that is there', () => {
    const server = new Server(info);
    server.assertCanSetRequestHandler('com.example/x');
    server.setRequestHandler('com.example/x', () => ({}));
    expect(() => server.assertCanSetRequestHandler('com.example/x')).toThrow('already a handler');
    expect(server.hasRequestHandler('com.example/x')).toBe(true);
  });
});

test('a program may replace what McpServer answers, before or after registering', async () => {
  const server = new McpServer(info, { capabilities: { tools: {} } });
  server.server.setRequestHandler('tools/list', () => ({ tools: [{ name: 'own', inputSchema: { type: 'object' } }] }));
  server.registerTool('real', {}, () => text('real'));
  const wire = await Wire.open(server);
  expect((await wire.result('tools/list', {}, newestHandshake)).tools.map((tool: any) => tool.name)).toEqual(['own']);
  expect((await wire.call('real', {}, newestHandshake)).content[0].text).toBe('real');
});

test('requests to the client by hand, with progress under their own unique token', async () => {
  const server = new Server(info);
  const wire = await Wire.open(server);
  await wire.handshake(newestHandshake);
  await quiet();
  const seen: unknown[] = [];
  const sent = [1, 2].map((n) =>
    server.request({ method: 'com.example/work', params: { n } }, undefined, {
      onprogress: (progress) => seen.push([n, progress.progress]),
    }),
  );
  await quiet();
  const tokens = wire.asked.map((frame) => frame.params?._meta?.['progressToken']);
  expect(new Set(tokens).size).toBe(2);
  for (const token of [...tokens, 'unknown'])
    wire.notify('notifications/progress', { progressToken: token, progress: 0.5 });
  for (const frame of wire.asked) wire.send({ jsonrpc: '2.0', id: frame.id, result: { done: frame.params?.['n'] } });
  expect(await Promise.all(sent)).toEqual([{ done: 1 }, { done: 2 }]);
  expect(seen).toEqual([
    [1, 0.5],
    [2, 0.5],
  ]);
  await expect(server.request({ method: 'tools/list' })).rejects.toMatchObject({ kind: 'method-not-found' });
});
