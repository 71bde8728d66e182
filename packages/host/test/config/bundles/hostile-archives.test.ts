import { lstat, mkdir, mkdtemp, readFile, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32, deflateRawSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BundleError, type BundleFault } from '../../../src/config/bundles/bundle-error.ts';
import type { BundleLimits } from '../../../src/config/bundles/bundle-limits.ts';
import { readBundle } from '../../../src/config/bundles/read-bundle.ts';
import { unpackBundle } from '../../../src/config/bundles/unpack-bundle.ts';
import { bundleBytes, u16, u32, u64, zipBytes, type ZipEntry } from './zip-bytes.ts';

let base: string;
let root: string;

beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'crosspoint-bundles-'));
  root = join(base, 'bundles');
});
afterEach(async () => {
  await rm(base, { recursive: true, force: true });
});

/** Both ways in refuse the bytes, and neither leaves anything behind. */
async function refused(bytes: Buffer, limits?: BundleLimits): Promise<{ fault: BundleFault; message: string }> {
  const errors = await Promise.all(
    [readBundle(bytes, limits), unpackBundle(bytes, root, limits)].map((one) =>
      one.then(
        () => undefined,
        (error: unknown) => error,
      ),
    ),
  );
  for (const error of errors) expect(error).toBeInstanceOf(BundleError);
  await nothingLeft();
  const [first] = errors as BundleError[];
  return { fault: first!.fault, message: first!.message };
}

async function nothingLeft(): Promise<void> {
  expect(await readdir(base)).toEqual(
    await lstat(root).then(
      () => ['bundles'],
      () => [],
    ),
  );
  expect(await readdir(root).catch(() => [])).toEqual([]);
}

const withEntry = (entry: ZipEntry): Buffer => bundleBytes(undefined, [entry]);

describe('names in an archive', () => {
  it.each([
    ['../evil'],
    ['server/../../evil'],
    ['server/..'],
    ['./evil'],
    ['/etc/evil'],
    ['//host/share'],
    ['C:/evil'],
    ['c:evil'],
    ['..\\evil'],
    ['server\\evil'],
    ['\\\\host\\share\\evil'],
    ['evil\0.js'],
    ['evil\u001B[2J'],
    ['exe\u202Etxt.js'],
    ['file.js:stream'],
    ['a//b'],
    ['/'],
    ['nul'],
    ['server/CON'],
    ['server/com1.txt'],
    ['LPT9.tar.gz'],
    ['com¹'],
    ['aux .js'],
    ['trailing.'],
    ['trailing '],
    ['folder./file'],
    ['what?'],
    ['a'.repeat(300)],
    [`${'a/'.repeat(100)}b`],
    [`${'abcdefgh/'.repeat(60)}${'x'.repeat(200)}/${'x'.repeat(200)}/${'x'.repeat(200)}`],
  ])('are refused: %j', async (name) => {
    const { fault, message } = await refused(withEntry({ name, data: 'evil' }));
    expect(fault).toBe('unsafe-path');
    expect(message).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    expect(message.length).toBeLessThan(500);
  });

  it('are refused where they are no UTF-8', async () => {
    expect((await refused(withEntry({ name: Buffer.from([0x61, 0xff, 0xfe]), data: 'x' }))).fault).toBe('unsafe-path');
    expect((await refused(withEntry({ name: Buffer.from([0x61, 0x82]), data: 'x', flags: 0 }))).fault).toBe(
      'unsafe-path',
    );
  });

  it('are refused where a second name in an extra field is another one', async () => {
    const other = Buffer.from('../evil');
    const data = Buffer.concat([Buffer.from([1]), u32(crc32('fine.js')), other]);
    const extra = Buffer.concat([u16(0x7075), u16(data.length), data]);
    expect((await refused(withEntry({ name: 'fine.js', data: 'x', extra }))).fault).toBe('damaged');
  });

  it('may have accents, spaces inside and any script', async () => {
    const bytes = withEntry({ name: 'Größe und 日本/a b.txt', data: 'ok' });
    const { folder } = await unpackBundle(bytes, root);
    expect(await readFile(join(folder, 'Größe und 日本', 'a b.txt'), 'utf8')).toBe('ok');
  });

  it.each([
    [
      'twice',
      [
        { name: 'a.js', data: '1' },
        { name: 'a.js', data: '2' },
      ],
    ],
    [
      'in another case',
      [
        { name: 'a.js', data: '1' },
        { name: 'A.js', data: '2' },
      ],
    ],
    [
      'in another case of a folder',
      [
        { name: 'lib/a', data: '1' },
        { name: 'LIB/b', data: '2' },
      ],
    ],
    [
      'as a file and a folder',
      [
        { name: 'lib', data: '1' },
        { name: 'lib/b', data: '2' },
      ],
    ],
    [
      'as a folder and a file',
      [
        { name: 'lib/b', data: '2' },
        { name: 'Lib', data: '1' },
      ],
    ],
    [
      'with accents composed otherwise',
      [
        { name: '\u00E9', data: '1' },
        { name: 'e\u0301', data: '2' },
      ],
    ],
    ['as a folder twice', [{ name: 'lib/' }, { name: 'lib/' }]],
  ])('are refused %s', async (_, entries) => {
    expect((await refused(bundleBytes(undefined, entries))).fault).toBe('unsafe-entry');
  });
});

describe('kinds of entries', () => {
  it.each([
    ['a symbolic link', 0o120777],
    ['a device', 0o020666],
    ['a block device', 0o060666],
    ['a pipe', 0o010666],
    ['a socket', 0o140666],
    ['a folder without its slash', 0o040755],
  ])('%s is refused', async (_, mode) => {
    expect((await refused(withEntry({ name: 'link', data: '/etc/passwd', mode }))).fault).toBe('unsafe-entry');
  });

  it.each([
    ['encrypted', { flags: 0x801 }],
    ['encrypted strongly', { flags: 0x841 }],
    ['encrypted with its list', { flags: 0x2801 }],
    ['packed by a method that is not known', { method: 12 }],
  ])('%s is refused', async (_, entry) => {
    const { fault } = await refused(withEntry({ name: 'a.bin', data: 'secret', ...entry }));
    expect(['unsafe-entry', 'damaged']).toContain(fault);
  });

  it('a folder with bytes is refused', async () => {
    expect((await refused(withEntry({ name: 'folder/', data: 'bytes' }))).fault).toBe('unsafe-entry');
  });

  it('get no rights from the archive but that of being run', async () => {
    const more: ZipEntry[] = [
      { name: 'bin/tool', data: '#!/bin/true', mode: 0o106777 },
      { name: 'bin/text', data: 'text', mode: 0o100666 },
      { name: 'open/', mode: 0o041777 },
    ];
    const { folder } = await unpackBundle(bundleBytes(undefined, more), root);
    const modeOf = async (path: string): Promise<number> => (await stat(join(folder, path))).mode & 0o7777;
    if (process.platform === 'win32') return;
    expect(await modeOf('bin/tool')).toBe(0o700);
    expect(await modeOf('bin/text')).toBe(0o600);
    expect(await modeOf('open')).toBe(0o700);
    expect(await modeOf('.')).toBe(0o700);
  });
});

describe('sizes', () => {
  it('of the bundle, its entries, its list, its files and all of them together have limits', async () => {
    const bytes = withEntry({ name: 'a', data: 'x'.repeat(5000) });
    for (const limits of [
      { bundleBytes: 50 },
      { entries: 3 },
      { directoryBytes: 60 },
      { fileBytes: 4999 },
      { unpackedBytes: 5000 },
    ])
      expect((await refused(bytes, limits)).fault).toBe('too-large');
    expect((await readBundle(bytes, { fileBytes: 5000, entries: 4 })).files).toBe(3);
  });

  it('of the manifest have a limit', async () => {
    await expect(readBundle(bundleBytes(), { manifestBytes: 20 })).rejects.toMatchObject({ fault: 'too-large' });
  });

  it('of a file on the disk are looked at before it is read', async () => {
    const path = join(base, 'large.mcpb');
    await writeFile(path, bundleBytes());
    await expect(readBundle(path, { bundleBytes: 100 })).rejects.toMatchObject({ fault: 'too-large' });
    await rm(path);
    await mkdir(path);
    await expect(readBundle(path)).rejects.toMatchObject({ fault: 'not-a-bundle' });
    await rm(path, { recursive: true });
    await expect(readBundle(path)).rejects.toMatchObject({ fault: 'not-a-bundle' });
  });

  it('that grow a thousandfold are refused, and small ones may', async () => {
    expect((await refused(withEntry({ name: 'bomb', data: Buffer.alloc(3_000_000) }))).fault).toBe('too-large');
    expect((await readBundle(withEntry({ name: 'zeros', data: Buffer.alloc(500_000) }))).files).toBe(3);
  });

  it.each([
    ['more than is listed', { data: 'x'.repeat(100_000), size: 10 }],
    ['fewer than are listed', { data: 'x', size: 900_000 }],
    ['other than is listed', { data: 'x', crc: 1 }],
    ['other than is listed, stored', { data: 'x', method: 0, crc: 1 }],
  ])('%s: nothing is left', async (_, lie) => {
    const bytes = withEntry({ name: 'a', ...lie });
    await expect(unpackBundle(bytes, root)).rejects.toMatchObject({ fault: 'damaged' });
    await nothingLeft();
  });

  it('other than is listed are found in the manifest before it is believed', async () => {
    const bytes = zipBytes([{ name: 'manifest.json', data: '{}', crc: 7 }]);
    await expect(readBundle(bytes)).rejects.toMatchObject({ fault: 'damaged' });
  });

  it('in a header that differ from those in the list are refused', async () => {
    expect((await refused(withEntry({ name: 'a', data: 'abc', localSize: 2 }))).fault).toBe('damaged');
  });

  it('of more than 4 GiB in an extra field are refused before anything is allocated', async () => {
    const field = Buffer.concat([u64(2 ** 40), u64(4)]);
    const extra = Buffer.concat([u16(1), u16(field.length), field]);
    const { fault } = await refused(
      withEntry({ name: 'a', data: 'abc', size: 0xffffffff, packedSize: 0xffffffff, extra }),
    );
    expect(fault).toBe('too-large');
    const short = Buffer.concat([u16(1), u16(4), u32(4)]);
    expect((await refused(withEntry({ name: 'a', data: 'abc', size: 0xffffffff, extra: short }))).fault).toBe(
      'damaged',
    );
  });
});

describe('an archive that contradicts itself', () => {
  it.each<[string, Buffer]>([
    ['no bytes', Buffer.alloc(0)],
    ['text', Buffer.from('{"manifest_version":"0.3"}')],
    ['cut off', bundleBytes().subarray(0, -1)],
    ['cut off in the list', bundleBytes().subarray(0, -40)],
  ])('%s', async (_, bytes) => {
    expect(['not-a-bundle', 'damaged']).toContain((await refused(bytes)).fault);
  });

  it.each<[string, Buffer]>([
    ['bytes before the first entry', bundleBytes(undefined, [], { prefix: Buffer.from('#!/bin/sh\n') })],
    ['bytes behind the end', bundleBytes(undefined, [], { trailing: Buffer.from('more') })],
    ['bytes between entries', withEntry({ name: 'a', data: 'x', after: Buffer.alloc(100) })],
    ['a few bytes between entries that announce none', withEntry({ name: 'a', data: 'x', after: Buffer.alloc(12) })],
    ['bytes behind the list', bundleBytes(undefined, [], { beforeEnd: Buffer.alloc(5) })],
    ['fewer entries than the list has', bundleBytes(undefined, [], { count: 2 })],
    ['more entries than the list has', bundleBytes(undefined, [], { count: 9 })],
    ['several disks', bundleBytes(undefined, [], { countOnDisk: 1 })],
    ['a list elsewhere', bundleBytes(undefined, [], { directoryStart: 0 })],
    ['a list beyond the file', bundleBytes(undefined, [], { directoryStart: 0xfffffff0 })],
    ['a list of another length', bundleBytes(undefined, [], { directoryBytes: 46 })],
    ['a second end in the comment', bundleBytes(undefined, [], { comment: zipBytes([]) })],
    ['another name in the header', withEntry({ name: 'a.js', localName: '../a.js', data: 'x' })],
    ['an entry on the bytes of another', withEntry({ name: 'a.js', localName: 'manifest.json', data: 'x', at: 0 })],
    ['an entry beyond the file', withEntry({ name: 'a.js', data: 'x', at: 0x7fffffff })],
    ['an entry longer than the file', withEntry({ name: 'a.js', data: 'x', packedSize: 0x7fffffff })],
    ['an extra field longer than its room', withEntry({ name: 'a.js', data: 'x', extra: Buffer.from([1, 0, 255, 0]) })],
  ])('%s is refused', async (_, bytes) => {
    expect((await refused(bytes)).fault).toBe('damaged');
  });

  it('is none where lengths follow the bytes, as programs write them that do not know them before', async () => {
    const data = 'x'.repeat(500);
    const after = Buffer.concat([
      u32(0x08074b50),
      u32(crc32(data)),
      u32(deflateRawSync(data).length),
      u32(data.length),
    ]);
    const bytes = withEntry({ name: 'a.js', data, flags: 0x808, localSize: 0, after });
    const { folder } = await unpackBundle(bytes, root);
    expect(await readFile(join(folder, 'a.js'), 'utf8')).toBe(data);
  });

  it('is refused for a file whose bytes are another entry', async () => {
    const inner = zipBytes([{ name: 'b.js', data: 'x'.repeat(500) }]);
    const local = inner.subarray(0, inner.lastIndexOf(u32(0x02014b50)));
    const bytes = zipBytes([
      { name: 'a.js', method: 0, data: local },
      { name: 'b.js', data: 'x'.repeat(500), at: 30 + 'a.js'.length },
    ]);
    const { fault, message } = await refused(bytes);
    expect(fault).toBe('damaged');
    expect(message).toContain('two entries share the same bytes');
  });

  it('is refused for an entry that its list hides behind a smaller number', async () => {
    const manifest = { name: 'manifest.json', data: '{}' };
    const bytes = zipBytes([manifest, { ...manifest, at: 0 }], { count: 1 });
    const { fault, message } = await refused(bytes);
    expect(fault).toBe('damaged');
    expect(message).toContain('does not have the length that it says');
  });

  it('is refused for a second directory that a field in front of its end points to', async () => {
    const locator = Buffer.concat([u32(0x07064b50), u32(0), u64(0), u32(1)]);
    const extra = Buffer.concat([u16(0x9999), u16(locator.length), locator]);
    const { fault, message } = await refused(withEntry({ name: 'a.js', data: 'x', extra }));
    expect(fault).toBe('damaged');
    expect(message).toContain('more than 4 GiB');
  });

  it('is refused when bytes are changed anywhere, or does the same as before', async () => {
    const whole = bundleBytes();
    const { manifest } = await readBundle(whole);
    for (let at = 0; at < whole.length; at += 1) {
      const changed = Buffer.from(whole);
      changed[at] = (changed[at] ?? 0) ^ 0xff;
      const outcome = await readBundle(changed).catch((error: unknown) => error);
      if (!(outcome instanceof BundleError))
        expect((outcome as { manifest?: object }).manifest ?? manifest).toEqual(manifest);
    }
  });
});

describe('the place to unpack into', () => {
  it('is a folder named by the hash of the bundle, whole or not there', async () => {
    const bytes = bundleBytes();
    const { folder, digest, isNew } = await unpackBundle(bytes, root);
    expect(folder).toBe(join(root, digest.slice('sha256:'.length)));
    expect(isNew).toBe(true);
    expect(await readdir(root)).toEqual([digest.slice('sha256:'.length)]);
    expect(await readFile(join(folder, 'server/index.js'), 'utf8')).toBe('console.log(1)\n');
    expect(await unpackBundle(bytes, root)).toEqual({ folder, digest, isNew: false });
  });

  it('is shared by two processes that unpack at once', async () => {
    const bytes = bundleBytes();
    const all = await Promise.all([1, 2, 3, 4].map(() => unpackBundle(bytes, root)));
    expect(all.filter(({ isNew }) => isNew)).toHaveLength(1);
    expect(await readdir(root)).toHaveLength(1);
  });

  it('is refused where it is a link', async () => {
    const elsewhere = join(base, 'elsewhere');
    await mkdir(elsewhere);
    await symlink(elsewhere, root);
    await expect(unpackBundle(bundleBytes(), root)).rejects.toMatchObject({ fault: 'unsafe-folder' });
    expect(await readdir(elsewhere)).toEqual([]);
  });

  it('is refused where a link has its name already', async () => {
    const elsewhere = join(base, 'elsewhere');
    await mkdir(elsewhere);
    const { folder } = await unpackBundle(bundleBytes(), root);
    await rm(folder, { recursive: true });
    await symlink(elsewhere, folder);
    await expect(unpackBundle(bundleBytes(), root)).rejects.toMatchObject({ fault: 'unsafe-folder' });
    expect(await readdir(elsewhere)).toEqual([]);
  });

  it.each<[string, (folder: string) => Promise<unknown>]>([
    ['changed', (folder) => writeFile(join(folder, 'server/index.js'), 'console.log(2)\n')],
    ['removed', (folder) => rm(join(folder, 'server/index.js'))],
    [
      'replaced by a link to the same bytes',
      async (folder) => {
        await writeFile(join(base, 'same.js'), 'console.log(1)\n');
        await rm(join(folder, 'server/index.js'));
        await symlink(join(base, 'same.js'), join(folder, 'server/index.js'));
      },
    ],
    [
      'in a folder that became a link',
      async (folder) => {
        await mkdir(join(base, 'other'));
        await writeFile(join(base, 'other/index.js'), 'console.log(1)\n');
        await rm(join(folder, 'server'), { recursive: true });
        await symlink(join(base, 'other'), join(folder, 'server'));
      },
    ],
  ])('is refused where a file of it was %s since', async (_, change) => {
    const bytes = bundleBytes();
    const { folder } = await unpackBundle(bytes, root);
    await change(folder);
    await expect(unpackBundle(bytes, root)).rejects.toMatchObject({ fault: 'changed' });
  });

  it('may hold what the server wrote beside its program', async () => {
    const { folder } = await unpackBundle(bundleBytes(), root);
    await writeFile(join(folder, 'cache.json'), '{}');
    expect((await unpackBundle(bundleBytes(), root)).isNew).toBe(false);
  });
});
