import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { Client, provideRoots } from '../../src/client/index.ts';
import { createHandles } from '../../src/server/index.ts';
import { isInsideRoots } from '../../src/server/files-node.ts';
import { ManualClock } from '../../src/testing/manual-clock.ts';
import { connected } from '../client/connected.ts';
import { legacy, modern } from '../client/fake-server.ts';
import { proves } from '../requirements/proves.ts';
import { auth } from '../server/wire.ts';
import { bothFamilies, linked, said, serverOf, wait } from './linked.ts';

const KEY = 'h'.repeat(32);
const ann = { authInfo: { ...auth('app'), extra: { sub: 'ann' } } };
const bob = { authInfo: { ...auth('app'), extra: { sub: 'bob' } } };
const anyone = { authInfo: undefined };

describe('handles', () => {
  const basket = createHandles<{ items: string[] }>({ purpose: 'basket', keys: [KEY] });

  it('give their value back to whoever got them, in any process with the key', async () => {
    const handle = await basket.mint(ann, { items: ['apple'] });
    expect(await basket.open(ann, handle)).toEqual({ items: ['apple'] });
    expect(await createHandles({ purpose: 'basket', keys: ['n'.repeat(32), KEY] }).open(ann, handle)).toEqual({
      items: ['apple'],
    });
    const own = await basket.mint(anyone, { items: [] });
    expect(await basket.open(anyone, own)).toEqual({ items: [] });
  });

  it('are of no use to anybody else, for anything else, or when they were changed', async () => {
    const handle = await basket.mint(ann, { items: ['apple'] });
    for (const other of [
      bob,
      anyone,
      { authInfo: auth('app') },
      { authInfo: { ...auth('other'), extra: { sub: 'ann' } } },
    ])
      await expect(basket.open(other, handle)).rejects.toThrow('not a handle of yours');
    await expect(createHandles({ purpose: 'order', keys: [KEY] }).open(ann, handle)).rejects.toThrow(
      'not a handle of yours',
    );
    await expect(createHandles({ purpose: 'basket' }).open(ann, handle)).rejects.toThrow('not a handle of yours');
    for (const forged of [
      '',
      'x',
      handle.slice(0, -1),
      `${handle}A`,
      handle.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')),
    ])
      await expect(basket.open(ann, forged)).rejects.toThrow('not a handle of yours');
  });

  it('cannot be read or guessed', async () => {
    const [one, two] = [await basket.mint(ann, { items: ['apple'] }), await basket.mint(ann, { items: ['apple'] })];
    expect(one).not.toBe(two);
    expect(atob(one.split('.').at(-1)?.replaceAll('-', '+').replaceAll('_', '/') ?? '')).not.toContain('apple');
  });

  it('end by themselves', async () => {
    const clock = new ManualClock(1e12);
    const short = createHandles<number>({ purpose: 'x', keys: [KEY], ttlMs: 1000, clock });
    const handle = await short.mint(ann, 7);
    await clock.advance(1000);
    expect(await short.open(ann, handle)).toBe(7);
    await clock.advance(1);
    await expect(short.open(ann, handle)).rejects.toThrow('has expired');
  });

  it('are told to the model when they are wrong', async () => {
    const { client } = await linked(
      serverOf(async (ctx) => said((await basket.open(ctx, 'forged')).items)),
      bothFamilies[0] ?? '',
    );
    expect(await client.callTool({ name: 't' })).toMatchObject({
      isError: true,
      content: [{ text: 'This is not a handle of yours for basket.' }],
    });
  });
});

describe('roots of a client', () => {
  proves('L-ROOTS-004').it.each(bothFamilies)('are listed with uri and name (%s)', async (revision) => {
    const { client } = await linked(
      serverOf(async (ctx) => said(JSON.stringify(await ctx.listRoots()))),
      revision,
      { capabilities: { roots: { listChanged: true } } },
    );
    const roots = provideRoots(client, [{ uri: 'file:///a', name: 'A' }, { uri: 'file:///b' }], {
      isAccessible: ({ uri }) => uri !== 'file:///b',
    });
    expect((await client.callTool({ name: 't' })).content).toEqual([
      { type: 'text', text: '[{"uri":"file:///a","name":"A"}]' },
    ]);
    await roots.set([{ uri: 'file:///c' }]);
    expect((await client.callTool({ name: 't' })).content).toEqual([{ type: 'text', text: '[{"uri":"file:///c"}]' }]);
  });

  proves('M-ROOT-002, L-ROOTS-003, L-ROOTS-007').it(
    'are file:// URIs that do not climb, wherever they come from',
    async () => {
      const client = new Client({ name: 'c', version: '1' }, { capabilities: { roots: {} } });
      const wrong = [
        'https://a.example/',
        '/a',
        'file:a',
        '',
        'file:///a/../b',
        'file:///a/%2e%2e/b',
        'file:///a/..%2fb',
        'file:///a%5c..%5cb',
        'file:///a%2fb',
        'file:///a%00',
        'file:///a/..',
      ];
      for (const uri of wrong) expect(() => provideRoots(client, [{ uri }]), uri).toThrow(TypeError);
      const roots = provideRoots(client, [{ uri: 'file:///a..b/..c' }]);
      await expect(roots.set([{ uri: '/x' }])).rejects.toThrow(TypeError);
      expect(roots.current).toEqual([{ uri: 'file:///a..b/..c' }]);
      for (const revision of bothFamilies) {
        const problems: string[] = [];
        const pair = await linked(
          serverOf((ctx) => ctx.listRoots()),
          revision,
          { capabilities: { roots: {} }, onproblem: ({ message }) => problems.push(message) },
        );
        pair.client.setRequestHandler('roots/list', () => ({ roots: [{ uri: 'https://a.example/' }] }));
        const told = await pair.client.callTool({ name: 't' }).catch((error: unknown) => error as Error);
        expect([...problems, (told as Error).message].join()).toContain('was not sent');
      }
    },
  );

  proves('L-ROOTS-002').it(
    'are told of when they change, where that was declared and there are words for it',
    async () => {
      const told = async (script: ReturnType<typeof legacy>, listChanged: boolean): Promise<number> => {
        const { client, transport, clock } = await connected(script, {
          capabilities: { roots: listChanged ? { listChanged } : {} },
        });
        const roots = provideRoots(client, [{ uri: 'file:///a' }]);
        await roots.set([{ uri: 'file:///a' }]);
        await roots.set([{ uri: 'file:///b' }]);
        await clock.flush();
        return transport.sentTo('notifications/roots/list_changed').length;
      };
      expect(await told(legacy(), true)).toBe(1);
      expect(await told(legacy(), false)).toBe(0);
      expect(await told(modern(), true)).toBe(0);
    },
  );

  proves('L-ROOTS-009, M-ROOT-003').it('are shown only while they can be reached', async () => {
    let mounted = true;
    const { client } = await linked(
      serverOf(async (ctx) => said((await ctx.listRoots()).length)),
      bothFamilies[1] ?? '',
      { capabilities: { roots: {} } },
    );
    provideRoots(client, [{ uri: 'file:///a' }], { isAccessible: async () => (await wait(1), mounted) });
    expect((await client.callTool({ name: 't' })).content).toEqual([{ type: 'text', text: '1' }]);
    mounted = false;
    expect((await client.callTool({ name: 't' })).content).toEqual([{ type: 'text', text: '0' }]);
  });
});

describe('isInsideRoots', () => {
  let base: string;
  beforeAll(async () => {
    base = await realpath(await mkdtemp(join(tmpdir(), 'roots-')));
    for (const folder of ['in/deep', 'in-old', 'out']) await mkdir(join(base, folder), { recursive: true });
    await writeFile(join(base, 'in/deep/file'), '');
    await writeFile(join(base, 'out/secret'), '');
    await symlink(join(base, 'out'), join(base, 'in/escape'));
    await symlink(join(base, 'out/new'), join(base, 'in/dangling'));
    await symlink(join(base, 'in/deep'), join(base, 'in/inner'));
    await symlink(join(base, 'in'), join(base, 'alias'));
  });
  afterAll(() => rm(base, { recursive: true, force: true }));
  const uri = (path: string): string => pathToFileURL(join(base, path)).href;
  const roots = (): { uri: string }[] => [{ uri: uri('in') }];

  test.each([
    'in',
    'in/',
    'in/deep',
    'in/deep/file',
    'in/inner/file',
    'alias/deep/file',
    'in/new',
    'in/deep/new/newer',
    'in/..name',
  ])('%s is inside', async (path) => {
    expect(await isInsideRoots(join(base, path), roots())).toBe(true);
    expect(await isInsideRoots(uri(path), roots())).toBe(true);
    expect(await isInsideRoots(new URL(uri(path)), [{ uri: uri('nowhere') }, { uri: uri('alias') }])).toBe(true);
  });

  test.each([
    'out',
    'out/secret',
    'in-old',
    'in-old/x',
    '',
    'in/escape',
    'in/escape/secret',
    'in/escape/new',
    'in/dangling',
    'in/dangling/x',
  ])('%s is outside', async (path) => {
    expect(await isInsideRoots(join(base, path), roots())).toBe(false);
    expect(await isInsideRoots(uri(path), roots())).toBe(false);
  });

  test.each([
    '/../out/secret',
    '/deep/../../out/secret',
    '/%2e%2e/out/secret',
    '/..%2fout/secret',
    '/%2e%2e%2fout/secret',
    '%2f..%2fout',
    '/..%5cout',
    '/%00',
    '/deep%00',
    '?x',
    '#x',
  ])('a URI that ends in %s is refused', async (tail) => {
    expect(await isInsideRoots(`${uri('in')}${tail}`, roots())).toBe(false);
  });

  test('what is no absolute local path is outside', async () => {
    for (const odd of [
      '',
      'in',
      './in',
      '..',
      `${base}/in/../out/secret`,
      `${base}/in/\0`,
      'https://a.example/',
      'file://host/in',
      'file:in',
    ])
      expect(await isInsideRoots(odd, roots())).toBe(false);
    expect(await isInsideRoots(join(base, 'in'), [])).toBe(false);
    expect(await isInsideRoots(join(base, 'in'), [{ uri: 'https://a.example/' }, { uri: uri('gone') }])).toBe(false);
  });
});
