import { describe, expect, test, vi } from 'vitest';
import * as z from 'zod';
import * as z3 from 'zod/v3';
import * as v from 'valibot';
import { type } from 'arktype';
import { McpServer, ProtocolError, ToolError, text, type ToolConfig } from '../../src/server/index.ts';
import { tasks } from '../../src/server/tasks/index.ts';
import { effectiveAnnotations } from '../../src/protocol/tools.ts';
import { proves } from '../requirements/proves.ts';
import { auth, everyRevision, handshakes, stateless, Wire } from './wire.ts';
import { revisions } from '../../src/revisions/index.ts';
import { fromJsonSchema } from '../../src/schema/index.ts';

const info = { name: 'tools', version: '1.0' };
const meta = { 'com.example/note': 'kept' };
const icons = [{ src: 'https://example.com/i.png' }];

function adder(seen: unknown[] = []): McpServer {
  const server = new McpServer(info, { onwarning: () => {} });
  server.registerTool(
    'add',
    {
      title: 'Add',
      description: 'Adds',
      inputSchema: { a: z.number(), b: z.number() },
      annotations: { readOnlyHint: true },
      icons,
      _meta: meta,
    },
    ({ a, b }) => {
      seen.push([a, b]);
      return text(String(a + b));
    },
  );
  server.registerTool('now', {}, () => text('noon'));
  return server;
}

describe.each(everyRevision)('tools in %s', (_id, revision) => {
  proves('L-TOOLS-001, M-TOOL-001, L-LIFECYCLE-018, M-DISC-006').test(
    'a server with a tool declares tools and one without does not, and answers -32601',
    async () => {
      expect(await (await Wire.open(adder())).declared(revision)).toEqual({ tools: { listChanged: true } });
      const bare = await Wire.open(new McpServer(info));
      expect(await bare.declared(revision)).toEqual({});
      for (const method of [
        'tools/list',
        'tools/call',
        'prompts/list',
        'resources/list',
        'resources/read',
        'prompts/get',
      ]) {
        expect((await bare.error(method, {}, revision)).code).toBe(-32601);
      }
    },
  );

  test('a call gets the parsed arguments and answers with the content', async () => {
    const seen: unknown[] = [];
    const wire = await Wire.open(adder(seen));
    const result = await wire.call('add', { a: 2, b: 3 }, revision);
    expect(result.content).toEqual([{ type: 'text', text: '5' }]);
    expect(result).not.toHaveProperty('isError');
    expect(seen).toEqual([[2, 3]]);
  });

  test('a default of a library is filled in, one of JSON Schema is listed only', async () => {
    const server = new McpServer(info);
    server.registerTool('zod', { inputSchema: { n: z.number().default(1) } }, (args) => text(JSON.stringify(args)));
    const properties = { n: { type: 'number', default: 1 } };
    server.registerTool('plain', { inputSchema: fromJsonSchema({ type: 'object', properties }) }, (args) =>
      text(JSON.stringify(args)),
    );
    const wire = await Wire.open(server);
    expect((await wire.call('zod', {}, revision)).content).toEqual([{ type: 'text', text: '{"n":1}' }]);
    expect((await wire.call('plain', {}, revision)).content).toEqual([{ type: 'text', text: '{}' }]);
  });

  proves('L-TOOLS-005, M-TOOL-008, M-TOOL-039').test(
    'every listed tool has a name and an input schema that is an object of type object',
    async () => {
      const { tools } = await (await Wire.open(adder())).result('tools/list', {}, revision);
      expect(tools.map((tool: any) => [tool.name, tool.inputSchema.type])).toEqual([
        ['add', 'object'],
        ['now', 'object'],
      ]);
    },
  );

  proves('L-TOOLS-009, L-TOOLS-008, M-TOOL-025').test(
    'an unknown tool and a call without a name are -32602 and name what is wrong',
    async () => {
      const wire = await Wire.open(adder());
      expect(await wire.error('tools/call', { name: 'subtract', arguments: {} }, revision)).toMatchObject({
        code: -32602,
        message: expect.stringContaining('subtract'),
      });
      expect(await wire.error('tools/call', {}, revision)).toMatchObject({ code: -32602 });
      expect(await wire.error('tools/call', { name: 7 }, revision)).toMatchObject({ code: -32602 });
      expect(await wire.error('tools/call', { name: 'add', arguments: [1] }, revision)).toMatchObject({ code: -32602 });
      for (const name of ['__proto__', 'constructor', 'toString'])
        expect(await wire.error('tools/call', { name }, revision)).toMatchObject({ code: -32602 });
    },
  );

  proves('L-TOOLS-037, M-TOOL-029, L-TOOLS-006').test(
    'arguments that break the schema never reach the handler; absent ones are an empty object',
    async () => {
      const seen: unknown[] = [];
      const server = adder(seen);
      server.registerTool('maybe', { inputSchema: { note: z.string().optional() } }, (args) =>
        text(JSON.stringify(args)),
      );
      const wire = await Wire.open(server);
      for (const args of [{}, { a: 1 }, { a: '1', b: 2 }, { a: null, b: 2 }])
        await wire.request('tools/call', { name: 'add', arguments: args }, revision);
      expect(seen).toEqual([]);
      expect((await wire.result('tools/call', { name: 'maybe' }, revision)).content[0].text).toBe('{}');
      expect((await wire.result('tools/call', { name: 'now' }, revision)).content[0].text).toBe('noon');
    },
  );

  proves('L-TOOLS-007, L-TOOLS-014, M-TOOL-026').test(
    'what a tool throws becomes a result for the model, whatever was thrown',
    async () => {
      const server = new McpServer(info);
      const thrown: Record<string, unknown> = {
        error: new Error('disk full'),
        tool: new ToolError('no such order'),
        string: 'plain',
        nothing: undefined,
        number: 7,
      };
      for (const [name, value] of Object.entries(thrown)) {
        server.registerTool(`sync-${name}`, {}, () => {
          throw value;
        });
        server.registerTool(`async-${name}`, {}, () => Promise.reject(value));
      }
      const wire = await Wire.open(server);
      const texts = { error: 'disk full', tool: 'no such order', string: 'plain', nothing: 'undefined', number: '7' };
      for (const [name, message] of Object.entries(texts)) {
        for (const kind of ['sync', 'async']) {
          expect(await wire.call(`${kind}-${name}`, {}, revision)).toMatchObject({
            isError: true,
            content: [{ type: 'text', text: message }],
          });
        }
      }
    },
  );

  test('a ProtocolError thrown by a tool passes through with its number, words and data', async () => {
    const server = new McpServer(info);
    server.registerTool('strict', {}, async () => {
      throw new ProtocolError(4711, 'Ask someone else', { who: 'Ann' });
    });
    const wire = await Wire.open(server);
    expect(await wire.error('tools/call', { name: 'strict' }, revision)).toEqual({
      code: 4711,
      message: 'Ask someone else',
      data: { who: 'Ann' },
    });
  });

  proves('L-TOOLS-039, M-TOOL-031').test(
    'calls beyond the limit are refused with the time to wait, for that caller only',
    async () => {
      const server = new McpServer(info, { limits: { 'tools/call': { perSecond: 0.001, burst: 2 } } });
      const run = vi.fn(() => text('done'));
      server.registerTool('dear', {}, run);
      const one = await Wire.open(server);
      const two = await Wire.open(server);
      await one.call('dear', {}, revision);
      await one.call('dear', {}, revision);
      const refused = await one.error('tools/call', { name: 'dear' }, revision);
      expect(refused.data.retryAfterMs).toBeGreaterThan(0);
      expect(run).toHaveBeenCalledTimes(2);
      await two.call('dear', {}, revision);
      await one.result('tools/list', {}, revision);
    },
  );

  test('a limit is counted by the verified client across its connections', async () => {
    const server = new McpServer(info, { limits: { 'tools/call': { perSecond: 0.001, burst: 1 } } });
    server.registerTool('dear', {}, () => text('done'));
    const one = await Wire.open(server);
    const two = await Wire.open(server);
    await one.call('dear', {}, revision, { authInfo: auth('ann') });
    await two.error('tools/call', { name: 'dear' }, revision, { authInfo: auth('ann') });
    await two.call('dear', {}, revision, { authInfo: auth('bob') });
  });

  proves('L-TOOLS-038, M-TOOL-030, M-CACHE-021').test(
    'a tool is listed for and callable by only those it is visible to, and handlers know the verified caller',
    async () => {
      const server = new McpServer(info);
      server.registerTool('public', {}, ({ authInfo }) => text(authInfo?.clientId ?? 'nobody'));
      server.registerTool('admin', { visible: ({ authInfo }) => authInfo?.scopes.includes('admin') === true }, () =>
        text('secret'),
      );
      const wire = await Wire.open(server);
      const root = { authInfo: auth('root', ['admin']) };
      const names = async (options: object): Promise<string[]> =>
        (await wire.result('tools/list', {}, revision, options)).tools.map((tool: any) => tool.name);
      expect(await names({})).toEqual(['public']);
      expect(await names({ authInfo: auth('ann') })).toEqual(['public']);
      expect(await names(root)).toEqual(['public', 'admin']);
      expect(await wire.error('tools/call', { name: 'admin' }, revision, { authInfo: auth('ann') })).toEqual(
        await wire.error('tools/call', { name: 'admin' }, revision),
      );
      expect((await wire.call('admin', {}, revision, root)).content[0].text).toBe('secret');
      expect((await wire.call('public', {}, revision, { authInfo: auth('ann') })).content[0].text).toBe('ann');
    },
  );

  test('what decides visibility and fails hides nothing by accident: the request fails', async () => {
    const server = new McpServer(info);
    server.registerTool(
      'odd',
      {
        visible: () => {
          throw new Error('policy is down');
        },
      },
      () => text('never'),
    );
    const wire = await Wire.open(server);
    expect(await wire.error('tools/list', {}, revision)).toEqual({ code: -32603, message: 'Internal error' });
    expect(await wire.error('tools/call', { name: 'odd' }, revision)).toEqual({
      code: -32603,
      message: 'Internal error',
    });
  });

  proves('M-TOOL-003, M-TOOL-005, M-TOOL-002').test(
    'lists are the same text on every connection and after other calls, also when they are empty',
    async () => {
      const server = adder();
      const [one, two] = [await Wire.open(server), await Wire.open(server)];
      const first = JSON.stringify(await one.result('tools/list', {}, revision));
      await one.call('add', { a: 1, b: 2 }, revision);
      await two.call('now', {}, revision);
      expect(JSON.stringify(await two.result('tools/list', {}, revision))).toBe(first);
      expect(JSON.stringify(await one.result('tools/list', {}, revision))).toBe(first);
      const empty = await Wire.open(new McpServer(info, { capabilities: { tools: {} } }));
      expect((await empty.result('tools/list', {}, revision)).tools).toEqual([]);
    },
  );
});

describe('arguments that break the schema', () => {
  proves('L-TOOLS-010').test.each(
    revisions
      .filter((revision) => revision.argumentErrors === 'error')
      .map((revision) => [revision.id, revision] as const),
  )('%s: a protocol error, while data the tool itself rejects is a result', async (_id, revision) => {
    const server = new McpServer(info);
    server.registerTool('age', { inputSchema: { years: z.number() } }, ({ years }) => {
      if (years < 0) throw new ToolError('Nobody is that young.');
      return text('ok');
    });
    const wire = await Wire.open(server);
    expect(await wire.error('tools/call', { name: 'age', arguments: { years: 'ten' } }, revision)).toMatchObject({
      code: -32602,
      message: expect.stringContaining('years'),
    });
    expect(await wire.call('age', { years: -1 }, revision)).toMatchObject({ isError: true });
  });

  proves('L-TOOLS-011, M-TOOL-026').test.each(
    revisions
      .filter((revision) => revision.argumentErrors === 'result')
      .map((revision) => [revision.id, revision] as const),
  )('%s: a result the model can read', async (_id, revision) => {
    const wire = await Wire.open(adder());
    const result = await wire.call('add', { a: 'two', b: 3 }, revision);
    expect(result.isError).toBe(true);
    expect(result.content[0].text).toMatch(/add.*\ba\b/s);
    expect((await wire.error('tools/call', { arguments: {} }, revision)).code).toBe(-32602);
  });
});

describe('definitions', () => {
  const full: ToolConfig = {
    title: 'T',
    description: 'd',
    icons,
    annotations: { title: 'A', destructiveHint: false },
    execution: { taskSupport: 'optional' },
    _meta: meta,
  };

  test.each(everyRevision)(
    '%s: a tool is told with what the revision has words for and nothing else',
    async (_id, revision) => {
      const server = new McpServer(info);
      server.use(tasks());
      server.registerTool('full', full, () => text(''));
      const [tool] = (await (await Wire.open(server)).result('tools/list', {}, revision)).tools;
      const newest = handshakes[0] === revision;
      expect(tool).toMatchObject({ name: 'full', description: 'd' });
      expect('execution' in tool).toBe(newest);
      expect('icons' in tool).toBe(newest || revision === stateless);
      expect(Object.values(tool)).not.toContain(undefined);
    },
  );

  proves('L-TOOLS-026, L-TOOLS-027, M-TOOL-008, M-TOOL-039').test(
    'a tool without parameters takes an object with nothing in it; null and other roots are refused',
    async () => {
      const server = adder();
      const { tools } = await (await Wire.open(server)).result('tools/list', {}, stateless);
      expect(tools[1].inputSchema).toEqual({ type: 'object', properties: {}, additionalProperties: false });
      const bad: unknown[] = [
        null,
        z.string(),
        z.array(z.string()),
        { type: 'array' },
        7,
        'object',
        { type: 'object', properties: 7 },
      ];
      for (const [index, inputSchema] of bad.entries()) {
        if (inputSchema === null) continue;
        expect(
          () => server.registerTool(`bad-${index}`, { inputSchema } as ToolConfig, () => text('')),
          JSON.stringify(inputSchema),
        ).toThrow();
      }
    },
  );

  proves('L-TOOLS-026').test('null is no input schema', () => {
    expect(() => adder().registerTool('nil', { inputSchema: null } as object, () => text(''))).toThrow(TypeError);
  });

  proves('L-MESSAGES-036, M-JS-006').test(
    'a schema that is not valid in its dialect is refused at registration',
    () => {
      for (const key of ['inputSchema', 'outputSchema']) {
        expect(() =>
          adder().registerTool(
            'bad',
            { [key]: { type: 'object', properties: { a: { type: 'nonsense' } } } } as object,
            () => text(''),
          ),
        ).toThrow();
      }
    },
  );

  proves('L-TOOLS-005, L-TOOLS-032, M-TOOL-014').test('a name can be registered once', () => {
    const server = adder();
    expect(() => server.registerTool('add', {}, () => text(''))).toThrow('"add" is already registered');
  });

  proves('L-TOOLS-029, M-TOOL-013').test('names are case-sensitive', async () => {
    const server = new McpServer(info);
    server.registerTool('getUser', {}, () => text('lower'));
    server.registerTool('GetUser', {}, () => text('upper'));
    const wire = await Wire.open(server);
    expect((await wire.call('getUser', {}, stateless)).content[0].text).toBe('lower');
    expect((await wire.call('GetUser', {}, stateless)).content[0].text).toBe('upper');
    await wire.error('tools/call', { name: 'GETUSER' }, stateless);
  });

  proves('L-TOOLS-028, L-TOOLS-030, L-TOOLS-031, M-TOOL-011, M-TOOL-012').test(
    'unwise names are warned about and accepted; the empty name is refused',
    async () => {
      const warnings: string[] = [];
      const server = new McpServer(info, { onwarning: (message) => warnings.push(message) });
      for (const name of ['a', 'A-z_0.9', 'x'.repeat(128)]) server.registerTool(name, {}, () => text(''));
      expect(warnings).toEqual([]);
      for (const name of ['two words', 'a,b', 'x'.repeat(129), 'naïve', 'a/b'])
        server.registerTool(name, {}, () => text('called'));
      expect(warnings).toHaveLength(5);
      expect((await (await Wire.open(server)).call('two words', {}, stateless)).content[0].text).toBe('called');
      expect(() => server.registerTool('', {}, () => text(''))).toThrow(TypeError);
    },
  );

  proves('L-TOOLS-034').test('hints that are absent mean the worst', () => {
    expect(effectiveAnnotations({})).toEqual({
      readOnlyHint: false,
      destructiveHint: true,
      idempotentHint: false,
      openWorldHint: true,
    });
    expect(effectiveAnnotations({ annotations: { readOnlyHint: true } })).toMatchObject({
      readOnlyHint: true,
      openWorldHint: true,
    });
  });

  proves('M-JS-012').test('an input schema may use any keyword, an output schema may be of anything', async () => {
    const server = new McpServer(info);
    const inputSchema = {
      type: 'object',
      oneOf: [{ required: ['a'] }, { required: ['b'] }],
      properties: { a: {}, b: {} },
      $defs: { x: { $anchor: 'x' } },
    } as const;
    server.registerTool(
      'either',
      {
        inputSchema: fromJsonSchema(inputSchema),
        outputSchema: fromJsonSchema({ type: 'array', items: { type: 'number' } }),
      },
      () => ({
        structuredContent: [1, 2],
      }),
    );
    const wire = await Wire.open(server);
    const { tools } = await wire.result('tools/list', {}, stateless);
    expect(tools[0].inputSchema).toMatchObject(inputSchema);
    expect(await wire.call('either', { a: 1 }, stateless)).toMatchObject({ structuredContent: [1, 2] });
    expect(await wire.call('either', { a: 1, b: 2 }, stateless)).toMatchObject({ isError: true });
  });
});

describe('schemas of every kind', () => {
  const kinds: Record<string, any> = {
    'a raw shape of zod 4': { n: z.number() },
    'a zod 4 object': z.object({ n: z.number() }),
    'a raw shape of zod 3': { n: z3.number() },
    'a zod 3 object': z3.object({ n: z3.number() }),
    valibot: v.object({ n: v.number() }),
    arktype: type({ n: 'number' }),
    'JSON Schema': fromJsonSchema({ type: 'object', properties: { n: { type: 'number' } }, required: ['n'] }),
  };

  test.each(Object.entries(kinds))('%s describes the input, checks it and checks the output', async (_kind, schema) => {
    const server = new McpServer(info);
    server.registerTool('twice', { inputSchema: schema, outputSchema: schema }, ((args: { n: number }) => ({
      structuredContent: { n: args.n === 13 ? 'bad luck' : args.n * 2 },
    })) as never);
    const wire = await Wire.open(server);
    const { tools } = await wire.result('tools/list', {}, stateless);
    expect(tools[0].inputSchema).toMatchObject({
      type: 'object',
      properties: { n: { type: 'number' } },
      required: ['n'],
    });
    expect(tools[0].outputSchema).toMatchObject({ type: 'object' });
    expect(await wire.call('twice', { n: 4 }, stateless)).toMatchObject({
      structuredContent: { n: 8 },
      content: [{ text: '{"n":8}' }],
    });
    expect(await wire.call('twice', { n: 'four' }, stateless)).toMatchObject({ isError: true });
    expect(await wire.call('twice', { n: 13 }, stateless)).toMatchObject({ isError: true });
  });

  test('defaults and transformations of the schema are applied, also asynchronous ones', async () => {
    const server = new McpServer(info);
    server.registerTool(
      'greet',
      {
        inputSchema: z.object({
          name: z.string().transform(async (name) => name.toUpperCase()),
          mark: z.string().default('!'),
        }),
      },
      ({ name, mark }) => text(name + mark),
    );
    const wire = await Wire.open(server);
    expect((await wire.call('greet', { name: 'ann' }, stateless)).content[0].text).toBe('ANN!');
  });

  test('the empty shape is a tool whose arguments are an empty object', async () => {
    const server = new McpServer(info);
    server.registerTool('none', { inputSchema: {} }, (args, ctx) => text(`${JSON.stringify(args)} ${ctx.family}`));
    expect((await (await Wire.open(server)).call('none', {}, stateless)).content[0].text).toBe('{} per-request');
  });
});
