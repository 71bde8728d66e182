import { describe, expect, test } from 'vitest';
import { META_CLIENT_CAPABILITIES, META_PROTOCOL_VERSION, META_SERVER_INFO } from '../../src/protocol/meta.ts';
import { revisions } from '../../src/revisions/index.ts';
import {
  McpServer,
  ProtocolError,
  ResourceTemplate,
  Server,
  completable,
  text,
  type ServerContext,
} from '../../src/server/index.ts';
import * as z from 'zod';
import { proves } from '../requirements/proves.ts';
import { newestHandshake, quiet, stateless, Wire } from './wire.ts';
import { fromJsonSchema } from '../../src/schema/index.ts';
import { clientWordsOf } from '../../src/revisions/client-words.ts';

const info = { name: 'stateless', version: '1.0', title: 'Stateless' };
const messages = [{ role: 'user' as const, content: { type: 'text' as const, text: '?' } }];

function full(options = {}): McpServer {
  const server = new McpServer(info, { capabilities: { logging: {}, resources: { subscribe: true } }, ...options });
  server.registerTool('t', {}, () => text('done'));
  server.registerPrompt('p', { argsSchema: { x: completable(z.string(), () => ['a']) } }, () => ({ messages: [] }));
  server.registerResource('r', 'r:r', {}, () => ({ contents: [] }));
  server.registerResource('rt', new ResourceTemplate('rt:{x}', { list: undefined }), {}, () => ({ contents: [] }));
  return server;
}

const requests: [string, object][] = [
  ['server/discover', {}],
  ['tools/list', {}],
  ['tools/call', { name: 't' }],
  ['resources/list', {}],
  ['resources/templates/list', {}],
  ['resources/read', { uri: 'r:r' }],
  ['prompts/list', {}],
  ['prompts/get', { name: 'p', arguments: { x: '' } }],
  ['completion/complete', { ref: { type: 'ref/prompt', name: 'p' }, argument: { name: 'x', value: '' } }],
];

describe('every request', () => {
  proves('M-BASE-007, M-BASE-008, M-BASE-028, M-VER-003').test.each(requests)(
    '%s is answered, also as the first one, with a result that says what it is and who gave it',
    async (method, params) => {
      const wire = await Wire.open(full());
      const frame = await wire.request(method, { ...params }, stateless);
      expect(frame.error).toBeUndefined();
      expect(frame.result).toMatchObject({ resultType: 'complete', _meta: { [META_SERVER_INFO]: info } });
      expect(Object.keys(frame).sort()).toEqual(['id', 'jsonrpc', 'result']);
    },
  );

  proves('M-BASE-022, M-DISC-009').test.each(requests)(
    '%s without a required member of _meta is -32602',
    async (method, params) => {
      const wire = await Wire.open(full({ revisions: 'per-request' }));
      const version = { [META_PROTOCOL_VERSION]: stateless.id };
      const capabilities = { [META_CLIENT_CAPABILITIES]: {} };
      for (const [index, meta] of [
        undefined,
        {},
        version,
        capabilities,
        { ...version, [META_CLIENT_CAPABILITIES]: null },
        { ...capabilities, [META_PROTOCOL_VERSION]: 7 },
      ].entries()) {
        wire.send({ jsonrpc: '2.0', id: index, method, params: { ...params, ...(meta && { _meta: meta }) } });
        expect((await wire.answer(index)).error?.code, JSON.stringify(meta)).toBe(-32602);
      }
      wire.send({ jsonrpc: '2.0', id: 'bare', method });
      expect((await wire.answer('bare')).error?.code).toBe(-32602);
    },
  );

  proves('M-VER-001, M-ERR-015, M-DISC-009').test.each(requests)(
    '%s in a version that is not spoken is -32022 and names those that are',
    async (method, params) => {
      for (const server of [full(), full({ revisions: 'per-request' })]) {
        const wire = await Wire.open(server);
        for (const version of ['1900-01-01', '2999-01-01', newestHandshake.id, 'x']) {
          wire.send({
            jsonrpc: '2.0',
            id: version,
            method,
            params: { ...params, _meta: { [META_PROTOCOL_VERSION]: version, [META_CLIENT_CAPABILITIES]: {} } },
          });
          expect((await wire.answer(version)).error).toMatchObject({
            code: -32022,
            data: { supported: [stateless.id], requested: version },
          });
        }
        await wire.result(method, { ...params }, stateless);
      }
    },
  );

  proves('M-VER-004').test(
    'each request is judged by its own version: one of another in between changes nothing',
    async () => {
      const wire = await Wire.open(full());
      for (let round = 0; round < 3; round += 1) {
        await wire.result('tools/list', {}, stateless);
        wire.send({
          jsonrpc: '2.0',
          id: `bad${round}`,
          method: 'tools/list',
          params: { _meta: { [META_PROTOCOL_VERSION]: '1900-01-01', [META_CLIENT_CAPABILITIES]: {} } },
        });
        expect((await wire.answer(`bad${round}`)).error?.code).toBe(-32022);
      }
    },
  );

  proves('M-BASE-006').test('an id comes back as it was', async () => {
    const wire = await Wire.open(full());
    for (const id of ['7', 7, 0, '', -1, 'ü']) {
      wire.start('tools/list', {}, stateless, { id });
      expect((await wire.answer(id)).id).toBe(id);
    }
  });

  proves('M-BASE-021').test('a client that does not say who it is, or says it badly, is served', async () => {
    const wire = await Wire.open(full());
    for (const client of [undefined, 7, {}, { name: 'x' }]) {
      const params = clientWordsOf(stateless).writeRequest({
        method: 'tools/list',
        params: {},
        facts: { capabilities: {}, ...(client !== undefined && { client: client as never }) },
      });
      const id = wire.newId();
      wire.send({ jsonrpc: '2.0', id, method: 'tools/list', params });
      expect((await wire.answer(id)).result.tools).toHaveLength(1);
    }
  });

  proves('M-IOP-033, M-IOP-073, M-ERR-013').test.each([
    'initialize',
    'ping',
    'logging/setLevel',
    'resources/subscribe',
    'resources/unsubscribe',
    'tasks/get',
    'tasks/list',
    'tasks/result',
    'roots/list',
    'sampling/createMessage',
    'elicitation/create',
    'no/such',
    '__proto__',
    'constructor',
  ])('%s is -32601', async (method) => {
    for (const server of [full(), full({ revisions: 'per-request' })]) {
      expect(
        (
          await (
            await Wire.open(server)
          ).error(method, { protocolVersion: stateless.id, level: 'error', uri: 'r:r' }, stateless)
        ).code,
      ).toBe(-32601);
    }
  });

  proves('M-IOP-074').test('the old wish for a task has no effect', async () => {
    const wire = await Wire.open(full());
    const params = clientWordsOf(stateless).writeRequest({
      method: 'tools/call',
      params: { name: 't' },
      facts: { capabilities: {} },
    });
    wire.send({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { ...params, task: { ttl: 60_000 } } });
    expect((await wire.answer(1)).result).toMatchObject({ resultType: 'complete', content: [{ text: 'done' }] });
  });
});

describe('discover', () => {
  proves('M-DISC-001, M-DISC-002, M-DISC-003').test(
    'tells versions, capabilities, hints and, in _meta only, the name',
    async () => {
      const result = await (
        await Wire.open(full({ instructions: 'Use it well.' }))
      ).result('server/discover', {}, stateless);
      expect(result).toEqual({
        resultType: 'complete',
        supportedVersions: [stateless.id],
        capabilities: {
          tools: { listChanged: true },
          prompts: { listChanged: true },
          resources: { listChanged: true, subscribe: true },
          completions: {},
          logging: {},
        },
        instructions: 'Use it well.',
        ttlMs: 0,
        cacheScope: 'private',
        _meta: { [META_SERVER_INFO]: info },
      });
    },
  );

  test('instructions are absent where there are none', async () => {
    expect(await (await Wire.open(full())).result('server/discover', {}, stateless)).not.toHaveProperty('instructions');
  });

  proves('M-VER-009').test('no extension is on unless the program declares it', async () => {
    expect(await (await Wire.open(full())).declared(stateless)).not.toHaveProperty('extensions');
    const server = new Server(info, { capabilities: { extensions: { 'com.example/x': { depth: 2 } } } });
    expect((await (await Wire.open(server)).declared(stateless)).extensions).toEqual({ 'com.example/x': { depth: 2 } });
  });

  proves('M-VER-005').test('an extension without a prefix is refused', () => {
    for (const id of ['tasks', '/x', 'com.example/', '1a/x'])
      expect(() => new Server(info, { capabilities: { extensions: { [id]: {} } } }), id).toThrow(TypeError);
  });

  proves('M-VER-006, M-VER-008, M-IOP-071').test('extensions that only one side knows change nothing', async () => {
    const server = full({ capabilities: { extensions: { 'com.example/x': {} } } });
    const wire = await Wire.open(server);
    for (const capabilities of [
      {},
      { extensions: { 'com.other/y': { deep: [1] } } },
      { tasks: { list: {} } },
      { unheard: 7 },
    ]) {
      const id = wire.newId();
      // By hand: a writer of this revision would leave the old capability out.
      wire.send({
        jsonrpc: '2.0',
        id,
        method: 'tools/call',
        params: {
          name: 't',
          _meta: { [META_PROTOCOL_VERSION]: stateless.id, [META_CLIENT_CAPABILITIES]: capabilities },
        },
      });
      expect((await wire.answer(id)).result).toMatchObject({ resultType: 'complete', content: [{ text: 'done' }] });
    }
    expect((await wire.error('com.example/x-method', {}, stateless)).code).toBe(-32601);
  });

  proves('M-IOP-075').test('the old tasks capability is not told', async () => {
    const server = new Server(info, { capabilities: { tasks: { list: {} } } });
    expect(await (await Wire.open(server)).declared(stateless)).not.toHaveProperty('tasks');
  });

  proves('M-DISC-006, M-ERR-013').test('exactly what is advertised is served', async () => {
    const gates: [string, string][] = [
      ['tools', 'tools/list'],
      ['prompts', 'prompts/list'],
      ['resources', 'resources/list'],
      ['completions', 'completion/complete'],
    ];
    for (const [feature] of gates) {
      const wire = await Wire.open(new McpServer(info, { capabilities: { [feature]: {} } }));
      expect(Object.keys(await wire.declared(stateless))).toEqual([feature]);
      for (const [other, method] of gates) {
        const { error } = await wire.request(
          method,
          { ref: { type: 'ref/prompt', name: 'x' }, argument: { name: 'x', value: '' } },
          stateless,
        );
        expect(error?.code === -32601, `${feature}: ${method}`).toBe(other !== feature);
      }
    }
  });
});

describe('what one request says holds for no other', () => {
  function asking(ask: (ctx: ServerContext) => Promise<unknown>): McpServer {
    const server = new McpServer(info);
    server.registerTool('ask', {}, async (ctx) => {
      await ask(ctx);
      return text('asked');
    });
    return server;
  }

  const asks: [string, (ctx: ServerContext) => Promise<unknown>, object, object][] = [
    ['sampling', (ctx) => ctx.sample({ messages, maxTokens: 1 }), { sampling: {} }, { sampling: {} }],
    [
      'sampling with tools',
      (ctx) => ctx.sample({ messages, maxTokens: 1, tools: [] }),
      { sampling: { tools: {} } },
      { sampling: { tools: {} } },
    ],
    [
      'elicitation',
      (ctx) => ctx.elicit({ message: '?', requestedSchema: { type: 'object', properties: {} } }),
      { elicitation: {} },
      { elicitation: { form: {} } },
    ],
    [
      'elicitation by URL',
      (ctx) => ctx.elicit({ mode: 'url', message: '?', url: 'https://example.com' }),
      { elicitation: { url: {} } },
      { elicitation: { url: {} } },
    ],
    ['roots', (ctx) => ctx.listRoots(), { roots: {} }, { roots: {} }],
  ];

  proves('M-BASE-025, M-ERR-016, M-BASE-024, M-BASE-027, M-BASE-014').test.each(asks)(
    '%s that the request did not declare is -32021 and says what is missing, whatever earlier requests declared',
    async (_what, ask, declared, required) => {
      const wire = await Wire.open(asking(ask));
      await wire.request('tools/call', { name: 'ask' }, stateless, { capabilities: declared });
      await wire.request('tools/list', {}, stateless, { capabilities: declared });
      expect(await wire.error('tools/call', { name: 'ask' }, stateless, { capabilities: {} })).toMatchObject({
        code: -32021,
        data: { requiredCapabilities: required },
      });
    },
  );

  proves('M-BASE-048, M-BASE-047, M-STDIO-007').test.each(asks)(
    '%s never leads to a request on the wire',
    async (_what, ask, declared) => {
      const wire = await Wire.open(asking(ask));
      await wire.handshake(newestHandshake, declared);
      await wire.request('tools/call', { name: 'ask' }, stateless, { capabilities: declared });
      await wire.request('tools/call', { name: 'ask' }, stateless, { capabilities: {} });
      await quiet();
      expect(wire.asked).toEqual([]);
    },
  );

  proves('M-BASE-048, M-STDIO-007').test('a request by hand is refused too', async () => {
    const server = asking((ctx) => ctx.sendRequest({ method: 'com.example/ask' }));
    const wire = await Wire.open(server);
    await wire.handshake(newestHandshake);
    expect(await wire.error('tools/call', { name: 'ask' }, stateless)).toMatchObject({ code: -32603 });
    await expect(new Server(info).ping()).rejects.toThrow('not connected');
    const lone = new Server(info);
    const other = await Wire.open(lone);
    await other.result('server/discover', {}, stateless);
    await expect(lone.ping()).rejects.toMatchObject({ kind: 'cannot-ask' });
    await quiet();
    expect([...wire.asked, ...other.asked]).toEqual([]);
  });

  proves('M-BASE-014').test('the name and the level of a client hold for their request', async () => {
    const server = new McpServer(info, { capabilities: { logging: {} } });
    server.registerTool('who', {}, (ctx) => {
      ctx.log('info', 'x');
      return text(String(ctx.client?.name));
    });
    const wire = await Wire.open(server);
    expect(
      (await wire.call('who', {}, stateless, { client: { name: 'ann', version: '1' }, logLevel: 'debug' })).content[0]
        .text,
    ).toBe('ann');
    const params = clientWordsOf(stateless).writeRequest({
      method: 'tools/call',
      params: { name: 'who' },
      facts: { capabilities: {} },
    });
    wire.send({ jsonrpc: '2.0', id: 'anonymous', method: 'tools/call', params });
    expect((await wire.answer('anonymous')).result.content[0].text).toBe('undefined');
    expect(wire.notified('notifications/message')).toHaveLength(1);
  });

  proves('M-BASE-015').test('unrelated conversations on one connection do not mix', async () => {
    const server = new McpServer(info);
    server.registerTool('slow', { inputSchema: fromJsonSchema({ type: 'object' }) }, async (args) => {
      for (let turn = 0; turn < Number(args['turns']); turn += 1) await quiet();
      return text(String(args['words']));
    });
    const wire = await Wire.open(server);
    const words = ['a', 'b', 'c', 'd'];
    const results = await Promise.all(
      words.map((word, index) => wire.call('slow', { words: word, turns: words.length - index }, stateless)),
    );
    expect(results.map((result) => result.content[0].text)).toEqual(words);
  });
});

describe('errors', () => {
  proves('M-ERR-003, M-ERR-001').test(
    'every error has the id of its request, an integer code and a message',
    async () => {
      const server = full();
      const thrown: unknown[] = [
        new Error('x'),
        new ProtocolError(1.5 as number, 'fraction'),
        new ProtocolError('internal', undefined as never),
        { code: 'E', message: 7 },
        null,
      ];
      for (const [index, value] of thrown.entries())
        server.server.setRequestHandler(`com.example/${index}`, () => Promise.reject(value));
      const wire = await Wire.open(server);
      for (const index of thrown.keys()) {
        const frame = await wire.request(`com.example/${index}`, {}, stateless, { id: `e${index}` });
        expect(frame.id).toBe(`e${index}`);
        expect(Number.isInteger(frame.error?.code)).toBe(true);
        expect(typeof frame.error?.message).toBe('string');
      }
    },
  );

  proves('M-ERR-004, M-ERR-005, M-ERR-007, M-ERR-009, M-ERR-010, M-ERR-011').test(
    'numbers that belong to the protocol and are not defined do not leave, whatever the program throws',
    async () => {
      const server = full();
      server.server.setRequestHandler('com.example/throw', (request: { params: { code: number } }) =>
        Promise.reject(new ProtocolError(request.params.code, 'x')),
      );
      server.registerTool('url', {}, () => Promise.reject(new ProtocolError('url-elicitation-required', 'x')));
      const wire = await Wire.open(server);
      for (const code of [-32000, -32001, -32002, -32003, -32019, -32023, -32042, -32099, -32768, -32100]) {
        const sent = (await wire.error('com.example/throw', { code }, stateless)).code;
        expect([-32700, -32600, -32601, -32602, -32603]).toContain(sent);
      }
      expect((await wire.error('tools/call', { name: 'url' }, stateless)).code).not.toBe(-32042);
      for (const code of [1, 4711, -31999, -32769])
        expect((await wire.error('com.example/throw', { code }, stateless)).code).toBe(code);
    },
  );
});

test('the stateless family is one revision, so that these tests cover it', () => {
  expect(revisions.filter((revision) => revision.family === 'per-request')).toEqual([stateless]);
});
