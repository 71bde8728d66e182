import { describe, expect, test } from 'vitest';
import { McpServer, ResourceTemplate, text } from '../../src/server/index.ts';
import { proves } from '../requirements/proves.ts';
import { auth, everyRevision, listAll, stateless, Wire } from './wire.ts';

const info = { name: 'pages', version: '1.0' };
const lists = ['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list'];

function full(count: number, pageSize?: number): McpServer {
  const server = new McpServer(info, pageSize === undefined ? {} : { pageSize });
  for (let index = 0; index < count; index += 1) {
    server.registerTool(`n${index}`, {}, () => text(''));
    server.registerPrompt(`n${index}`, {}, () => ({ messages: [] }));
    server.registerResource(`n${index}`, `n:${index}`, {}, () => undefined);
    server.registerResource(
      `n${index}`,
      new ResourceTemplate(`n${index}:{x}`, { list: undefined }),
      {},
      () => undefined,
    );
  }
  return server;
}

const names = (items: { name: string }[]): string[] => items.map((item) => item.name);
const expected = Array.from({ length: 5 }, (_, index) => `n${index}`);

describe.each(everyRevision)('pages in %s', (_id, revision) => {
  proves(
    'L-TOOLS-004, L-RESOURCES-002, L-RESOURCES-004, L-PROMPTS-002, L-PAGINATION-002, L-PAGINATION-009, L-PAGINATION-010, M-PAG-007',
  ).test.each(lists)('%s gives every item once, and no cursor at the end', async (method) => {
    const wire = await Wire.open(full(5, 2));
    const { items, pages } = await listAll(wire, method, revision);
    expect(names(items)).toEqual(expected);
    expect(pages).toHaveLength(3);
    expect(pages.map((page) => 'nextCursor' in page)).toEqual([true, true, false]);
  });

  test.each(lists)('%s is one page unless a size is set, also when it is full to the last item', async (method) => {
    for (const server of [full(5), full(5, 5)]) {
      const { pages } = await listAll(await Wire.open(server), method, revision);
      expect(pages).toHaveLength(1);
      expect(pages[0]).not.toHaveProperty('nextCursor');
    }
  });

  proves('L-PAGINATION-006, M-PAG-006, M-PAG-005').test.each(lists)(
    '%s answers a cursor that it did not make with -32602',
    async (method) => {
      const wire = await Wire.open(full(5, 2));
      const other = lists.find((list) => list !== method) ?? '';
      const { nextCursor } = await wire.result(other, {}, revision);
      for (const cursor of [
        '',
        'garbage',
        '%%%',
        7,
        null,
        {},
        'x'.repeat(10_000),
        nextCursor,
        btoa(`${method}:0:1`),
        btoa(`${method}:0:-1:0`),
      ]) {
        expect((await wire.error(method, { cursor }, revision)).code, String(cursor)).toBe(-32602);
      }
    },
  );

  proves('L-PAGINATION-005, M-PAG-005').test('a cursor means the same place when others come and go', async () => {
    const server = full(0, 2);
    const tools = expected.map((name) => server.registerTool(name, {}, () => text('')));
    const wire = await Wire.open(server);
    const { nextCursor: cursor } = await wire.result('tools/list', {}, revision);
    const page = async (): Promise<string[]> => names((await wire.result('tools/list', { cursor }, revision)).tools);
    expect(await page()).toEqual(['n2', 'n3']);
    expect(await page()).toEqual(['n2', 'n3']);
    tools[0]?.remove();
    server.registerTool('later', {}, () => text(''));
    expect(await page()).toEqual(['n2', 'n3']);
    tools[1]?.remove();
    expect(await page()).toEqual(['n2', 'n3']);
    tools[2]?.disable();
    expect(await page()).toEqual(['n3', 'n4']);
    tools[2]?.enable();
    tools[2]?.update({ name: 'renamed' });
    expect(await page()).toEqual(['renamed', 'n3']);
  });

  test('pages of a list that depends on the caller show each caller its own', async () => {
    const server = new McpServer(info, { pageSize: 2 });
    for (let index = 0; index < 6; index += 1)
      server.registerTool(`n${index}`, { visible: ({ authInfo }) => authInfo !== undefined || index % 2 === 0 }, () =>
        text(''),
      );
    const wire = await Wire.open(server);
    expect(names((await listAll(wire, 'tools/list', revision)).items)).toEqual(['n0', 'n2', 'n4']);
    const first = await wire.result('tools/list', {}, revision, { authInfo: auth('ann') });
    expect(names(first.tools)).toEqual(['n0', 'n1']);
    expect(names((await wire.result('tools/list', { cursor: first.nextCursor }, revision)).tools)).toEqual([
      'n2',
      'n4',
    ]);
  });
});

test('pages run through resources and what templates list', async () => {
  const server = new McpServer(info, { pageSize: 2 });
  server.registerResource(
    't',
    new ResourceTemplate('t:{x}', {
      list: () => ({ resources: ['a', 'b', 'c'].map((name) => ({ uri: `t:${name}`, name })) }),
    }),
    {},
    () => undefined,
  );
  server.registerResource('s', 's:s', {}, () => undefined);
  expect(names((await listAll(await Wire.open(server), 'resources/list', stateless)).items)).toEqual([
    's',
    'a',
    'b',
    'c',
  ]);
});

test('a page holds at least one item', () => {
  for (const pageSize of [0, -1, Number.NaN]) expect(() => new McpServer(info, { pageSize })).toThrow(TypeError);
});
