import { describe, expect, test } from 'vitest';
import { McpServer, ProtocolError, ResourceTemplate, resourceContents } from '../../src/server/index.ts';
import type { ResourceConfig } from '../../src/server/offering/registrations.ts';
import { proves } from '../requirements/proves.ts';
import { auth, everyRevision, newestHandshake, stateless, Wire } from './wire.ts';

const info = { name: 'resources', version: '1.0' };
const notFound = (revision: { family: string }): number => (revision.family === 'handshake' ? -32002 : -32602);

function notes(): McpServer {
  const server = new McpServer(info);
  server.registerResource(
    'a',
    'note:///a',
    {
      title: 'A',
      description: 'd',
      mimeType: 'text/plain',
      size: 1,
      annotations: { audience: ['user'], priority: 0.5, lastModified: '2026-01-02T03:04:05Z' },
    },
    (uri) => ({ contents: [{ uri: uri.href, text: 'a' }] }),
  );
  server.registerResource('pair', 'note:///pair', {}, (uri) => ({
    contents: [
      resourceContents(uri.href, 'text', 'text/plain'),
      resourceContents(uri.href, new Uint8Array([0, 255, 128]), 'application/octet-stream'),
    ],
  }));
  server.registerResource('gone', 'note:///gone', {}, () => undefined);
  server.registerResource('empty', 'note:///empty', {}, () => ({ contents: [] }));
  server.registerResource('broken', 'note:///broken', {}, () => {
    throw new Error('the disk has a password: hunter2');
  });
  return server;
}

describe.each(everyRevision)('resources in %s', (_id, revision) => {
  proves('L-RESOURCES-001, M-RES-001').test(
    'resources are declared; subscribe and listChanged are independent',
    async () => {
      expect((await (await Wire.open(notes())).declared(revision)).resources).toEqual({ listChanged: true });
      for (const listChanged of [true, false]) {
        for (const subscribe of [true, false]) {
          const server = new McpServer(info, { capabilities: { resources: { listChanged, subscribe } } });
          server.registerResource('a', 'note:///a', {}, () => undefined);
          expect((await (await Wire.open(server)).declared(revision)).resources).toEqual({ listChanged, subscribe });
        }
      }
    },
  );

  proves('L-RESOURCES-002, M-RES-002').test(
    'the list has every resource with its uri and name, and may be empty',
    async () => {
      const { resources } = await (await Wire.open(notes())).result('resources/list', {}, revision);
      expect(resources.map(({ uri, name }: any) => [uri, name])).toEqual([
        ['note:///a', 'a'],
        ['note:///pair', 'pair'],
        ['note:///gone', 'gone'],
        ['note:///empty', 'empty'],
        ['note:///broken', 'broken'],
      ]);
      expect(resources[0]).toMatchObject({
        description: 'd',
        mimeType: 'text/plain',
        size: 1,
        annotations: { audience: ['user'], priority: 0.5 },
      });
      expect(resources[1]).toEqual({ uri: 'note:///pair', name: 'pair' });
      const empty = await Wire.open(new McpServer(info, { capabilities: { resources: {} } }));
      expect((await empty.result('resources/list', {}, revision)).resources).toEqual([]);
    },
  );

  proves('L-RESOURCES-003, L-RESOURCES-017, L-RESOURCES-019, M-RES-015, M-RES-017').test(
    'a read gives several items: text as text, bytes as base64 that decodes to the same bytes',
    async () => {
      const { contents } = await (await Wire.open(notes())).result('resources/read', { uri: 'note:///pair' }, revision);
      expect(contents).toHaveLength(2);
      expect(contents[0]).toEqual({ uri: 'note:///pair', mimeType: 'text/plain', text: 'text' });
      expect(contents[1]).not.toHaveProperty('text');
      expect([...Buffer.from(contents[1].blob, 'base64')]).toEqual([0, 255, 128]);
    },
  );

  proves('L-RESOURCES-009, M-RES-005, M-RES-006, M-RES-009, M-ERR-009').test(
    'what does not exist is an error with its uri, never empty contents',
    async () => {
      const wire = await Wire.open(notes());
      for (const uri of ['note:///nothing', 'note:///gone']) {
        expect(await wire.error('resources/read', { uri }, revision)).toMatchObject({
          code: notFound(revision),
          data: { uri },
        });
      }
      expect((await wire.result('resources/read', { uri: 'note:///empty' }, revision)).contents).toEqual([]);
    },
  );

  proves('L-RESOURCES-010, M-RES-007').test('a reader that throws is -32603 and its words stay here', async () => {
    const problems: Error[] = [];
    const server = notes();
    server.server.onerror = (error) => problems.push(error);
    const wire = await Wire.open(server);
    expect(await wire.error('resources/read', { uri: 'note:///broken' }, revision)).toEqual({
      code: -32603,
      message: 'Internal error',
    });
    expect(problems.map((problem) => problem.message)).toEqual(['the disk has a password: hunter2']);
  });

  proves('L-RESOURCES-015, M-RES-013').test('a uri that is none is -32602', async () => {
    const wire = await Wire.open(notes());
    for (const uri of [undefined, 7, '', 'a', '/a', 'note:///a b', 'note:///%zz', 'http://[', '://x', 'note:///<a>']) {
      expect(await wire.error('resources/read', { uri }, revision), String(uri)).toMatchObject({ code: -32602 });
    }
  });

  proves('L-RESOURCES-015, M-RES-014').test(
    'a file uri that climbs or hides a separator is refused before any handler sees it',
    async () => {
      const seen: string[] = [];
      const server = new McpServer(info);
      server.registerResource(
        'files',
        new ResourceTemplate('file:///{+path}', { list: undefined }),
        { acceptUnsafeVariables: true },
        (uri) => {
          seen.push(uri.href);
          return { contents: [{ uri: uri.href, text: '' }] };
        },
      );
      const wire = await Wire.open(server);
      const hostile = [
        'file:///../../etc/passwd',
        'file:///a/../../etc',
        'file:///%2e%2e/etc',
        'file:///a/%2E%2e%2fetc',
        'file:///..%2fetc',
        'file:///a%5c..%5cetc',
        'file:///a%2Fb',
        'file:///a%00.txt',
        'file:///a/..',
        'FILE:///../x',
      ];
      for (const uri of hostile) expect((await wire.error('resources/read', { uri }, revision)).code, uri).toBe(-32602);
      expect(seen).toEqual([]);
      await wire.result('resources/read', { uri: 'file:///a..b/c.txt' }, revision);
      expect(seen).toEqual(['file:///a..b/c.txt']);
    },
  );

  proves('L-RESOURCES-016, L-RESOURCES-018, M-RES-016, M-CACHE-021').test(
    'a resource is listed for and read by only those it is visible to',
    async () => {
      const server = new McpServer(info);
      const visible: ResourceConfig['visible'] = ({ authInfo }) => authInfo?.clientId === 'ann';
      server.registerResource('diary', 'note:///diary', { visible }, (uri) => ({
        contents: [{ uri: uri.href, text: 'dear diary' }],
      }));
      server.registerResource(
        'rest',
        new ResourceTemplate('note:///{id}', {
          list: () => ({
            resources: [
              { uri: 'note:///diary', name: 'again' },
              { uri: 'note:///x', name: 'x' },
            ],
          }),
        }),
        {},
        (uri) => ({ contents: [{ uri: uri.href, text: 'from the template' }] }),
      );
      const wire = await Wire.open(server);
      const list = async (options: object): Promise<string[]> =>
        (await wire.result('resources/list', {}, revision, options)).resources.map((item: any) => item.uri);
      expect(await list({ authInfo: auth('bob') })).toEqual(['note:///x']);
      expect(await list({ authInfo: auth('ann') })).toEqual(['note:///diary', 'note:///x']);
      expect(await wire.error('resources/read', { uri: 'note:///diary' }, revision)).toMatchObject({
        code: notFound(revision),
      });
      expect(
        (await wire.result('resources/read', { uri: 'note:///diary' }, revision, { authInfo: auth('ann') })).contents[0]
          .text,
      ).toBe('dear diary');
    },
  );

  proves('M-RES-003').test('the list is the same on every connection and after other calls', async () => {
    const server = notes();
    const [one, two] = [await Wire.open(server), await Wire.open(server)];
    const first = JSON.stringify(await one.result('resources/list', {}, revision));
    await two.result('resources/read', { uri: 'note:///a' }, revision);
    await one.request('resources/read', { uri: 'note:///gone' }, revision);
    expect(JSON.stringify(await two.result('resources/list', {}, revision))).toBe(first);
  });

  test('contents that are not valid are an internal error', async () => {
    for (const [index, value] of [
      7,
      {},
      { contents: {} },
      { contents: [{}] },
      { contents: [{ uri: 'note:///x' }] },
      { contents: [{ uri: 'note:///x', blob: '~~~' }] },
    ].entries()) {
      const server = new McpServer(info);
      server.registerResource('x', 'note:///x', {}, (() => value) as never);
      expect(
        (await (await Wire.open(server)).error('resources/read', { uri: 'note:///x' }, revision)).code,
        String(index),
      ).toBe(-32603);
    }
  });

  test('a reader may say itself that there is nothing', async () => {
    const server = new McpServer(info);
    server.registerResource('x', 'note:///x', {}, () => {
      throw new ProtocolError('resource-not-found', 'Burnt', { uri: 'note:///x' });
    });
    expect(await (await Wire.open(server)).error('resources/read', { uri: 'note:///x' }, revision)).toEqual({
      code: notFound(revision),
      message: 'Burnt',
      data: { uri: 'note:///x' },
    });
  });
});

describe('registration', () => {
  const register = (uri: string, config: ResourceConfig = {}): void => {
    new McpServer(info).registerResource('x', uri, config, () => undefined);
  };

  proves('L-RESOURCES-014, M-RES-012').test('a uri needs a scheme as RFC 3986 has it', () => {
    for (const uri of ['a', '/a', '1a://x', 'a_b:x', ':x', 'n o:x', 'note:///a b', 'note:///{id}'])
      expect(() => register(uri), uri).toThrow(TypeError);
    for (const uri of ['note:///a', 'x-1.y+z:thing', 'urn:isbn:123', 'https://example.com/a?b#c']) register(uri);
  });

  test('a uri that is none is listed where the program accepts that, and not read', async () => {
    const server = new McpServer(info);
    server.registerResource('x', 'config', { acceptInvalidUri: true }, () => ({ contents: [] })).update({ title: 'X' });
    const template = new ResourceTemplate('users/{id}', { list: undefined });
    server.registerResource('y', template, { acceptInvalidUri: true }, () => ({ contents: [] }));
    const wire = await Wire.open(server);
    expect((await wire.result('resources/list', {}, stateless)).resources).toEqual([
      { uri: 'config', name: 'x', title: 'X' },
    ]);
    expect((await wire.result('resources/templates/list', {}, stateless)).resourceTemplates).toEqual([
      { uriTemplate: 'users/{id}', name: 'y' },
    ]);
    expect((await wire.error('resources/read', { uri: 'config' }, stateless)).code).toBe(-32602);
  });

  proves('M-RES-020, L-RESOURCES-022, L-RESOURCES-023').test(
    'annotations: audience of user and assistant, priority 0 to 1, lastModified a time',
    () => {
      for (const annotations of [
        { priority: 1.5 },
        { priority: -0.1 },
        { priority: Number.NaN },
        { audience: ['everyone'] },
        { audience: 'user' },
        { lastModified: 'yesterday' },
        { lastModified: 7 },
      ]) {
        expect(() => register('note:///a', { annotations } as object), JSON.stringify(annotations)).toThrow(TypeError);
      }
      register('note:///a', {
        annotations: { priority: 0, audience: ['user', 'assistant'], lastModified: '2026-01-02T03:04:05.678+01:00' },
      });
      register('note:///b', { annotations: { priority: 1, lastModified: '2026-01-02' } });
    },
  );

  test('a uri can be registered once', () => {
    const server = notes();
    expect(() => server.registerResource('other', 'note:///a', {}, () => undefined)).toThrow('already registered');
  });

  test('a uri that is spelled differently but means the same resource is found', async () => {
    const server = new McpServer(info);
    server.registerResource('x', 'https://example.com/', {}, (uri) => ({ contents: [{ uri: uri.href, text: 'x' }] }));
    const wire = await Wire.open(server);
    for (const revision of [stateless, newestHandshake])
      await wire.result('resources/read', { uri: 'HTTPS://EXAMPLE.com' }, revision);
  });
});
