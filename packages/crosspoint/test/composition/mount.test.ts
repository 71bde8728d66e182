import { afterEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { Client } from '../../src/client/index.ts';
import { revisions } from '../../src/revisions/index.ts';
import {
  completable,
  inputRequired,
  McpServer,
  ProtocolError,
  ResourceTemplate,
  text,
  type McpServerOptions,
  type ServerContext,
  type ServerSource,
  type SourceOffers,
} from '../../src/server/index.ts';
import { mount } from '../../src/server/mounting.ts';
import type { SourceChange } from '../../src/server/composition/source.ts';
import { tasks } from '../../src/server/tasks/index.ts';
import { connectLinked, type LinkedOptions } from '../../src/testing/index.ts';
import { until } from '../until.ts';

const NEWEST = revisions.find(({ family }) => family === 'per-request')?.id ?? '';
const HANDSHAKE = revisions.find(({ family }) => family === 'handshake')?.id ?? '';
const FAMILIES = [HANDSHAKE, NEWEST];

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

function named(name: string, options: McpServerOptions = {}): McpServer {
  const server = new McpServer({ name, version: '1.0.0' }, options);
  server.use(tasks());
  return server;
}

function inner(seen: ServerContext[] = []): McpServer {
  const server = named('inner', { capabilities: { logging: {} } });
  server.registerTool(
    'add',
    { inputSchema: { a: z.number(), b: z.number() }, outputSchema: { sum: z.number() } },
    ({ a, b }) => ({
      content: [],
      structuredContent: { sum: a + b },
    }),
  );
  server.registerTool('greet', {}, async (ctx) => {
    seen.push(ctx);
    ctx.progress(1, 2);
    ctx.log('error', 'asking');
    const answer = await ctx.elicit({ message: 'Who?', schema: z.object({ name: z.string() }) });
    return text(answer.action === 'accept' ? `Hello, ${answer.content.name}!` : answer.action);
  });
  server.registerTool('explicit', {}, (ctx) =>
    ctx.inputResponses === undefined
      ? (inputRequired({
          inputRequests: {
            who: inputRequired.elicit({
              message: 'Who?',
              requestedSchema: { type: 'object', properties: { name: { type: 'string' } } },
            }),
          },
        }) as never)
      : text(JSON.stringify(ctx.inputResponses)),
  );
  server.registerTool('long', { task: 'required' }, (ctx) => text(ctx.task === undefined ? 'plain' : 'task'));
  server.registerPrompt(
    'haiku',
    { argsSchema: { about: completable(z.string(), () => ['rain', 'snow']) } },
    ({ about }) => ({
      messages: [{ role: 'user', content: { type: 'text', text: about } }],
    }),
  );
  server.registerResource('note', 'note://one', {}, ({ href }) => ({ contents: [{ uri: href, text: 'one' }] }));
  server.registerResource(
    'notes',
    new ResourceTemplate('note://all/{id}', {
      list: () => ({ resources: [{ name: 'listed', uri: 'note://all/7' }] }),
      complete: { id: () => ['7', '8'] },
    }),
    {},
    ({ href }, { id }) => ({ contents: [{ uri: href, text: `note ${String(id)}` }] }),
  );
  return server;
}

async function link(server: McpServer, revision: string, options: LinkedOptions = {}): Promise<Client> {
  const { client, close } = await connectLinked(server, {
    revision,
    capabilities: { elicitation: { form: {} } },
    ...options,
    prepare: (made) => {
      made.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: { name: 'Ada' } }));
      options.prepare?.(made);
    },
  });
  ends.push(close);
  return client;
}

const toolNames = async (client: Client): Promise<string[]> =>
  (await client.listTools({}, { cacheMode: 'bypass' })).tools.map(({ name }) => name);

describe.each(FAMILIES)('a server that is mounted on another, in %s', (revision) => {
  it('is offered under the prefix, with everything it has', async () => {
    const outer = named('outer');
    outer.registerTool('add', {}, () => text('own'));
    mount(outer, 'math', inner());
    const client = await link(outer, revision);
    expect(await toolNames(client)).toEqual(['add', 'math_add', 'math_greet', 'math_explicit', 'math_long']);
    const { tools } = await client.listTools();
    expect(tools[1]).toMatchObject({ inputSchema: { required: ['a', 'b'] }, outputSchema: { required: ['sum'] } });
    expect(await client.callTool({ name: 'add' })).toMatchObject(text('own'));
    expect((await client.callTool({ name: 'math_add', arguments: { a: 1, b: 2 } })).structuredContent).toEqual({
      sum: 3,
    });
    expect((await client.callTool({ name: 'math_add', arguments: { a: 1 } })).isError).toBe(true);
    expect((await client.listPrompts()).prompts.map(({ name }) => name)).toEqual(['math_haiku']);
    expect((await client.getPrompt({ name: 'math_haiku', arguments: { about: 'rain' } })).messages).toHaveLength(1);
    const complete = (
      ref: { type: 'ref/prompt'; name: string } | { type: 'ref/resource'; uri: string },
      name: string,
    ) => client.complete({ ref, argument: { name, value: '' } });
    expect((await complete({ type: 'ref/prompt', name: 'math_haiku' }, 'about')).completion.values).toEqual([
      'rain',
      'snow',
    ]);
    expect((await complete({ type: 'ref/resource', uri: 'note://all/{id}' }, 'id')).completion.values).toEqual([
      '7',
      '8',
    ]);
    expect((await client.listResources()).resources.map(({ uri }) => uri)).toEqual(['note://one', 'note://all/7']);
    expect((await client.readResource({ uri: 'note://one' })).contents).toMatchObject([{ text: 'one' }]);
    expect((await client.readResource({ uri: 'note://all/9' })).contents).toMatchObject([{ text: 'note 9' }]);
    expect((await client.listResourceTemplates()).resourceTemplates).toMatchObject([{ name: 'math_notes' }]);
  });

  it('asks, logs, reports progress and runs tasks with the client of the outer server', async () => {
    const seen: ServerContext[] = [];
    const outer = named('outer');
    mount(outer, 'in', inner(seen));
    const logs: unknown[] = [];
    const client = await link(outer, revision, { onlog: ({ data }) => logs.push(data) });
    await client.setLoggingLevel('debug');
    const progress: number[] = [];
    const result = await client.callTool(
      { name: 'in_greet' },
      { onprogress: (value) => progress.push(value.progress) },
    );
    expect(result).toMatchObject(text('Hello, Ada!'));
    await until(() => logs.length > 0 && progress.length > 0);
    expect(progress).toEqual([1]);
    expect(logs).toContain('asking');
    expect(seen[0]?.client?.name).toBe('linked-client');
    expect(JSON.stringify(await client.callTool({ name: 'in_explicit' }))).toContain('Ada');
    expect(await client.callTool({ name: 'in_long' })).toMatchObject(text('task'));
  });

  it('stays in step with what it offers, and leaves when it is unmounted', async () => {
    const outer = named('outer');
    const source = inner();
    const mounted = mount(outer, 'in', source);
    const client = await link(outer, revision);
    const added = source.registerTool('later', {}, () => text('late'));
    await until(() => outer.isConnected());
    await mounted.refresh();
    expect(await toolNames(client)).toContain('in_later');
    expect(await client.callTool({ name: 'in_later' })).toMatchObject(text('late'));
    added.remove();
    await mounted.refresh();
    expect(await toolNames(client)).not.toContain('in_later');
    await mounted.unmount();
    await mounted.unmount();
    expect(await toolNames(client)).toEqual([]);
    await expect(client.callTool({ name: 'in_add', arguments: { a: 1, b: 1 } })).rejects.toThrow('Unknown tool');
    source.registerTool('after', {}, () => text('x'));
    expect(await toolNames(client)).toEqual([]);
  });

  it('keeps its own middleware, and who may see what', async () => {
    const outer = named('outer');
    const source = inner();
    source.registerTool('hidden', { visible: ({ client }) => client?.name === 'root' }, () => text('secret'));
    const order: string[] = [];
    outer.use((operation, next) => {
      if (operation.method === 'tools/call') order.push(`outer ${String(operation.params['name'])}`);
      return next();
    });
    source.use((operation, next) => {
      order.push(`inner ${operation.method} ${String(operation.params['name'])}`);
      if (operation.params['name'] === 'long') throw new ProtocolError('invalid-request', 'Not through me.');
      return next();
    });
    mount(outer, 'in', source);
    const client = await link(outer, revision);
    expect(await toolNames(client)).not.toContain('in_hidden');
    await expect(client.callTool({ name: 'in_hidden' })).rejects.toThrow('Unknown tool');
    expect(await client.callTool({ name: 'in_greet' })).toMatchObject(text('Hello, Ada!'));
    expect(JSON.stringify(await client.callTool({ name: 'in_explicit' }))).toContain('Ada');
    expect(
      order
        .filter((line) => line.startsWith('inner'))
        .every((line) => / (?:greet|explicit)$|tools.list undefined$/.test(line)),
    ).toBe(true);
    await expect(client.callTool({ name: 'in_long' })).rejects.toThrow('Not through me.');
  });

  it('is cancelled with the call', async () => {
    const outer = named('outer');
    const source = named('slow');
    const aborted: unknown[] = [];
    let isRunning = false;
    source.registerTool('wait', {}, (ctx) => {
      isRunning = true;
      return new Promise<never>(() => ctx.signal.addEventListener('abort', () => aborted.push(ctx.signal.reason)));
    });
    mount(outer, 'in', source);
    const client = await link(outer, revision);
    const abort = new AbortController();
    const called = client.callTool({ name: 'in_wait' }, { signal: abort.signal });
    called.catch(() => {});
    await until(() => isRunning);
    abort.abort();
    await until(() => aborted.length === 1);
    await expect(called).rejects.toThrow();
  });
});

describe('mounting', () => {
  it('tells the clients of the outer server of changes', async () => {
    const outer = named('outer');
    const source = named('inner', { capabilities: { resources: { subscribe: true } } });
    source.registerTool('one', {}, () => text('1'));
    source.registerResource('note', 'note://one', {}, ({ href }) => ({ contents: [{ uri: href, text: 'x' }] }));
    mount(outer, 'in', source);
    const client = await link(outer, HANDSHAKE);
    const told: string[] = [];
    client.setNotificationHandler('notifications/tools/list_changed', () => void told.push('tools'));
    client.setNotificationHandler('notifications/resources/updated', () => void told.push('resource'));
    await client.subscribeResource({ uri: 'note://one' });
    source.registerTool('two', {}, () => text('2'));
    await until(() => told.includes('tools'));
    expect(await toolNames(client)).toEqual(['in_one', 'in_two']);
    await source.sendResourceUpdated({ uri: 'note://one' });
    await until(() => told.includes('resource'));
    expect(told).toContain('resource');
  });

  it('refuses a tool that may run as a task where there are no tasks, and then changes nothing', async () => {
    const outer = new McpServer({ name: 'outer', version: '1.0.0' });
    expect(() => mount(outer, 'in', inner())).toThrow(
      /"in_long" may run as a task.*import \{ tasks \} from 'crosspoint\/server\/tasks'/,
    );
    outer.registerTool('own', {}, () => text('own'));
    expect(await toolNames(await link(outer, '2025-11-25'))).toEqual(['own']);
  });

  it('refuses what is taken, and then changes nothing', () => {
    const outer = named('outer');
    outer.registerTool('in_long', {}, () => text('own'));
    expect(() => mount(outer, 'in', inner())).toThrow('"in_long" is already registered');
    mount(outer, 'other', inner());
    expect(() => mount(outer, 'third', inner())).toThrow('"note://one" is already registered');
    const templates = named('t');
    templates.registerResource('x', new ResourceTemplate('note://all/{id}', { list: undefined }), {}, () => ({
      contents: [],
    }));
    expect(() => mount(outer, 'fourth', templates)).toThrow('"note://all/{id}" is already registered');
    expect(() => mount(outer, 'no spaces', named('x'))).toThrow('A prefix is up to 32 letters');
    expect(() => outer.registerTool('other_add', {}, () => text('x'))).toThrow('already registered');
  });

  it('reports a clash that comes later, and keeps what there was', async () => {
    const outer = named('outer');
    const problems: Error[] = [];
    outer.server.onerror = (problem) => problems.push(problem);
    outer.registerTool('in_two', {}, () => text('own'));
    const source = named('inner');
    source.registerTool('one', {}, () => text('1'));
    mount(outer, 'in', source);
    source.registerTool('two', {}, () => text('2'));
    await until(() => problems.length === 1);
    expect(problems[0]?.message).toContain('"in_two" is already registered');
    const client = await link(outer, NEWEST);
    expect(await client.callTool({ name: 'in_two' })).toMatchObject(text('own'));
    expect(await client.callTool({ name: 'in_one' })).toMatchObject(text('1'));
  });

  it('refuses circles, and goes several levels deep', async () => {
    const [a, b, c] = [named('a'), named('b'), named('c')];
    c.registerTool('deep', {}, () => text('found'));
    mount(b, 'c', c);
    const onto = mount(a, 'b', b);
    expect(() => mount(a, 'a', a)).toThrow('on itself');
    expect(() => mount(c, 'a', a)).toThrow('on itself');
    const client = await link(a, NEWEST);
    expect(await client.callTool({ name: 'b_c_deep' })).toMatchObject(text('found'));
    c.registerTool('deeper', {}, () => text('too'));
    await until(() => a.server.getCapabilities().tools !== undefined);
    await onto.refresh();
    await onto.refresh();
    expect(await toolNames(client)).toEqual(['b_c_deep', 'b_c_deeper']);
    await onto.unmount();
    mount(c, 'a', a);
  });
});

describe('a source of one’s own', () => {
  class Source implements ServerSource {
    offers: SourceOffers = {
      tools: [{ name: 'shout', inputSchema: { type: 'object' }, execution: { taskSupport: 'required' } }],
      prompts: [{ name: 'p', arguments: [{ name: 'x' }] }],
      resources: [{ name: 'r', uri: 'mem://r' }],
      resourceTemplates: [{ name: 't', uriTemplate: 'mem://t/{id}' }],
    };
    onchange: ((change: SourceChange) => void) | undefined;
    isClosed = false;
    list = async (): Promise<SourceOffers> => this.offers;
    callTool: ServerSource['callTool'] = ({ name, arguments: args }, ctx) => {
      ctx.progress(1);
      return text(`${name} ${JSON.stringify(args)}`) as never;
    };
    readResource: ServerSource['readResource'] = ({ uri }) => ({ contents: [{ uri, text: `at ${uri}` }] });
    getPrompt: ServerSource['getPrompt'] = ({ name, arguments: args }) => ({
      messages: [{ role: 'user', content: { type: 'text', text: `${name} ${JSON.stringify(args)}` } }],
    });
    complete: ServerSource['complete'] = ({ ref, argument }) => ({
      completion: { values: [`${ref.type} ${argument.name}`] },
    });
    watch(onchange: (change: SourceChange) => void): () => void {
      this.onchange = onchange;
      return () => (this.onchange = undefined);
    }
    close(): void {
      this.isClosed = true;
    }
  }

  it.each(FAMILIES)('is mounted like a server, in %s', async (revision) => {
    const outer = named('outer');
    const source = new Source();
    const mounted = await mount(outer, 'ext', source);
    const client = await link(outer, revision);
    expect(await client.callTool({ name: 'ext_shout', arguments: { a: 1 } })).toMatchObject(text('shout {"a":1}'));
    expect((await client.listTools()).tools[0]?.execution).toBeUndefined();
    expect(await client.getPrompt({ name: 'ext_p', arguments: { x: 'y' } })).toMatchObject({
      messages: [{ content: { text: 'p {"x":"y"}' } }],
    });
    expect((await client.readResource({ uri: 'mem://t/5' })).contents).toMatchObject([{ text: 'at mem://t/5' }]);
    const ref = { type: 'ref/prompt', name: 'ext_p' } as const;
    expect((await client.complete({ ref, argument: { name: 'x', value: '' } })).completion.values).toEqual([
      'ref/prompt x',
    ]);
    source.offers = { tools: [{ name: 'whisper', inputSchema: { type: 'object' } }] };
    source.onchange?.({ kind: 'tools' });
    await mounted.refresh();
    expect(await toolNames(client)).toEqual(['ext_whisper']);
    await mounted.unmount();
    expect(source.isClosed).toBe(true);
    expect(source.onchange).toBeUndefined();
    expect(await toolNames(client)).toEqual([]);
  });

  it('that does not answer for what it lists says so', async () => {
    const outer = named('outer');
    await mount(outer, '', { list: () => ({ tools: [{ name: 'lone', inputSchema: { type: 'object' } }] }) });
    const client = await link(outer, NEWEST);
    await expect(client.callTool({ name: 'lone' })).rejects.toThrow('does not answer tools/call');
  });

  it('that fails to list is not mounted', async () => {
    const outer = named('outer');
    const failing: ServerSource = {
      list: () => Promise.reject(new Error('unreachable')),
    };
    await expect(mount(outer, 'x', failing)).rejects.toThrow('unreachable');
    expect(outer.server.getCapabilities().tools).toBeUndefined();
  });
});
