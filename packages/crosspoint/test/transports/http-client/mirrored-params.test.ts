import { afterEach, expect, test } from 'vitest';
import { z } from 'zod';
import { Client, createVerdictMemory, type ClientOptions } from '../../../src/client/index.ts';
import { InMemoryTransport } from '../../../src/transports/memory/in-memory-transport.ts';
import { McpServer, Server } from '../../../src/server/index.ts';
import { failure } from '../../client/connected.ts';
import { LEGACY } from '../../client/fake-server.ts';
import { proves } from '../../requirements/proves.ts';
import { closeAll, serve, type Listening, type Seen } from './http-server.ts';

const clients: Client[] = [];

afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
  await closeAll();
});

const string = (header?: unknown): object =>
  header === undefined ? { type: 'string' } : { type: 'string', 'x-mcp-header': header };
const tool = (
  name: string,
  properties: object,
): { name: string; inputSchema: { type: 'object'; properties: object } } => ({
  name,
  inputSchema: { type: 'object', properties },
});

/** A server that lists exactly these tools and says what it was called with. */
function listing(tools: () => object[]): Server {
  const server = new Server({ name: 's', version: '1' }, { capabilities: { tools: {} } });
  server.setRequestHandler('tools/list', () => ({ tools: tools() }));
  server.setRequestHandler('tools/call', ({ params }) => ({
    content: [{ type: 'text', text: JSON.stringify(params?.['arguments'] ?? {}) }],
  }));
  return server;
}

interface Connected {
  client: Client;
  listening: Listening;
  problems: Error[];
}

const connect = (tools: () => object[], options: ClientOptions = {}): Promise<Connected> =>
  connectTo(listing(tools), options);

async function connectTo(server: Server | McpServer, options: ClientOptions = {}): Promise<Connected> {
  const problems: Error[] = [];
  const listening = await serve(server);
  const client = new Client(
    { name: 'c', version: '1' },
    { verdicts: createVerdictMemory(), onproblem: (problem) => problems.push(problem), ...options },
  );
  clients.push(client);
  await client.connect(listening.url);
  return { client, listening, problems };
}

const calls = (listening: Listening): Seen[] => listening.seen.filter(({ json }) => json?.method === 'tools/call');
const mirrored = (seen: Seen | undefined): Record<string, unknown> =>
  Object.fromEntries(Object.entries(seen?.headers ?? {}).filter(([name]) => name.startsWith('mcp-param-')));

proves('M-HDR-010, M-HDR-011').describe('arguments that are mirrored', () => {
  const TOOL = tool('query', {
    region: string('Region'),
    count: { type: 'integer', 'x-mcp-header': 'Count' },
    dry: { type: 'boolean', 'x-mcp-header': 'Dry' },
    where: { type: 'object', properties: { shard: string('Shard') } },
    sql: { type: 'string' },
  });

  const cases: [ids: string, what: string, args: object, headers: object][] = [
    [
      'M-HDR-024',
      'strings, integers and booleans',
      { region: 'us-west1', count: 42, dry: false, sql: 'SELECT' },
      { 'mcp-param-region': 'us-west1', 'mcp-param-count': '42', 'mcp-param-dry': 'false' },
    ],
    ['M-HDR-020', 'at their exact place', { where: { shard: 'b' }, shard: 'a' }, { 'mcp-param-shard': 'b' }],
    ['M-HDR-034', 'not when absent or null', { region: null }, {}],
    ['M-HDR-051', 'empty when empty', { region: '' }, { 'mcp-param-region': '' }],
    ['M-HDR-025', 'not ASCII', { region: 'Hello, 世界' }, { 'mcp-param-region': '=?base64?SGVsbG8sIOS4lueVjA==?=' }],
    ['M-HDR-025', 'padded', { region: ' padded ' }, { 'mcp-param-region': '=?base64?IHBhZGRlZCA=?=' }],
    ['M-HDR-025', 'several lines', { region: 'line1\nline2' }, { 'mcp-param-region': '=?base64?bGluZTEKbGluZTI=?=' }],
    [
      'M-HDR-026',
      'looking encoded already',
      { region: '=?base64?literal?=' },
      { 'mcp-param-region': '=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?=' },
    ],
    [
      'M-HDR-027',
      'looking encoded in other letters',
      { region: '=?BASE64?literal?=' },
      { 'mcp-param-region': '=?BASE64?literal?=' },
    ],
    ['M-HDR-017', 'only safe integers', { count: 2 ** 60 }, {}],
  ];
  for (const [ids, what, args, headers] of cases)
    proves(ids).test(what, async () => {
      const { client, listening } = await connect(() => [TOOL]);
      await client.listTools();
      await client.callTool({ name: 'query', arguments: args as Record<string, unknown> }).catch(() => {});
      expect(mirrored(calls(listening)[0])).toEqual(headers);
    });

  const routed = (header: string): z.ZodType => z.object({ region: z.string().meta({ 'x-mcp-header': header }) });
  const answer = (): { content: [] } => ({ content: [] });

  proves('M-HDR-047, M-HDR-029').test(
    'a tool that was never listed is called without them; the refusal leads to the list, and to one more call',
    async () => {
      const server = new McpServer({ name: 's', version: '1' });
      server.registerTool('query', { inputSchema: routed('Region') }, answer);
      const { client, listening } = await connectTo(server);
      expect(await client.callTool({ name: 'query', arguments: { region: 'eu' } })).toMatchObject({ content: [] });
      expect(listening.methods().slice(1)).toEqual(['tools/call', 'tools/list', 'tools/call']);
      expect(calls(listening).map(mirrored)).toEqual([{}, { 'mcp-param-region': 'eu' }]);
    },
  );

  proves('M-HDR-046, M-HDR-029').test('a definition that has changed is read anew', async () => {
    const server = new McpServer({ name: 's', version: '1' });
    const registered = server.registerTool('query', { inputSchema: routed('Region') }, answer);
    const { client, listening } = await connectTo(server);
    await client.listTools();
    registered.remove();
    server.registerTool('query', { inputSchema: routed('Place') }, answer);
    await client.callTool({ name: 'query', arguments: { region: 'eu' } });
    expect(calls(listening).map(mirrored)).toEqual([{ 'mcp-param-region': 'eu' }, { 'mcp-param-place': 'eu' }]);
  });

  test('a server that refuses again is not called a third time', async () => {
    const listening = await serve(listing(() => []));
    const refuse = (request: RequestInit | undefined): Response | undefined => {
      const body = JSON.parse(request?.body as string) as { id: number; method: string };
      return body.method === 'tools/call'
        ? Response.json({ jsonrpc: '2.0', id: body.id, error: { code: -32020, message: 'no' } }, { status: 400 })
        : undefined;
    };
    let refused = 0;
    const client = new Client({ name: 'c', version: '1' }, { verdicts: createVerdictMemory() });
    clients.push(client);
    await client.connect({
      url: listening.url,
      fetch: async (url, init) => {
        const response = refuse(init);
        if (response === undefined) return fetch(url, init);
        refused += 1;
        return response;
      },
    });
    expect(await failure(client.callTool({ name: 'query', arguments: {} }))).toMatchObject({ kind: 'header-mismatch' });
    expect(refused).toBe(2);
  });
});

proves('M-HDR-021, M-HDR-022').describe('a tool with annotations that cannot be followed', () => {
  const BAD = [
    tool('number', { n: { type: 'number', 'x-mcp-header': 'N' } }),
    tool('name', { a: string('not a token') }),
    tool('empty', { a: string('') }),
    tool('twice', { a: string('Same'), b: string('same') }),
    tool('items', { list: { type: 'array', items: string('Item') } }),
    { name: 'choice', inputSchema: { type: 'object', oneOf: [{ properties: { a: string('A') } }] } },
  ];
  const GOOD = [tool('good', { a: string('A') }), tool('plain', { a: string() })];

  test('is left out, alone, with one warning that names it and the reason', async () => {
    const { client, problems } = await connect(() => [...BAD, ...GOOD]);
    for (let i = 0; i < 2; i += 1)
      expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['good', 'plain']);
    expect(problems.length).toBe(BAD.length);
    for (const [index, { name }] of BAD.entries()) expect(problems[index]?.message).toContain(`"${name}"`);
    expect(problems[0]?.message).toContain('x-mcp-header may stand only on a string, an integer or a boolean');
  });

  test('is kept where nothing is mirrored: with a handshake, and without HTTP', async () => {
    const { client, listening, problems } = await connect(() => [...BAD, ...GOOD], { revisions: [LEGACY.id] });
    expect((await client.listTools()).tools.length).toBe(BAD.length + GOOD.length);
    await client.callTool({ name: 'good', arguments: { a: '1' } });
    expect(mirrored(calls(listening)[0])).toEqual({});
    const [near, far] = InMemoryTransport.createLinkedPair();
    await listing(() => [...BAD, ...GOOD]).connect(far);
    const other = new Client(
      { name: 'c', version: '1' },
      { verdicts: createVerdictMemory(), revisions: 'per-request' },
    );
    clients.push(other);
    await other.connect(near);
    expect((await other.listTools()).tools.length).toBe(BAD.length + GOOD.length);
    expect(problems).toEqual([]);
  });
});

test('schemas of zod bring their annotations along', async () => {
  const schema = z.toJSONSchema(z.object({ region: z.string().meta({ 'x-mcp-header': 'Region' }) }));
  const { client, listening } = await connect(() => [{ name: 'query', inputSchema: schema }]);
  await client.listTools();
  await client.callTool({ name: 'query', arguments: { region: 'eu' } });
  expect(mirrored(calls(listening)[0])).toEqual({ 'mcp-param-region': 'eu' });
});
