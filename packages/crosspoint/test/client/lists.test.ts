import { describe, expect, test } from 'vitest';
import { CacheStore } from '../../src/client/index.ts';
import type { JsonObject } from '../../src/jsonrpc/message.ts';
import { proves } from '../requirements/proves.ts';
import { connected, failure } from './connected.ts';
import { legacy, modern, Refusal } from './fake-server.ts';

const tool = (name: string): JsonObject => ({ name, inputSchema: { type: 'object' } });

/** Pages by cursor; the first has none. */
const PAGES: Record<string, JsonObject> = {
  first: { tools: [tool('a'), tool('b'), tool('c')], nextCursor: '' },
  '': { tools: [], nextCursor: ' ==?&\u00e9"\\n ' },
  ' ==?&\u00e9"\\n ': { tools: [tool('d')], nextCursor: 'eyJvZmZzZXQiOjR9' },
  eyJvZmZzZXQiOjR9: { tools: [tool('e'), tool('f')] },
};

const paged = (params: JsonObject): JsonObject => PAGES[(params['cursor'] as string | undefined) ?? 'first']!;

describe.each([
  ['per-request', modern],
  ['handshake', legacy],
] as const)('lists in the %s family', (_family, server) => {
  proves(
    'L-PAGINATION-001, L-PAGINATION-007, M-PAG-001, M-PAG-002, M-PAG-003, L-PAGINATION-003, L-PAGINATION-004, M-PAG-004',
  ).test(
    'pages of any size are gathered, cursors are echoed as they are, and an empty one is not the end',
    async () => {
      const { client, transport } = await connected(server({ 'tools/list': paged }));
      const { tools, nextCursor } = await client.listTools();
      expect(tools.map(({ name }) => name)).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
      expect(nextCursor).toBeUndefined();
      expect(transport.sentTo('tools/list').map(({ params }) => params?.['cursor'])).toEqual([
        undefined,
        '',
        ' ==?&\u00e9"\\n ',
        'eyJvZmZzZXQiOjR9',
      ]);
    },
  );

  test('one page on request', async () => {
    const { client, transport } = await connected(server({ 'tools/list': paged }));
    expect(await client.listTools(undefined, { pages: 1 })).toMatchObject({
      nextCursor: '',
      tools: [{ name: 'a' }, { name: 'b' }, { name: 'c' }],
    });
    expect((await client.listTools({ cursor: 'eyJvZmZzZXQiOjR9' })).tools.length).toBe(2);
    expect(transport.sentTo('tools/list').length).toBe(2);
  });

  proves('L-PAGINATION-011, M-PAG-008, L-PROMPTS-013, M-PRM-009').test(
    'a list that runs in circles and one that never ends are cut off',
    async () => {
      const circle = await connected(
        server({
          'prompts/list': ({ cursor }) => ({ prompts: [{ name: `after ${String(cursor)}` }], nextCursor: 'again' }),
        }),
      );
      expect((await circle.client.listPrompts()).prompts).toEqual([
        { name: 'after undefined' },
        { name: 'after again' },
      ]);
      expect(circle.problems).toMatchObject([
        { code: 'invalid-result', message: expect.stringContaining('same cursor twice') },
      ]);
      let page = 0;
      const endless = await connected(server({ 'prompts/list': () => ({ prompts: [], nextCursor: String(page++) }) }));
      await expect(endless.client.listPrompts()).rejects.toMatchObject({
        code: 'too-large',
        message: expect.stringContaining('1000 pages'),
        details: { option: 'lists.maxPages', limit: 1000 },
      });
      expect(page).toBe(1000);
    },
  );

  test('a server that writes an empty cursor on every page and takes it for none: its items are listed once', async () => {
    const { client, transport } = await connected(
      server({ 'tools/list': () => ({ tools: [{ name: 'only', inputSchema: { type: 'object' } }], nextCursor: '' }) }),
    );
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['only']);
    expect(transport.sentTo('tools/list')).toHaveLength(2);
  });

  test('a list of many large pages is given up at its limit in bytes, which can be raised', async () => {
    const description = 'x'.repeat(1024 * 1024);
    const large = (pages: number) => {
      let page = 0;
      return server({
        'prompts/list': () => ({
          prompts: [{ name: `p${page}`, description }],
          ...((page += 1) < pages && { nextCursor: String(page) }),
        }),
      });
    };
    const endless = await connected(large(1000));
    const error = await failure(endless.client.listPrompts());
    expect(error).toMatchObject({
      code: 'too-large',
      details: { method: 'prompts/list', option: 'lists.maxBytes', limit: 64 * 1024 * 1024, items: 64 },
    });
    expect(error.message).toContain('after 64 pages with 64 items. Raise lists.maxBytes');
    expect(endless.transport.sentTo('prompts/list')).toHaveLength(64);
    const raised = await connected(large(70), { lists: { maxBytes: 128 * 1024 * 1024 } });
    expect((await raised.client.listPrompts()).prompts).toHaveLength(70);
  });

  test('a list of many items is given up at its limit, which can be raised', async () => {
    const prompts = Array.from({ length: 200_000 }, (_, at) => ({ name: `p${at}` }));
    const answers = { 'prompts/list': () => ({ prompts }) };
    const limited = await connected(server(answers));
    expect(await failure(limited.client.listPrompts())).toMatchObject({
      code: 'too-large',
      details: { option: 'lists.maxItems', limit: 100_000, items: 200_000 },
    });
    const raised = await connected(server(answers), { lists: { maxItems: 1_000_000 } });
    expect((await raised.client.listPrompts()).prompts).toHaveLength(200_000);
  });

  test('a cursor counts with its page', async () => {
    let page = 0;
    const all = await connected(
      server({ 'prompts/list': () => ({ prompts: [], nextCursor: `${page++}${'c'.repeat(1000)}` }) }),
      { lists: { maxBytes: 10_000 } },
    );
    expect(await failure(all.client.listPrompts())).toMatchObject({ code: 'too-large' });
    expect(page).toBe(10);
  });

  test('a result without its list is invalid', async () => {
    const { client } = await connected(server({ 'resources/list': () => ({ items: [] }) }));
    await expect(client.listResources()).rejects.toMatchObject({
      code: 'invalid-result',
      message: expect.stringContaining('"resources"'),
    });
  });

  proves('M-JS-013').test('schemas arrive as they were sent, keywords nobody knows included', async () => {
    const inputSchema = {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      $defs: { n: { $anchor: 'n', type: 'number' } },
      type: 'object',
      anyOf: [{ required: ['a'] }, { required: ['b'] }],
      if: { properties: { a: { const: 1 } } },
      else: { not: { required: ['c'] } },
      properties: {
        a: { $ref: '#n' },
        b: { oneOf: [{ type: 'string' }, { type: 'null' }] },
        c: { 'x-mcp-header': 'C', 'x-unknown': { deep: [1, null] } },
      },
      required: ['absent'],
    };
    const { client } = await connected(server({ 'tools/list': () => ({ tools: [{ name: 't', inputSchema }] }) }));
    expect((await client.listTools()).tools[0]?.inputSchema).toEqual(inputSchema);
  });

  test('without hints nothing is remembered', async () => {
    const { client, transport } = await connected(server({ 'tools/list': () => ({ tools: [] }) }));
    await client.listTools();
    await client.listTools();
    expect(transport.sentTo('tools/list').length).toBe(2);
  });
});

describe('reuse of results', () => {
  const hinted = (ttlMs: unknown, cacheScope = 'private') =>
    modern({
      'resources/read': (params) => ({ contents: [{ uri: params['uri'], text: 'x' }], ttlMs, cacheScope }),
      'tools/list': () => ({ tools: [tool('a')], ttlMs, cacheScope }),
    });

  proves('M-CACHE-005, M-CACHE-008, M-CACHE-011').test(
    'fresh for ttlMs, for the same method and params only',
    async () => {
      const { client, transport, clock } = await connected(hinted(1000));
      const read = (uri: string) => client.readResource({ uri });
      await read('a:1');
      await clock.advance(999);
      expect((await read('a:1')).contents[0]).toMatchObject({ text: 'x' });
      expect(transport.sentTo('resources/read').length).toBe(1);
      await read('a:2');
      expect(transport.sentTo('resources/read').length).toBe(2);
      await clock.advance(1);
      await read('a:1');
      expect(transport.sentTo('resources/read').length).toBe(3);
    },
  );

  proves('M-CACHE-007, M-CACHE-009, M-CACHE-010').test(
    'zero, absent, negative and nonsensical lifetimes mean none',
    async () => {
      for (const ttlMs of [0, undefined, -5, 'long', null]) {
        const { client, transport } = await connected(hinted(ttlMs));
        await client.readResource({ uri: 'a:1' });
        await client.readResource({ uri: 'a:1' });
        expect(transport.sentTo('resources/read').length).toBe(2);
      }
    },
  );

  test('the caller decides: refresh asks and remembers, bypass does neither', async () => {
    const { client, transport } = await connected(hinted(1000));
    const count = (): number => transport.sentTo('tools/list').length;
    await client.listTools(undefined, { cacheMode: 'bypass' });
    await client.listTools();
    expect(count()).toBe(2);
    await client.listTools();
    expect(count()).toBe(2);
    await client.listTools(undefined, { cacheMode: 'refresh' });
    expect(count()).toBe(3);
    await client.listTools();
    expect(count()).toBe(3);
  });

  test('what one caller does to a result is not seen by the next', async () => {
    const { client } = await connected(hinted(1000));
    (await client.listTools()).tools.length = 0;
    const second = await client.listTools();
    second.tools.pop();
    expect((await client.listTools()).tools.length).toBe(1);
    const read = await client.readResource({ uri: 'a:1' });
    read.contents.length = 0;
    expect((await client.readResource({ uri: 'a:1' })).contents.length).toBe(1);
  });

  proves('M-CACHE-015, M-CACHE-023').test(
    'private results, and those that do not say, stay with their user; public ones are shared',
    async () => {
      const store = new CacheStore();
      for (const [scope, asked] of [
        ['private', 2],
        [undefined, 2],
        ['public', 1],
      ] as const) {
        const uri = `a:${scope}`;
        const answers = {
          'resources/read': () => ({ contents: [], ttlMs: 1000, ...(scope && { cacheScope: scope }) }),
        };
        let requests = 0;
        for (const partition of ['ann', 'bob']) {
          const { client, transport } = await connected(modern(answers), { cache: { store, partition } });
          await client.readResource({ uri });
          await client.readResource({ uri });
          requests += transport.sentTo('resources/read').length;
        }
        expect(requests).toBe(asked);
      }
    },
  );

  test('a shared store outlives its clients; one of its own does not outlive the connection', async () => {
    const store = new CacheStore();
    const first = await connected(hinted(1000, 'public'), { cache: { store } });
    await first.client.readResource({ uri: 'a:1' });
    await first.client.close();
    const second = await connected(hinted(1000, 'public'), { cache: { store } });
    await second.client.readResource({ uri: 'a:1' });
    expect(second.transport.sentTo('resources/read').length).toBe(0);
    const own = await connected(hinted(1000));
    await own.client.readResource({ uri: 'a:1' });
    await own.client.close();
    await own.client.connect(own.transport);
    await own.client.readResource({ uri: 'a:1' });
    expect(own.transport.sentTo('resources/read').length).toBe(1);
    const none = await connected(hinted(1000), { cache: false });
    await none.client.readResource({ uri: 'a:1' });
    await none.client.readResource({ uri: 'a:1' });
    expect(none.transport.sentTo('resources/read').length).toBe(2);
  });

  proves('M-CACHE-017').test(
    'a change notification makes remembered results stale at once, also those on their way',
    async () => {
      let hold: (() => void) | undefined;
      let held = false;
      const script = modern({
        'resources/read': (params, line, message) => {
          const answer = (): void =>
            line.reply(message, { contents: [{ uri: params['uri'], text: 'x' }], ttlMs: 60_000 });
          if (held) hold = answer;
          else answer();
          return undefined;
        },
        'subscriptions/listen': (params, line, { id }) =>
          line.notify('notifications/subscriptions/acknowledged', {
            notifications: params['notifications'],
            _meta: { 'io.modelcontextprotocol/subscriptionId': id },
          }),
      });
      const { client, transport, clock } = await connected(script);
      await client.subscribeResource({ uri: 'a:1' });
      const change = async (): Promise<void> => {
        transport.line.notify('notifications/resources/updated', {
          uri: 'a:1',
          _meta: { 'io.modelcontextprotocol/subscriptionId': transport.sentTo('subscriptions/listen')[0]?.id },
        });
        await clock.flush();
      };
      await client.readResource({ uri: 'a:1' });
      await client.readResource({ uri: 'b:1' });
      await change();
      await client.readResource({ uri: 'b:1' });
      expect(transport.sentTo('resources/read').length).toBe(2);
      held = true;
      const reading = client.readResource({ uri: 'a:1' });
      await clock.flush();
      await change();
      held = false;
      hold?.();
      await reading;
      await client.readResource({ uri: 'a:1' });
      expect(transport.sentTo('resources/read').length).toBe(4);
    },
  );

  proves('M-CACHE-018').test('a cursor that died between remembered pages: the list is read anew', async () => {
    let cursor = 'one';
    const script = modern({
      'tools/list': (params) => {
        if (params['cursor'] === undefined) return { tools: [tool(cursor)], nextCursor: cursor, ttlMs: 60_000 };
        return params['cursor'] === cursor
          ? { tools: [tool('last')], ttlMs: 1000 }
          : new Refusal(-32602, 'Invalid cursor');
      },
    });
    const { client, clock } = await connected(script);
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['one', 'last']);
    cursor = 'two';
    await clock.advance(1001);
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['two', 'last']);
    expect(await failure(client.listTools({ cursor: 'dead' }))).toMatchObject({ code: -32602 });
  });

  proves('M-CACHE-006').test('the result of a retry is not remembered', async () => {
    let round = 0;
    const script = modern({
      'resources/read': () =>
        round++ % 2 === 0 ? { resultType: 'input_required', requestState: 's' } : { contents: [], ttlMs: 60_000 },
    });
    const { client, transport } = await connected(script);
    await client.readResource({ uri: 'a:1' });
    await client.readResource({ uri: 'a:1' });
    expect(transport.sentTo('resources/read').length).toBe(4);
  });
});

describe('a list whose server tells of changes without end', () => {
  test('is fetched now and then, and once more when it has stopped', async () => {
    const all = await connected(legacy({ 'tools/list': () => ({ tools: [] }) }), {
      listChanged: { tools: { onChanged: () => {} } },
    });
    const fetched = (): number => all.transport.sentTo('tools/list').length;
    for (let at = 0; at < 600; at += 1) {
      all.transport.line.notify('notifications/tools/list_changed');
      await all.clock.advance(500);
    }
    // Ten in a row, and one every two seconds.
    expect(fetched()).toBeGreaterThan(100);
    expect(fetched()).toBeLessThanOrEqual(10 + 150 + 1);
    await all.clock.advance(10_000);
    const before = fetched();
    all.transport.line.notify('notifications/tools/list_changed');
    await all.clock.advance(10_000);
    expect(fetched()).toBe(before + 1);
  });

  test('is told to a watch now and then, and nothing is lost', async () => {
    const all = await connected(legacy({ 'resources/subscribe': () => ({}), 'resources/unsubscribe': () => ({}) }));
    const changes: string[] = [];
    const watch = await all.client.watch(
      { tools: true, uris: ['file:///a/'] },
      { onchange: (change) => void changes.push(change.kind === 'resource' ? change.uri : change.kind) },
    );
    for (let at = 0; at < 5000; at += 1) {
      all.transport.line.notify('notifications/tools/list_changed');
      all.transport.line.notify('notifications/resources/updated', { uri: `file:///a/${at}` });
    }
    await all.clock.flush();
    expect(changes).toHaveLength(200);
    await all.clock.advance(1000);
    expect(changes.slice(200).sort()).toEqual(['file:///a/', 'tools']);
    await watch.close();
  });
});

describe('results that may be reused', () => {
  test('are kept within a number of bytes, the oldest dropped first', async () => {
    const contents = [{ uri: 'x', text: 'x'.repeat(1000) }];
    const all = await connected(
      modern({ 'resources/read': () => ({ resultType: 'complete', contents, ttlMs: 60_000, cacheScope: 'private' }) }),
      { cache: { store: new CacheStore(1000, 5000) } },
    );
    const read = (uri: string): Promise<unknown> => all.client.readResource({ uri });
    for (const uri of ['a:1', 'a:2', 'a:3', 'a:4', 'a:5', 'a:6']) await read(uri);
    const asked = all.transport.sentTo('resources/read').length;
    await read('a:6');
    expect(all.transport.sentTo('resources/read')).toHaveLength(asked);
    await read('a:1');
    expect(all.transport.sentTo('resources/read')).toHaveLength(asked + 1);
  });
});
