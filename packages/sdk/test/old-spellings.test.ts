import { afterEach, describe, expect, test } from 'vitest';
import * as z from 'zod/v4';
import { Client } from '../src/client/index.ts';
import { completable, getCompleter, isCompletable, unwrapCompletable } from '../src/server/completable.ts';
import { McpServer, ResourceTemplate } from '../src/server/mcp.ts';
import { McpServer as NewMcpServer } from 'crosspoint/server';
import { InMemoryTransport } from 'crosspoint/testing';

const clients: Client[] = [];
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
});

async function linked(server: McpServer): Promise<Client> {
  const client = new Client({ name: 'old', version: '1.0.0' }, { capabilities: {} });
  clients.push(client);
  const [near, far] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(far), client.connect(near)]);
  return client;
}

const makeServer = () => new McpServer({ name: 'old', version: '1.0.0' }, { capabilities: { logging: {} } });
const said = (text: string) => ({ content: [{ type: 'text' as const, text }] });

describe('tool(name, …)', () => {
  test('takes every order of description, parameters and annotations', async () => {
    const server = makeServer();
    server.tool('bare', () => said('bare'));
    server.tool('told', 'With words', () => said('told'));
    server.tool('shaped', { n: z.number() }, ({ n }) => said(`shaped ${n + 1}`));
    server.tool('hinted', { readOnlyHint: true }, () => said('hinted'));
    server.tool('told-shaped', 'Words', { n: z.number() }, async ({ n }) => said(`told ${n}`));
    server.tool('told-hinted', 'Words', { title: 'Hinted' }, () => said('told and hinted'));
    server.tool('shaped-hinted', { n: z.number() }, { destructiveHint: false }, ({ n }) => said(`both ${n}`));
    server.tool('all', 'Words', { n: z.number() }, { title: 'All' }, ({ n }, { requestId }) =>
      said(`all ${n} ${typeof requestId}`),
    );
    server.tool('empty', {}, (args) => said(JSON.stringify(args)));
    const client = await linked(server);
    const { tools } = await client.listTools();
    const told = Object.fromEntries(
      tools.map(({ name, description, annotations, inputSchema }) => [
        name,
        [description, annotations, Object.keys((inputSchema as { properties?: object }).properties ?? {})],
      ]),
    );
    expect(told).toEqual({
      bare: [undefined, undefined, []],
      told: ['With words', undefined, []],
      shaped: [undefined, undefined, ['n']],
      hinted: [undefined, { readOnlyHint: true }, []],
      'told-shaped': ['Words', undefined, ['n']],
      'told-hinted': ['Words', { title: 'Hinted' }, []],
      'shaped-hinted': [undefined, { destructiveHint: false }, ['n']],
      all: ['Words', { title: 'All' }, ['n']],
      empty: [undefined, undefined, []],
    });
    const answers = await Promise.all(tools.map(({ name }) => client.callTool({ name, arguments: { n: 1 } })));
    expect(answers.map(({ content }) => (content as { text: string }[])[0]?.text)).toEqual([
      'bare',
      'told',
      'shaped 2',
      'hinted',
      'told 1',
      'told and hinted',
      'both 1',
      expect.stringMatching(/^all 1 (?:number|string)$/),
      '{}',
    ]);
  });

  test('refuses what is neither parameters nor annotations, and a call without a function', () => {
    const server = makeServer();
    expect(() => server.tool('odd', { nested: { deep: 1 } } as object as { title: string }, () => said(''))).toThrow(
      'received an unrecognized object',
    );
    expect(() => server.tool('odd', 'words' as never)).toThrow('needs a function');
  });

  test('gives what can be updated, disabled and removed', async () => {
    const server = makeServer();
    const tool = server.tool('counted', { n: z.number() }, ({ n }) => said(String(n)));
    const client = await linked(server);
    tool.update({ paramsSchema: { n: z.string() }, callback: ({ n }: { n: string }) => said(`text ${n}`) });
    expect(await client.callTool({ name: 'counted', arguments: { n: 'x' } })).toMatchObject(said('text x'));
    tool.disable();
    expect((await client.listTools()).tools).toEqual([]);
    tool.remove();
    expect(await client.callTool({ name: 'counted' })).toEqual({
      ...said('MCP error -32602: Tool counted not found'),
      isError: true,
    });
  });

  test('is a spelling of the same server', () => {
    expect(makeServer()).toBeInstanceOf(NewMcpServer);
  });
});

describe('maxToolInputElements', () => {
  test('refuses arguments that hold more, at every depth', async () => {
    const info = { name: 'old', version: '1.0.0' };
    const server = new McpServer(info, { maxToolInputElements: 5 });
    server.registerTool('count', { inputSchema: { list: z.array(z.unknown()) } }, ({ list }) =>
      said(String(list.length)),
    );
    const client = await linked(server);
    const call = (list: unknown[]) => client.callTool({ name: 'count', arguments: { list } });
    expect((await call([1, [2, 3]])).content).toEqual(said('2').content);
    await expect(call([1, 2, 3, 4, 5])).rejects.toMatchObject({ code: -32602 });
    await expect(call([{ a: { b: { c: { d: 1 } } } }])).rejects.toMatchObject({ code: -32602 });
    expect(() => new McpServer(info, { maxToolInputElements: 0 })).toThrow(TypeError);
  });
});

describe('prompt(name, …) and resource(name, …)', () => {
  test('take their optional parts', async () => {
    const server = makeServer();
    const message = (text: string) => ({
      messages: [{ role: 'user' as const, content: { type: 'text' as const, text } }],
    });
    server.prompt('bare', () => message('bare'));
    server.prompt('told', 'Words', () => message('told'));
    server.prompt('shaped', { who: z.string() }, ({ who }) => message(who));
    const suggested = completable(z.string(), (value) => [`${value}a`, `${value}b`]);
    server.prompt('all', 'Words', { who: suggested }, ({ who }) => message(`${who}!`));
    server.resource('plain', 'mem://plain', (uri) => ({ contents: [{ uri: uri.href, text: 'plain' }] }));
    server.resource('typed', 'mem://typed', { mimeType: 'text/css' }, (uri) => ({
      contents: [{ uri: uri.href, text: 'typed' }],
    }));
    const template = new ResourceTemplate('mem://user/{id}', { list: undefined, complete: { id: () => ['1', '2'] } });
    server.resource('user', template, (uri, { id }) => ({ contents: [{ uri: uri.href, text: `user ${String(id)}` }] }));
    server.resource(
      'book',
      new ResourceTemplate('mem://book/{id}', { list: undefined }),
      { title: 'Books' },
      (uri) => ({
        contents: [{ uri: uri.href, text: 'book' }],
      }),
    );
    const client = await linked(server);
    expect((await client.listPrompts()).prompts.map(({ name, description }) => [name, description])).toEqual([
      ['bare', undefined],
      ['told', 'Words'],
      ['shaped', undefined],
      ['all', 'Words'],
    ]);
    expect(await client.getPrompt({ name: 'all', arguments: { who: 'Ada' } })).toMatchObject(message('Ada!'));
    expect((await client.listResources()).resources.map(({ name, mimeType }) => [name, mimeType])).toEqual([
      ['plain', undefined],
      ['typed', 'text/css'],
    ]);
    expect((await client.readResource({ uri: 'mem://user/7' })).contents).toMatchObject([{ text: 'user 7' }]);
    const titles = (await client.listResourceTemplates()).resourceTemplates.map(({ title }) => title);
    expect(titles).toEqual([undefined, 'Books']);
    const { completion } = await client.complete({
      ref: { type: 'ref/prompt', name: 'all' },
      argument: { name: 'who', value: 'x' },
    });
    expect(completion.values).toEqual(['xa', 'xb']);
  });

  test('a completable schema can be told and read', async () => {
    const plain = z.string();
    expect([isCompletable(plain), getCompleter(plain)]).toEqual([false, undefined]);
    const marked = completable(plain, () => ['a']);
    expect(isCompletable(marked)).toBe(true);
    expect(await getCompleter(marked)?.('', {})).toEqual(['a']);
    expect(unwrapCompletable(marked).parse('text')).toBe('text');
  });
});
