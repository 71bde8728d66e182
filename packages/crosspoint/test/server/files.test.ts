import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { McpServer, ResourceTemplate } from '../../src/server/index.ts';
import { resolveFileUri } from '../../src/server/files-node.ts';
import { proves } from '../requirements/proves.ts';
import { everyRevision, Wire } from './wire.ts';

let base: string;
let root: string;

beforeAll(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), 'crosspoint-files-')));
  root = join(base, 'data');
  await mkdir(join(root, 'sub'), { recursive: true });
  await mkdir(join(base, 'data-old'));
  await writeFile(join(root, 'a b.txt'), 'a');
  await writeFile(join(root, 'sub', '..dots'), 'dots');
  await writeFile(join(base, 'secret.txt'), 'secret');
  await writeFile(join(base, 'data-old', 'secret.txt'), 'secret');
  await symlink(join(base, 'secret.txt'), join(root, 'leak.txt'));
  await symlink(base, join(root, 'leak'));
  await symlink(join(root, 'a b.txt'), join(root, 'alias.txt'));
  await symlink(join(root, 'nowhere'), join(root, 'dangling'));
  await symlink(root, join(base, 'door'));
});

afterAll(async () => {
  await rm(base, { recursive: true, force: true });
});

describe('resolveFileUri', () => {
  test('gives the real path of a file inside the root, also through links that stay inside', async () => {
    expect(await resolveFileUri(pathToFileURL(join(root, 'a b.txt')), root)).toBe(join(root, 'a b.txt'));
    expect(await resolveFileUri(`file://${root}/a%20b.txt`, root)).toBe(join(root, 'a b.txt'));
    expect(await resolveFileUri(`file://${root}/sub/..dots`, root)).toBe(join(root, 'sub', '..dots'));
    expect(await resolveFileUri(`file://${root}/alias.txt`, root)).toBe(join(root, 'a b.txt'));
    expect(await resolveFileUri(`file://${root}`, root)).toBe(root);
    expect(await resolveFileUri(`file://${base}/door/a%20b.txt`, join(base, 'door'))).toBe(join(root, 'a b.txt'));
    expect(await resolveFileUri(`FILE:${root}/alias.txt`, root)).toBe(join(root, 'a b.txt'));
  });

  proves('M-RES-014, L-RESOURCES-015').test('refuses what climbs or hides a separator, in every spelling', async () => {
    const hostile = [
      '/../secret.txt',
      '/sub/../../secret.txt',
      '/%2e%2e/secret.txt',
      '/%2E./secret.txt',
      '/.%2e/secret.txt',
      '/..%2fsecret.txt',
      '/sub%2f..%2f..%2fsecret.txt',
      '/..%5csecret.txt',
      '/..\\secret.txt',
      '/sub/..',
      '/a%00.txt',
      '/sub%2fx',
      '/sub%5Cx',
    ];
    for (const path of hostile)
      await expect(resolveFileUri(`file://${root}${path}`, root), path).rejects.toMatchObject({
        kind: 'invalid-params',
      });
  });

  proves('M-RES-014, L-RESOURCES-015').test(
    'refuses links that lead out of the root, and neighbours whose name begins like it',
    async () => {
      for (const path of [
        `${root}/leak.txt`,
        `${root}/leak/secret.txt`,
        `${root}/leak`,
        `${base}/data-old/secret.txt`,
        `${base}/secret.txt`,
        base,
        '/',
        '/etc/passwd',
      ]) {
        await expect(resolveFileUri(`file://${path}`, root), path).rejects.toMatchObject({
          kind: 'resource-not-found',
          data: { uri: `file://${path}` },
        });
      }
    },
  );

  test('says of what lies outside only what it says of what is not there', async () => {
    const missing = await resolveFileUri(`file://${root}/missing`, root).catch((error: Error) => error.message);
    const outside = await resolveFileUri(`file://${base}/secret.txt`, root).catch((error: Error) => error.message);
    expect(missing).toBe(`Resource not found: file://${root}/missing`);
    expect(outside).toBe(`Resource not found: file://${base}/secret.txt`);
    await expect(resolveFileUri(`file://${root}/dangling`, root)).rejects.toMatchObject({ kind: 'resource-not-found' });
  });

  test('refuses what is no plain file URI', async () => {
    for (const uri of [
      '',
      'a.txt',
      root,
      `https://example.com${root}/a`,
      `file://server${root}/a`,
      `file://${root}/a?x`,
      `file://${root}/a#x`,
      'file://%zz/',
      `data:${root}`,
    ]) {
      await expect(resolveFileUri(uri, root), uri).rejects.toMatchObject({ kind: 'invalid-params' });
    }
  });

  test("a root that is not there is the program's problem, not the caller's", async () => {
    await expect(resolveFileUri(`file://${root}/a`, join(base, 'no-such-root'))).rejects.toMatchObject({
      code: 'ENOENT',
    });
  });
});

proves('M-RES-014').test.each(everyRevision)(
  '%s: a server of files gives those inside its root and no others',
  async (_id, revision) => {
    const server = new McpServer({ name: 'files', version: '1.0' });
    server.registerResource('files', new ResourceTemplate('file:///{+path}', { list: undefined }), {}, async (uri) => ({
      contents: [{ uri: uri.href, text: await resolveFileUri(uri, root) }],
    }));
    const wire = await Wire.open(server);
    expect((await wire.result('resources/read', { uri: `file://${root}/alias.txt` }, revision)).contents[0].text).toBe(
      join(root, 'a b.txt'),
    );
    for (const uri of [
      `file://${root}/leak.txt`,
      `file://${root}/../secret.txt`,
      `file://${root}/%2e%2e/secret.txt`,
      `file://${base}/secret.txt`,
    ])
      await wire.error('resources/read', { uri }, revision);
  },
);
