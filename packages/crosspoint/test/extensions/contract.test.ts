import { describe, expect, test } from 'vitest';
import { defineExtension } from '../../src/extensions/define-extension.ts';
import { declares } from '../../src/extensions/extension.ts';
import { tasksExtension } from '../../src/extensions/tasks/tasks-extension.ts';
import { ExtensionSet, resultTypes } from '../../src/extensions/extension-set.ts';
import { coreOf } from '../../src/server/core.ts';
import { createMcpHandler, McpServer, tellListeners, text, type ServerExtension } from '../../src/server/index.ts';
import { newestHandshake, quiet, stateless, Wire } from '../server/wire.ts';
import { clientWordsOf } from '../../src/revisions/client-words.ts';

const info = { name: 'extended', version: '1.0' };
const ID = 'com.example/shelf';
const declared = { extensions: { [ID]: {} } };

const shelf = defineExtension({
  id: ID,
  methods: {
    'shelf/take': { sender: 'client', kind: 'request', namedBy: 'book' },
    'notifications/shelf': { sender: 'server', kind: 'notification' },
  },
  results: { loan: ['tools/call'] },
  filters: { books: { notification: 'notifications/shelf', about: 'book' } },
});

function served(half: Partial<ServerExtension> = {}): McpServer {
  const server = new McpServer(info);
  server.registerTool('t', {}, () => text('done'));
  server.use({
    extension: shelf,
    handlers: { 'shelf/take': ({ params }) => ({ taken: params['book'] }) },
    granted: (_member, items) => items.filter((item) => item !== 'secret'),
    ...half,
  });
  return server;
}

describe('the words of an extension', () => {
  test('are there for a client that declared it', async () => {
    const wire = await Wire.open(served(), declared);
    expect(await wire.result('shelf/take', { book: 'b' }, stateless)).toMatchObject({
      resultType: 'complete',
      taken: 'b',
    });
  });

  test('are refused to a client that did not, naming what is missing, whatever an earlier request declared', async () => {
    const wire = await Wire.open(served(), declared);
    await wire.result('shelf/take', { book: 'b' }, stateless);
    const error = await wire.error('shelf/take', { book: 'b' }, stateless, { capabilities: {} });
    expect(error).toMatchObject({ code: -32021, data: { requiredCapabilities: { extensions: { [ID]: {} } } } });
  });

  test('do not exist on a server without it, nor for a family it is not for', async () => {
    const plain = new McpServer(info);
    plain.registerTool('t', {}, () => text('done'));
    const wire = await Wire.open(plain, declared);
    expect((await wire.error('shelf/take', { book: 'b' }, stateless)).code).toBe(-32601);
    const old = await Wire.open(served(), declared);
    expect((await old.error('shelf/take', { book: 'b' }, newestHandshake)).code).toBe(-32601);
  });

  test('are declared with the settings of the half', async () => {
    const wire = await Wire.open(served({ settings: { size: 3 } }));
    expect((await wire.declared(stateless)).extensions).toEqual({ [ID]: { size: 3 } });
  });
});

describe('a listen filter of an extension', () => {
  test('is granted item by item, and told only to the streams that have the item', async () => {
    const server = served();
    const wire = await Wire.open(server, declared);
    const id = wire.start('subscriptions/listen', { notifications: { books: ['a', 'secret'] } }, stateless);
    const ack = await wire.notification('notifications/subscriptions/acknowledged');
    expect(ack.params?.['notifications']).toEqual({ books: ['a'] });
    const core = coreOf(server);
    for (const about of ['b', 'secret', 'a'])
      core.tell({ kind: 'extension', filter: 'books', about, method: 'notifications/shelf', params: { book: about } });
    await quiet();
    const told = wire.notified('notifications/shelf');
    expect(told.map((frame) => frame.params?.['book'])).toEqual(['a']);
    expect(told[0]?.params?._meta).toEqual({ 'io.modelcontextprotocol/subscriptionId': id });
  });

  test('needs the extension to be declared, and texts', async () => {
    const wire = await Wire.open(served());
    const params = { notifications: { books: ['a'] } };
    expect((await wire.error('subscriptions/listen', params, stateless)).code).toBe(-32021);
    const wrong = { notifications: { books: 'a' } };
    expect((await wire.error('subscriptions/listen', wrong, stateless, { capabilities: declared })).code).toBe(-32602);
  });
});

describe('over HTTP', () => {
  const post = (server: McpServer, name: string | undefined): Promise<Response> =>
    createMcpHandler(server).fetch(
      new Request('http://localhost/mcp', {
        method: 'POST',
        headers: {
          'Content-Type': 'application/json',
          Accept: 'application/json, text/event-stream',
          'MCP-Protocol-Version': stateless.id,
          'Mcp-Method': 'shelf/take',
          ...(name !== undefined && { 'Mcp-Name': name }),
        },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'shelf/take',
          params: clientWordsOf(stateless).writeRequest({
            method: 'shelf/take',
            params: { book: 'b' },
            facts: { capabilities: declared },
          }),
        }),
      }),
    );

  test('Mcp-Name repeats the member that the extension names', async () => {
    expect((await post(served(), 'b')).status).toBe(200);
    for (const name of ['c', undefined]) {
      const refused = await post(served(), name);
      expect(refused.status).toBe(400);
      expect(await refused.json()).toMatchObject({ error: { code: -32020 } });
    }
  });
});

describe('a set of extensions', () => {
  test('reads a result type only where it was declared and for the methods it may answer', () => {
    const set = new ExtensionSet([{ extension: shelf }]);
    const wire = { resultType: 'loan', until: 'tomorrow' };
    const types = resultTypes(set, 'tools/call', declared);
    expect(clientWordsOf(stateless).readResult('tools/call', wire, () => types)).toEqual({
      kind: 'complete',
      result: wire,
    });
    expect(() =>
      clientWordsOf(stateless).readResult('prompts/get', wire, () => resultTypes(set, 'prompts/get', declared)),
    ).toThrow(/unknown/);
    expect(() =>
      clientWordsOf(stateless).readResult('tools/call', wire, () => resultTypes(set, 'tools/call', {})),
    ).toThrow(/unknown/);
  });

  test('refuses two extensions that add the same word', () => {
    const other = defineExtension({ id: 'com.example/other', methods: shelf.methods ?? {} });
    expect(() => new ExtensionSet([{ extension: shelf }, { extension: other }])).toThrow(
      '"shelf/take", which belongs to com.example/shelf',
    );
    expect(() => new ExtensionSet([{ extension: shelf }, { extension: { ...shelf } }])).toThrow(
      'has been added already',
    );
  });

  test.each([
    [{ id: 'shelf' }, /no extension id/],
    [{ id: ID, results: { complete: ['tools/call'] } }, /must be its own/],
    [{ id: ID, results: { loan: [] } }, /at least one method/],
    [{ id: ID, filters: { books: { notification: 'nothing', about: 'book' } } }, /does not declare as a notification/],
  ])('a declaration that cannot work is refused where it is written: %j', (extension, why) => {
    expect(() => defineExtension(extension)).toThrow(why);
  });

  test('tasks are an extension as any other could be', () => {
    expect(defineExtension(tasksExtension)).toEqual(tasksExtension);
    expect(Object.isFrozen(tasksExtension)).toBe(true);
  });

  test('only an object declares an extension', () => {
    expect(declares(declared, ID)).toBe(true);
    for (const extensions of [undefined, {}, { [ID]: true }, { [ID]: null }])
      expect(declares({ extensions }, ID)).toBe(false);
  });
});

describe('who has to declare an extension', () => {
  const open = defineExtension({
    id: 'com.example/open',
    families: ['per-request', 'handshake'],
    declaredBy: 'server',
    methods: {
      'open/ask': { sender: 'client', kind: 'request' },
      'notifications/open': { sender: 'server', kind: 'notification' },
    },
    filters: { doors: { notification: 'notifications/open', about: 'door' } },
  });

  function opened(): McpServer {
    const server = new McpServer(info);
    server.use({ extension: open, settings: { doors: 2 }, handlers: { 'open/ask': () => ({ answered: true }) } });
    return server;
  }

  test('is the server alone, where the extension says so: its methods and filters are for every client', async () => {
    const server = opened();
    const wire = await Wire.open(server);
    expect(await wire.result('open/ask', {}, stateless)).toMatchObject({ answered: true });
    wire.start('subscriptions/listen', { notifications: { doors: ['front'] } }, stateless);
    const ack = await wire.notification('notifications/subscriptions/acknowledged');
    expect(ack.params?.['notifications']).toEqual({ doors: ['front'] });
    tellListeners(server, 'doors', 'back');
    tellListeners(server, 'doors', 'front', { wide: true });
    expect((await wire.notification('notifications/open')).params).toMatchObject({ door: 'front', wide: true });
    expect(wire.notified('notifications/open')).toHaveLength(1);
    expect(() => tellListeners(server, 'windows', 'front')).toThrow('no listen filter');
  });

  test('is said in a handshake as well, where the extension is for one, and only there', async () => {
    const server = opened();
    server.use({ extension: shelf });
    const wire = await Wire.open(server);
    expect((await wire.handshake(newestHandshake)).capabilities.extensions).toEqual({
      'com.example/open': { doors: 2 },
    });
    expect(await wire.result('open/ask', {}, newestHandshake)).toEqual({ answered: true });
    const own = new McpServer(info, { capabilities: { extensions: { 'com.example/own': { a: 1 } } } });
    const declared = (await (await Wire.open(own)).handshake(newestHandshake)).capabilities.extensions;
    expect(declared).toEqual({ 'com.example/own': { a: 1 } });
    const plain = await Wire.open(served());
    expect((await plain.handshake(newestHandshake)).capabilities).not.toHaveProperty('extensions');
  });
});
