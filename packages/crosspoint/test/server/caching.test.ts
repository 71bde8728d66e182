import { describe, expect, test } from 'vitest';
import { McpServer, ResourceTemplate, Server, text, type McpServerOptions } from '../../src/server/index.ts';
import { proves } from '../requirements/proves.ts';
import { everyHandshake, listAll, stateless, Wire } from './wire.ts';

const info = { name: 'caching', version: '1.0' };

function full(options: McpServerOptions = {}): McpServer {
  const server = new McpServer(info, options);
  for (const name of ['a', 'b', 'c']) server.registerTool(name, {}, () => text(''));
  server.registerPrompt('p', {}, () => ({ messages: [] }));
  server.registerResource('r', 'r:r', { cache: { ttlMs: 5000, cacheScope: 'public' } }, (uri) => ({
    contents: [{ uri: uri.href, text: '' }],
  }));
  server.registerResource('own', 'r:own', { cache: { ttlMs: 5000 } }, (uri) => ({
    contents: [{ uri: uri.href, text: '' }],
    ttlMs: 7,
  }));
  server.registerResource('plain', 'r:plain', {}, (uri) => ({ contents: [{ uri: uri.href, text: '' }] }));
  server.registerResource(
    't',
    new ResourceTemplate('t:{x}', { list: undefined }),
    { cache: { ttlMs: 60, cacheScope: 'public' } },
    (uri) => ({ contents: [{ uri: uri.href, text: '' }] }),
  );
  return server;
}

const cacheable: [string, object][] = [
  ['server/discover', {}],
  ['tools/list', {}],
  ['prompts/list', {}],
  ['resources/list', {}],
  ['resources/templates/list', {}],
  ['resources/read', { uri: 'r:plain' }],
];

describe('cache hints', () => {
  proves('M-CACHE-001').test.each(cacheable)(
    '%s carries them; without a word of the program that is 0 and private',
    async (method, params) => {
      expect(await (await Wire.open(full())).result(method, { ...params }, stateless)).toMatchObject({
        ttlMs: 0,
        cacheScope: 'private',
      });
    },
  );

  test.each(everyHandshake)('%s has no hints', async (_id, revision) => {
    const wire = await Wire.open(full({ listHints: { tools: { ttlMs: 9, cacheScope: 'public' } } }));
    for (const [method, params] of cacheable.slice(1)) {
      const result = await wire.result(method, { ...params }, revision);
      expect(result).not.toHaveProperty('ttlMs');
      expect(result).not.toHaveProperty('cacheScope');
    }
  });

  proves('M-CACHE-001').test('per list and per resource, and a read may say its own', async () => {
    const hints = { ttlMs: 1000, cacheScope: 'public' } as const;
    const wire = await Wire.open(
      full({
        discoverHints: hints,
        listHints: {
          tools: hints,
          prompts: { ttlMs: 7 },
          resources: { cacheScope: 'public' },
          resourceTemplates: hints,
        },
      }),
    );
    expect(await wire.result('server/discover', {}, stateless)).toMatchObject(hints);
    expect(await wire.result('tools/list', {}, stateless)).toMatchObject(hints);
    expect(await wire.result('prompts/list', {}, stateless)).toMatchObject({ ttlMs: 7, cacheScope: 'private' });
    expect(await wire.result('resources/list', {}, stateless)).toMatchObject({ ttlMs: 0, cacheScope: 'public' });
    expect(await wire.result('resources/templates/list', {}, stateless)).toMatchObject(hints);
    expect(await wire.result('resources/read', { uri: 'r:r' }, stateless)).toMatchObject({
      ttlMs: 5000,
      cacheScope: 'public',
    });
    expect(await wire.result('resources/read', { uri: 'r:own' }, stateless)).toMatchObject({
      ttlMs: 7,
      cacheScope: 'private',
    });
    expect(await wire.result('resources/read', { uri: 't:x' }, stateless)).toMatchObject({
      ttlMs: 60,
      cacheScope: 'public',
    });
  });

  proves('M-CACHE-019').test('all pages of a list have one scope', async () => {
    const wire = await Wire.open(full({ pageSize: 1, listHints: { tools: { ttlMs: 5, cacheScope: 'public' } } }));
    const { pages } = await listAll(wire, 'tools/list', stateless);
    expect(pages.map(({ ttlMs, cacheScope }) => [ttlMs, cacheScope])).toEqual([
      [5, 'public'],
      [5, 'public'],
      [5, 'public'],
    ]);
  });

  proves('M-CACHE-003, M-CACHE-004').test(
    'a negative, fractional or unknown hint is refused where it is configured',
    () => {
      const bad: object[] = [
        { ttlMs: -1 },
        { ttlMs: 1.5 },
        { ttlMs: Number.NaN },
        { ttlMs: Infinity },
        { ttlMs: '5' },
        { cacheScope: 'shared' },
        { cacheScope: true },
      ];
      for (const hints of bad) {
        expect(() => new McpServer(info, { listHints: { tools: hints } }), JSON.stringify(hints)).toThrow(TypeError);
        expect(() => new Server(info, { discoverHints: hints })).toThrow(TypeError);
        expect(() => new McpServer(info).registerResource('x', 'x:x', { cache: hints }, () => undefined)).toThrow(
          TypeError,
        );
        expect(() =>
          new McpServer(info).registerResource(
            'x',
            new ResourceTemplate('x:{y}', { list: undefined }),
            { cache: hints },
            () => undefined,
          ),
        ).toThrow(TypeError);
      }
    },
  );

  proves('M-CACHE-003, M-CACHE-004').test('a handler that gives nonsense is not believed', async () => {
    const server = new McpServer(info);
    server.registerResource('x', 'x:x', {}, (() => ({ contents: [], ttlMs: -5, cacheScope: 'everyone' })) as never);
    expect(await (await Wire.open(server)).result('resources/read', { uri: 'x:x' }, stateless)).toMatchObject({
      ttlMs: 0,
      cacheScope: 'private',
    });
  });

  test('public is refused for what depends on the caller', () => {
    const visible = (): boolean => true;
    const open = { cacheScope: 'public' } as const;
    expect(() =>
      new McpServer(info, { listHints: { tools: open } }).registerTool('x', { visible }, () => text('')),
    ).toThrow('public');
    expect(() =>
      new McpServer(info, { listHints: { prompts: open } }).registerPrompt('x', { visible }, () => ({ messages: [] })),
    ).toThrow('public');
    expect(() =>
      new McpServer(info, { listHints: { resources: open } }).registerResource(
        'x',
        'x:x',
        { visible },
        () => undefined,
      ),
    ).toThrow('public');
    expect(() =>
      new McpServer(info, { listHints: { resourceTemplates: open } }).registerResource(
        'x',
        new ResourceTemplate('x:{y}', { list: undefined }),
        { visible },
        () => undefined,
      ),
    ).toThrow('public');
    expect(() => new McpServer(info).registerResource('x', 'x:x', { visible, cache: open }, () => undefined)).toThrow(
      'public',
    );
    const tool = new McpServer(info, { listHints: { tools: open } }).registerTool('x', {}, () => text(''));
    expect(() => tool.update({ visible })).toThrow('public');
    expect(tool.visible).toBeUndefined();
  });

  test('results that are kept are kept per state of the registry, not for ever', async () => {
    const server = full();
    const wire = await Wire.open(server);
    expect((await wire.result('tools/list', {}, stateless)).tools).toHaveLength(3);
    const extra = server.registerTool('d', {}, () => text(''));
    expect((await wire.result('tools/list', {}, stateless)).tools).toHaveLength(4);
    extra.update({ description: 'new' });
    expect((await wire.result('tools/list', {}, stateless)).tools[3].description).toBe('new');
    extra.disable();
    expect((await wire.result('tools/list', {}, stateless)).tools).toHaveLength(3);
  });
});
