import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import {
  McpServer as OfficialServer,
  ResourceTemplate as OfficialTemplate,
} from '@modelcontextprotocol/sdk/server/mcp.js';
import {
  McpError as OfficialError,
  UrlElicitationRequiredError as OfficialUrlError,
} from '@modelcontextprotocol/sdk/types.js';
import { completable as officialCompletable } from '@modelcontextprotocol/sdk/server/completable.js';
import { afterEach, describe, expect, it, vi } from 'vitest';
import * as z3 from 'zod/v3';
import * as z from 'zod/v4';
import { completable } from '../src/server/completable.ts';
import { McpServer, ResourceTemplate } from '../src/server/mcp.ts';
import { McpError, UrlElicitationRequiredError } from '../src/types.ts';

interface Library {
  readonly McpServer: typeof OfficialServer;
  readonly ResourceTemplate: typeof OfficialTemplate;
  readonly McpError: typeof OfficialError;
  readonly UrlElicitationRequiredError: typeof OfficialUrlError;
  readonly completable: typeof officialCompletable;
}

const official: Library = {
  McpServer: OfficialServer,
  ResourceTemplate: OfficialTemplate,
  McpError: OfficialError,
  UrlElicitationRequiredError: OfficialUrlError,
  completable: officialCompletable,
};
/** Their types differ where it does not matter here. */
const ours = { McpServer, ResourceTemplate, McpError, UrlElicitationRequiredError, completable } as unknown as Library;

const info = { name: 'answers', version: '1.0.0' };
const said = (text: string) => ({ content: [{ type: 'text' as const, text }] });

afterEach(() => void vi.restoreAllMocks());

/** The outcome of a call: its result, or the number, words and data of its error. */
async function outcomeOf(call: () => Promise<unknown>): Promise<unknown> {
  try {
    return { result: await call() };
  } catch (error) {
    const { code, message, data } = error as OfficialError;
    // Each client that reads an error writes its number before the words once more.
    return { code, message: message.replaceAll(/MCP error -?\d+: /g, ''), data };
  }
}

async function answersOf(
  library: Library,
  register: (server: OfficialServer, library: Library) => void,
  ask: (client: Client) => readonly (() => Promise<unknown>)[],
): Promise<unknown[]> {
  const server = new library.McpServer(info);
  register(server, library);
  const client = new Client({ name: 'reader', version: '1.0.0' });
  const [near, far] = InMemoryTransport.createLinkedPair();
  await server.connect(far);
  await client.connect(near);
  const outcomes: unknown[] = [];
  for (const call of ask(client)) outcomes.push(await outcomeOf(call));
  await client.close();
  return outcomes;
}

async function expectSame(...[register, ask]: Tail<Parameters<typeof answersOf>>): Promise<void> {
  const theirs = await answersOf(official, register, ask);
  expect(await answersOf(ours, register, ask)).toEqual(theirs);
}
type Tail<T extends readonly unknown[]> = T extends readonly [unknown, ...infer Rest] ? Rest : never;

const calling =
  (...names: string[]) =>
  (client: Client) =>
    names.map((name) => () => client.callTool({ name, arguments: {} }));

describe('calls of tools are answered as by v1', () => {
  it('when the tool throws', () =>
    expectSame(
      (server, { McpError: Thrown, UrlElicitationRequiredError: Page }) => {
        const fail = (name: string, error: unknown) =>
          server.registerTool(name, { inputSchema: {} }, async () => {
            throw error;
          });
        fail('plain', new Error('out of paper'));
        fail('protocol', new Thrown(-32602, 'no such bird', { bird: 'dodo' }));
        fail('own-number', new Thrown(4711, 'mine'));
        fail('not-found', new Thrown(-32601, 'nothing'));
        fail('text', 'just words');
        fail(
          'page',
          new Page([{ mode: 'url', message: 'm', elicitationId: 'e', url: 'https://a.example/' }], 'open it'),
        );
        vi.spyOn(console, 'warn').mockImplementation(() => {});
      },
      calling('plain', 'protocol', 'own-number', 'not-found', 'text', 'page'),
    ));

  it('when there is no such tool, or it is disabled or removed', () =>
    expectSame(
      (server) => {
        server.registerTool('off', {}, () => said('off')).disable();
        server.registerTool('gone', {}, () => said('gone')).remove();
        server.registerTool('gone-too', {}, () => said('gone')).update({ name: null });
        server.registerTool('before', {}, () => said('renamed')).update({ name: 'after' });
        server.registerTool('back', {}, () => said('back')).disable();
        const back = server.registerTool('on', {}, () => said('on'));
        back.disable();
        back.enable();
      },
      calling('never', 'off', 'gone', 'gone-too', 'before', 'after', 'back', 'on'),
    ));

  it('when arguments or results do not fit', () =>
    expectSame(
      (server) => {
        const shape = { n: z.number(), list: z.array(z.object({ deep: z.string() })) };
        server.registerTool('four', { inputSchema: shape }, () => said('fits'));
        server.registerTool('three', { inputSchema: { n: z3.number().int() } }, () => said('fits'));
        server.registerTool(
          'union',
          { inputSchema: z.union([z.object({ a: z.string() }), z.object({ b: z.string() })]) },
          (args) => said(JSON.stringify(args)),
        );
        server.registerTool('any', { inputSchema: z.any() }, (args) => said(JSON.stringify(args)));
        server.registerTool('later', { inputSchema: { n: z.number().refine(async (n) => n > 1, 'too small') } }, () =>
          said('fits'),
        );
        server.registerTool('bare', { outputSchema: { ok: z.boolean() } }, () => said('no structure'));
        server.registerTool('wrong', { outputSchema: { ok: z.boolean() } }, () => ({
          ...said('wrong'),
          structuredContent: { ok: 'yes' },
        }));
        server.registerTool('failed', { outputSchema: { ok: z.boolean() } }, () => ({ ...said('no'), isError: true }));
        server.registerTool('right', { outputSchema: { ok: z.boolean() } }, () => ({
          ...said('right'),
          structuredContent: { ok: true, more: 1 },
        }));
      },
      (client) => [
        () => client.callTool({ name: 'four', arguments: { n: 'x', list: [{ deep: 1 }] } }),
        () => client.callTool({ name: 'three', arguments: { n: 1.5 } }),
        () => client.callTool({ name: 'union', arguments: { c: 1 } }),
        () => client.callTool({ name: 'union', arguments: { b: 'x' } }),
        () => client.callTool({ name: 'any', arguments: { whatever: [1] } }),
        () => client.callTool({ name: 'later', arguments: { n: 1 } }),
        () => client.callTool({ name: 'later', arguments: { n: 2 } }),
        ...calling('bare', 'wrong', 'failed', 'right')(client),
      ],
    ));
});

describe('resources, prompts and completions are answered as by v1', () => {
  it('when they are missing or disabled, and when their functions throw', () =>
    expectSame(
      (server, { McpError: Thrown, ResourceTemplate: Template, completable: complete }) => {
        const reject = (error: Error) => () => Promise.reject(error);
        server.registerResource('off', 'test://off', {}, () => ({ contents: [] })).disable();
        server.registerResource('plain', 'test://plain', {}, reject(new Error('unreadable')));
        server.registerResource('own', 'test://own', {}, reject(new Thrown(-32002, 'burnt', { uri: 'test://own' })));
        server.registerResource(
          'numbered',
          'test://numbered',
          {},
          reject(Object.assign(new Error('exit'), { code: 3 })),
        );
        server.registerResource('t', new Template('test://t/{id}', { list: undefined }), {}, reject(new Error('none')));
        server.registerPrompt('off', {}, () => ({ messages: [] })).disable();
        server.registerPrompt('plain', {}, reject(new Error('speechless')));
        server.registerPrompt(
          'args',
          { argsSchema: { a: complete(z.string(), () => []), b: z.string().optional() } },
          () => ({
            messages: [],
          }),
        );
      },
      (client) => [
        ...['off', 'plain', 'own', 'numbered', 'never', 't/1'].map(
          (name) => () => client.readResource({ uri: `test://${name}` }),
        ),
        ...['off', 'plain', 'never'].map((name) => () => client.getPrompt({ name })),
        ...['off', 'never'].map(
          (name) => () => client.complete({ ref: { type: 'ref/prompt', name }, argument: { name: 'a', value: '' } }),
        ),
        ...['a', 'b', 'c'].map(
          (name) => () => client.complete({ ref: { type: 'ref/prompt', name: 'args' }, argument: { name, value: '' } }),
        ),
      ],
    ));
});

it.each([
  {},
  { tools: {}, resources: { subscribe: true }, prompts: {} },
  { tools: { listChanged: false }, logging: {}, completions: {} },
  { prompts: { listChanged: false }, experimental: { x: { y: 1 } } },
])('capabilities are declared as by v1: %j', async (capabilities) => {
  const declared = await Promise.all(
    [official, ours].map(async ({ McpServer: Kind, completable: complete }) => {
      const server = new Kind(info, { capabilities });
      const found: unknown[] = [];
      for (const _round of [1, 2]) {
        const client = new Client(info);
        const [near, far] = InMemoryTransport.createLinkedPair();
        await server.connect(far);
        await client.connect(near);
        found.push(client.getServerCapabilities());
        await client.close();
        await server.close();
        if (_round === 2) break;
        server.registerTool('t', {}, () => said('t'));
        server.registerPrompt('p', { argsSchema: { a: complete(z.string(), () => []) } }, () => ({ messages: [] }));
      }
      return found;
    }),
  );
  expect(declared[1]).toEqual(declared[0]);
});

it('suggestions are sent as by v1, in the order of the completer', () =>
  expectSame(
    (server, { completable: complete, ResourceTemplate: Template }) => {
      const many = () => ['banana', 'apple', 'app', 'apple', ...Array.from({ length: 120 }, (_, index) => `v${index}`)];
      server.registerPrompt('p', { argsSchema: { a: complete(z.string(), many) } }, () => ({ messages: [] }));
      const template = new Template('a://{x}', { list: undefined, complete: { x: () => ['z', 'ab', 'a'] } });
      server.registerResource('t', template, {}, () => ({ contents: [] }));
    },
    (client) => [
      () => client.complete({ ref: { type: 'ref/prompt', name: 'p' }, argument: { name: 'a', value: 'app' } }),
      () => client.complete({ ref: { type: 'ref/resource', uri: 'a://{x}' }, argument: { name: 'x', value: 'a' } }),
    ],
  ));

describe('resources are listed and read as by v1', () => {
  it('under URIs that are none', () =>
    expectSame(
      (server, { ResourceTemplate: Template }) => {
        for (const uri of ['config', '/a/b', 'test:///with space'])
          server.registerResource(uri, uri, { title: 'T' }, () => ({ contents: [] }));
        server.registerResource('rel', new Template('users/{id}', { list: undefined }), {}, () => ({ contents: [] }));
        server.registerResource('any', new Template('{+path}', { list: undefined }), {}, ({ href }, variables) => ({
          contents: [{ uri: href, text: JSON.stringify(variables) }],
        }));
      },
      (client) => [
        () => client.listResources(),
        () => client.listResourceTemplates(),
        () => client.readResource({ uri: 'users/1' }),
        () => client.readResource({ uri: 'file:///a/b' }),
      ],
    ));

  it('by templates, with their variables as they are written', () =>
    expectSame(
      (server, { ResourceTemplate: Template }) => {
        for (const [name, template] of Object.entries({ one: 'n://x/{a}', query: 'q://x/s{?q,p}', list: 'l://x/{a*}' }))
          server.registerResource(name, new Template(template, { list: undefined }), {}, ({ href }, variables) => ({
            contents: [{ uri: href, text: JSON.stringify(variables) }],
          }));
      },
      (client) =>
        ['n://x/a%20b', 'n://x/a b', 'n://x/a%2Fb', 'n://x/y/../z', 'q://x/s?q=1&p=2', 'q://x/s?q=1', 'l://x/a,b'].map(
          (uri) => () => client.readResource({ uri }),
        ),
    ));

  it('but not where the URI hides that it climbs', async () => {
    const outcomes = await answersOf(
      ours,
      (server) => {
        const template = new ResourceTemplate('n://x/{+a}', { list: undefined }) as unknown as OfficialTemplate;
        server.registerResource('t', template, {}, () => ({ contents: [] }));
      },
      (client) =>
        ['a%2F..%2Fb', '..%252Fb', 'a%5C..', 'a?b=..'].map(
          (path) => () => client.readResource({ uri: `n://x/${path}` }),
        ),
    );
    expect(outcomes).toEqual(Array.from({ length: 4 }, () => expect.objectContaining({ code: -32602 }) as unknown));
  });
});

describe('handles change entries as by v1', () => {
  it.each([official, ours])('and have the functions and details that they were registered with', (library) => {
    const server = new library.McpServer(info);
    const call = () => said('x');
    const read = () => ({ contents: [] });
    const say = () => ({ messages: [] });
    const details = { description: 'd' };
    const template = new library.ResourceTemplate('t://{a}', { list: undefined });
    const tool = server.registerTool('t', { inputSchema: { a: z.string() } }, call);
    const prompt = server.registerPrompt('p', {}, say);
    const resources = [
      server.registerResource('r', 'r://a', details, read),
      server.registerResource('t', template, details, read),
    ];
    expect([tool.handler, prompt.callback]).toEqual([call, say]);
    expect(resources.map(({ readCallback, metadata }) => [readCallback, metadata])).toEqual([
      [read, details],
      [read, details],
    ]);
    const [other, changed] = [() => said('y'), { description: 'e' }];
    tool.update({ callback: other });
    for (const resource of resources) resource.update({ metadata: changed });
    expect(tool.handler).toBe(other);
    expect(resources.map(({ readCallback, metadata }) => [readCallback, metadata])).toEqual([
      [read, changed],
      [read, changed],
    ]);
  });

  it('after they were removed, too', () =>
    expectSame(
      (server, { ResourceTemplate: Template }) => {
        const tool = server.registerTool('t', {}, () => said('t'));
        tool.remove();
        tool.enable();
        tool.update({ title: 'x' });
        tool.remove();
        server.registerTool('t', {}, (() => ({})) as never);
        const prompt = server.registerPrompt('p', { argsSchema: { a: z.string() } }, ({ a }) => ({
          description: a,
          messages: [],
        }));
        prompt.update({
          argsSchema: { b: z.string().default('d') },
          callback: ({ b }) => ({ description: b, messages: [] }),
        });
        server.registerPrompt('bare', {}, () => ({ messages: [] })).update({ title: 'Bare' });
        const complete = { none: () => ['x'] };
        server.registerResource('c', new Template('c://{b}', { list: undefined, complete }), {}, () => ({
          contents: [],
        }));
      },
      (client) => [
        () => client.listTools(),
        () => client.callTool({ name: 't' }),
        () => client.listPrompts(),
        () => client.getPrompt({ name: 'p', arguments: {} }),
        () => client.getPrompt({ name: 'p', arguments: { b: 'given' } }),
        () => client.getPrompt({ name: 'bare' }),
        () => client.listResourceTemplates(),
      ],
    ));

  it('and lists the arguments of prompts in the same way, and refuses others in the same words', () =>
    expectSame(
      (server) => {
        for (const [name, zod] of Object.entries({ three: z3, four: z })) {
          const text = (zod as typeof z).string();
          const argsSchema = { a: text.describe('x'), b: text.optional(), c: text.default('q') };
          server.registerPrompt(name, { title: 't', argsSchema }, (args) => ({
            description: JSON.stringify(args),
            messages: [],
          }));
        }
      },
      (client) => [
        () => client.listPrompts(),
        ...['three', 'four'].flatMap((name) => [
          () => client.getPrompt({ name, arguments: { a: '1' } }),
          () => client.getPrompt({ name, arguments: { b: '1' } }),
        ]),
      ],
    ));
});

describe('what cannot be registered is refused as by v1', () => {
  it.each([official, ours])('a second entry of one name', ({ McpServer: Kind, ResourceTemplate: Template }) => {
    const server = new Kind(info);
    const twice = (register: () => unknown): (() => unknown) => (register(), register);
    const template = new Template('t://{a}', { list: undefined });
    expect(twice(() => server.registerTool('a', {}, () => said('')))).toThrow('Tool a is already registered');
    expect(twice(() => server.registerPrompt('a', {}, () => ({ messages: [] })))).toThrow(
      'Prompt a is already registered',
    );
    expect(twice(() => server.registerResource('a', 'r://a', {}, () => ({ contents: [] })))).toThrow(
      'Resource r://a is already registered',
    );
    expect(twice(() => server.registerResource('a', template, {}, () => ({ contents: [] })))).toThrow(
      'Resource template a is already registered',
    );
  });

  it.each([official, ours])('a JSON Schema, in both ways of registering a tool', ({ McpServer: Kind }) => {
    const server = new Kind(info);
    const schema = { type: 'object', properties: { id: { type: 'string' } } } as never;
    expect(() => server.registerTool('t', { inputSchema: schema }, (() => said('')) as never)).toThrow(
      'inputSchema must be a Zod schema or raw shape, received an unrecognized object',
    );
    expect(() => server.tool('t', schema, () => said(''))).toThrow(
      'Tool t expected a Zod schema or ToolAnnotations, but received an unrecognized object',
    );
  });

  it('names of tools are warned about in the same lines', () => {
    const lines = [official, ours].map(({ McpServer: Kind }) => {
      const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
      const server = new Kind(info);
      for (const name of ['fine', '-dash', 'dot.', 'two words', 'a,b', 'ü/ü', 'x'.repeat(129)])
        server.registerTool(name, {}, () => said(name));
      server.registerTool('good', {}, () => said('')).update({ name: 'not good' });
      const written = warn.mock.calls.map((call) => call.join(' '));
      warn.mockRestore();
      return written;
    });
    expect(lines[1]).toEqual(lines[0]);
    expect(lines[0]?.length).toBeGreaterThan(20);
  });
});
