import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { bundleInputs, bundleReach, entryOfBundle } from '../../../src/config/bundles/bundle-entry.ts';
import { compatibilityProblems, satisfies } from '../../../src/config/bundles/compatibility.ts';
import type { ReadManifest } from '../../../src/config/bundles/manifest.ts';
import { checkManifest } from '../../../src/config/bundles/manifest-check.ts';
import { readBundle } from '../../../src/config/bundles/read-bundle.ts';
import { unpackBundle } from '../../../src/config/bundles/unpack-bundle.ts';
import { userFolders } from '../../../src/config/bundles/variables.ts';
import type { Json } from '../../../src/values/json.ts';
import { bundleBytes, manifestWith, u32, zipBytes } from './zip-bytes.ts';

const manifestOf = (changes: object = {}): ReadManifest => manifestWith(changes) as unknown as ReadManifest;
const problemsOf = (changes: object): string[] =>
  checkManifest(manifestWith(changes) as Json).problems.map(({ severity, pointer }) => `${severity} ${pointer}`);
const server = (config: object, more: object = {}): object => ({
  server: { type: 'node', entry_point: 'server/index.js', mcp_config: config, ...more },
});

describe('a manifest', () => {
  it.each(['0.1', '0.2', '0.3', '0.4'])('of version %s is read, with members that are not known', (version) => {
    const { manifest, problems } = checkManifest(
      manifestWith({ manifest_version: version, icons: [], _meta: { x: {} } }) as Json,
    );
    expect(problems).toEqual([]);
    expect(manifest).toMatchObject({ name: 'weather', _meta: { x: {} } });
  });

  it('may have its version under the older name', () => {
    expect(problemsOf({ manifest_version: undefined, dxt_version: '0.1' })).toEqual([]);
  });

  it.each<[string, object, string]>([
    ['no version', { manifest_version: undefined }, 'error /manifest_version'],
    ['a newer version', { manifest_version: '1.0' }, 'error /manifest_version'],
    ['a number as version', { manifest_version: 0.3 }, 'error /manifest_version'],
    ['no name', { name: '' }, 'error /name'],
    ['a name with unseen characters', { name: 'a\u202Eb' }, 'error /name'],
    ['no author', { author: 'me' }, 'error /author'],
    ['no server', { server: null }, 'error /server'],
    ['an unknown type', server({ command: 'x' }, { type: 'ruby' }), 'error /server/type'],
    ['no command', server({ args: [] }), 'error /server/mcp_config/command'],
    ['no configuration', server({ command: 'x' }, { mcp_config: undefined }), 'error /server/mcp_config'],
    ['an entry point outside', server({ command: 'x' }, { entry_point: '../x.js' }), 'error /server/entry_point'],
    ['an absolute entry point', server({ command: 'x' }, { entry_point: '/x.js' }), 'error /server/entry_point'],
    ['arguments that are no texts', server({ command: 'x', args: ['a', 1] }), 'error /server/mcp_config/args/1'],
    ['a NUL in an argument', server({ command: 'x', args: ['a\0b'] }), 'error /server/mcp_config/args/0'],
    ['variables that are no texts', server({ command: 'x', env: { A: 1 } }), 'error /server/mcp_config/env/A'],
    ['a variable with a bad name', server({ command: 'x', env: { 'A=B': '' } }), 'error /server/mcp_config/env/A=B'],
    [
      'an override that is none',
      server({ command: 'x', platform_overrides: { win32: 1 } }),
      'error /server/mcp_config/platform_overrides/win32',
    ],
    [
      'a value that is not defined',
      server({ command: 'x', args: ['${user_config.key}'] }),
      'error /server/mcp_config/args/0',
    ],
    [
      'a value named like a method',
      server({ command: 'x', args: ['${user_config.toString}'] }),
      'error /server/mcp_config/args/0',
    ],
    ['a variable that is not known', server({ command: 'x', args: ['${SHELL}'] }), 'warning /server/mcp_config/args/0'],
    ['an option of no type', { user_config: { a: { title: 'A' } } }, 'error /user_config/a/type'],
    ['an option without title', { user_config: { a: { type: 'string' } } }, 'error /user_config/a/title'],
    ['an option with a bad key', { user_config: { 'a b': { type: 'string', title: 'A' } } }, 'error /user_config/a b'],
    [
      'bounds the wrong way round',
      { user_config: { a: { type: 'number', title: 'A', min: 2, max: 1 } } },
      'error /user_config/a/min',
    ],
    [
      'a secret with a default',
      { user_config: { a: { type: 'string', title: 'A', sensitive: true, default: 'x' } } },
      'warning /user_config/a/default',
    ],
    ['platforms that are no list', { compatibility: { platforms: 'linux' } }, 'error /compatibility/platforms'],
    ['runtimes that are no texts', { compatibility: { runtimes: { node: 20 } } }, 'error /compatibility/runtimes'],
  ])('with %s has a problem', (_, changes, problem) => {
    expect(problemsOf(changes)).toContain(problem);
  });

  it('that puts a secret on the command line has a warning', () => {
    const changes = {
      user_config: { key: { type: 'string', title: 'Key', sensitive: true } },
      ...server({ command: 'node', args: ['--key=${user_config.key}'], env: { KEY: '${user_config.key}' } }),
    };
    expect(problemsOf(changes)).toEqual(['warning /server/mcp_config/args/0']);
  });

  it.each<[string, Json]>([
    ['a list', []],
    ['a text', 'x'],
    ['nothing', null],
  ])('that is %s is refused', (_, value) => {
    expect(checkManifest(value).manifest).toBeUndefined();
  });
});

describe('readBundle', () => {
  it('reads a file, and gives its digest', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'crosspoint-bundle-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    await writeFile(join(folder, 'weather.mcpb'), bundleBytes());
    const bundle = await readBundle(join(folder, 'weather.mcpb'));
    expect(bundle).toMatchObject({ files: 2, hasSignature: false, problems: [], manifest: { name: 'weather' } });
    expect(bundle.digest).toMatch(/^sha256:[0-9a-f]{64}$/);
  });

  it('reads an archive with a signature behind it, and gives another digest', async () => {
    const signature = Buffer.from('a PKCS#7 message');
    const signed = Buffer.concat([
      bundleBytes(),
      Buffer.from('MCPB_SIG_V1'),
      u32(signature.length),
      signature,
      Buffer.from('MCPB_SIG_END'),
    ]);
    const bundle = await readBundle(signed);
    expect(bundle).toMatchObject({ hasSignature: true, manifest: { name: 'weather' } });
    expect(bundle.digest).not.toBe((await readBundle(bundleBytes())).digest);
    const lying = Buffer.concat([
      bundleBytes(),
      Buffer.from('MCPB_SIG_V1'),
      u32(5),
      signature,
      Buffer.from('MCPB_SIG_END'),
    ]);
    await expect(readBundle(lying)).rejects.toMatchObject({ fault: 'damaged' });
  });

  it('says that there is no manifest, or that the program is not there', async () => {
    expect(await readBundle(zipBytes([{ name: 'weather/manifest.json', data: '{}' }]))).toMatchObject({
      problems: [{ severity: 'error', message: expect.stringContaining('no manifest.json at its top') }],
    });
    const bundle = await readBundle(
      bundleBytes(manifestWith(server({ command: 'node' }, { entry_point: 'other.js' }))),
    );
    expect(bundle.manifest).toBeUndefined();
    expect(bundle.problems).toMatchObject([{ pointer: '/server/entry_point' }]);
  });

  it('refuses a manifest that is no JSON, without repeating it', async () => {
    const error = await readBundle(zipBytes([{ name: 'manifest.json', data: '{"token": sk-secret' }])).catch(
      (one: Error) => one,
    );
    expect(error).toMatchObject({ fault: 'not-a-bundle' });
    expect(String((error as Error).stack)).not.toContain('sk-secret');
  });
});

describe('a bundle as a server', () => {
  const userConfig = {
    folders: {
      type: 'directory',
      title: 'Folders',
      description: 'Which',
      multiple: true,
      required: true,
      default: ['${HOME}/a', '${DESKTOP}'],
    },
    key: { type: 'string', title: 'Key', sensitive: true, required: true },
    size: { type: 'number', title: 'Size', min: 1, max: 9, default: 5 },
    readOnly: { type: 'boolean', title: 'Read only', default: true },
    note: { type: 'string', title: 'Note' },
    file: { type: 'file', title: 'File' },
  };
  const manifest = manifestOf({
    display_name: 'The weather',
    user_config: userConfig,
    ...server({
      command: 'node',
      args: [
        '${__dirname}${/}server${pathSeparator}index.js',
        '${user_config.folders}',
        '--size=${user_config.size}',
        '--note=${user_config.note}',
        '${user_config.file}',
        '${UNKNOWN}',
        '$HOME',
      ],
      env: {
        KEY: '${user_config.key}',
        READ_ONLY: '${user_config.readOnly}',
        NOTE: '${user_config.note}',
        ALL: '${user_config.folders}',
        PLACES: '${HOME}|${DESKTOP}|${DOCUMENTS}|${DOWNLOADS}',
      },
      platform_overrides: { win32: { command: 'node.exe', env: { ONLY: 'windows' } } },
    }),
  });
  const folders = userFolders('/home/me');
  const linux = { platform: 'linux', folders };

  it('is an entry whose texts hold their variables, and inputs', () => {
    const { entry, inputs } = entryOfBundle(manifest, { folder: '/b/1', digest: 'sha256:1', isNew: true }, linux);
    expect(entry).toMatchObject({
      name: 'weather',
      origin: { format: 'mcpb', scope: 'bundle', file: '/b/1/manifest.json' },
      reach: { type: 'stdio', command: 'node', cwd: '${__dirname}', env: { KEY: '${user_config.key}' } },
      other: { digest: 'sha256:1', title: 'The weather', version: '1.0.0' },
    });
    expect(inputs).toEqual([
      {
        id: 'folders',
        type: 'directory',
        title: 'Folders',
        description: 'Which',
        isRequired: true,
        isList: true,
        default: ['/home/me/a', '/home/me/Desktop'],
      },
      { id: 'key', type: 'text', title: 'Key', isSecret: true, isRequired: true },
      { id: 'size', type: 'number', title: 'Size', isRequired: false, minimum: 1, maximum: 9, default: 5 },
      { id: 'readOnly', type: 'boolean', title: 'Read only', isRequired: false, default: true },
      { id: 'note', type: 'text', title: 'Note', isRequired: false },
      { id: 'file', type: 'file', title: 'File', isRequired: false },
    ]);
    expect(bundleInputs(manifestOf())).toEqual([]);
  });

  it('is started with every variable replaced, lists as arguments of their own, and nothing for what is not set', () => {
    const reach = bundleReach(manifest, '/b/1', { folders: ['/x', '/y z'], key: 'k', readOnly: false }, linux);
    expect(reach).toEqual({
      type: 'stdio',
      command: 'node',
      args: ['/b/1/server/index.js', '/x', '/y z', '--size=5', '${UNKNOWN}', '$HOME'],
      env: {
        KEY: 'k',
        READ_ONLY: 'false',
        ALL: '/x:/y z',
        PLACES: '/home/me|/home/me/Desktop|/home/me/Documents|/home/me/Downloads',
      },
      cwd: '/b/1',
    });
  });

  it('does not look for variables in values', () => {
    const { args, env } = bundleReach(
      manifest,
      '/b/1',
      { folders: ['${HOME}'], key: '${user_config.note}$&', note: '${__dirname}' },
      linux,
    );
    expect(args?.slice(1, 4)).toEqual(['${HOME}', '--size=5', '--note=${__dirname}']);
    expect(env).toMatchObject({ KEY: '${user_config.note}$&', NOTE: '${__dirname}' });
  });

  it('uses defaults, and says which required values are missing without any value', () => {
    expect(bundleReach(manifest, '/b/1', { key: 'k' }, linux).args?.slice(1, 3)).toEqual([
      '/home/me/a',
      '/home/me/Desktop',
    ]);
    const start = (): unknown => bundleReach(manifest, '/b/1', { key: '', note: 'sk-secret' }, linux);
    expect(start).toThrow(/it needs "key"\. Ask the user/);
    expect(start).not.toThrow(/sk-secret/);
  });

  it('takes what a platform overrides, and the rest from all', () => {
    const reach = bundleReach(manifest, 'C:\\b\\1', { folders: ['C:\\x'], key: 'k' }, { platform: 'win32', folders });
    expect(reach).toMatchObject({ command: 'node.exe', env: { ONLY: 'windows' } });
    expect(reach.args?.[0]).toBe('C:\\b\\1\\server\\index.js');
    expect(Object.keys(reach.env ?? {})).toEqual(['ONLY']);
  });

  it('finds a program of its own in its folder, with its ending on Windows', () => {
    const binary = manifestOf({
      server: { type: 'binary', entry_point: 'server/tool', mcp_config: { command: 'server/tool' } },
    });
    expect(bundleReach(binary, '/b/1', {}, linux).command).toBe('/b/1/server/tool');
    expect(bundleReach(binary, 'C:\\b', {}, { platform: 'win32', folders }).command).toBe('C:\\b\\server\\tool.exe');
    const outside = manifestOf(server({ command: '../../bin/sh' }));
    expect(() => bundleReach(outside, '/b/1', {}, linux)).toThrow(/leaves the folder of the bundle/);
    expect(bundleReach(manifestOf(server({ command: '${__dirname}/run' })), '/b/1', {}, linux).command).toBe(
      '/b/1/run',
    );
  });

  it('is started by uv where the manifest has no command', () => {
    const uv = manifestOf({ manifest_version: '0.4', server: { type: 'uv', entry_point: 'src/server.py' } });
    expect(checkManifest(uv).problems).toEqual([]);
    expect(bundleReach(uv, '/b/1', {}, linux)).toMatchObject({
      command: 'uv',
      args: ['run', '--directory', '/b/1', 'src/server.py'],
    });
  });

  it('is read, unpacked and found on a real disk', async () => {
    const root = await mkdtemp(join(tmpdir(), 'crosspoint-bundle-'));
    onTestFinished(() => rm(root, { recursive: true }));
    const bundle = await readBundle(bundleBytes(manifest));
    const unpacked = await unpackBundle(bundle.bytes, root);
    const { command, args } = bundleReach(bundle.manifest!, unpacked.folder, { key: 'k' });
    expect(command).toBe(process.platform === 'win32' ? 'node.exe' : 'node');
    expect(await readFile(args![0]!, 'utf8')).toBe('console.log(1)\n');
  });
});

describe('compatibility', () => {
  it('is checked for the platform and the runtimes that are known', () => {
    const manifest = manifestOf({
      compatibility: { platforms: ['darwin'], runtimes: { node: '>=22', python: '>=3.8,<4.0' } },
    });
    expect(
      compatibilityProblems(manifest, { platform: 'linux', runtimes: { node: 'v20.19.0' } }).map(
        ({ pointer }) => pointer,
      ),
    ).toEqual(['/compatibility/platforms', '/compatibility/runtimes/node']);
    expect(
      compatibilityProblems(manifest, { platform: 'darwin', runtimes: { node: 'v22.1.0', python: '3.12.1' } }),
    ).toEqual([]);
    expect(compatibilityProblems(manifestOf(), { platform: 'sunos' })).toEqual([]);
    const strange = manifestOf({ compatibility: { runtimes: { node: 'the newest' } } });
    expect(compatibilityProblems(strange, { platform: 'linux', runtimes: { node: '20.0.0' } })).toMatchObject([
      { severity: 'warning' },
    ]);
  });

  it.each([
    ['20.19.0', '>=16.0.0', true],
    ['20.19.0', '>= 16 < 20', false],
    ['20.19.0', '^20.1', true],
    ['21.0.0', '^20.1', false],
    ['0.3.0', '^0.2.1', false],
    ['0.2.9', '^0.2.1', true],
    ['3.12.4', '~=3.8', true],
    ['4.0.0', '~=3.8', false],
    ['3.9.0', '~3.8', false],
    ['3.8.7', '3.8.x', true],
    ['3.8.7', '3.8', true],
    ['3.9.0', '==3.8.*', false],
    ['18.0.0', '^16 || ^18', true],
    ['18.0.0', '*', true],
    ['18.0.0', '!=18.0.0', false],
    ['18.0.0', '>18', false],
    ['18.0.0', '<=18', true],
    ['18.0.0', 'latest', undefined],
    ['eighteen', '>=1', undefined],
  ])('%s in %j: %s', (version, range, expected) => {
    expect(satisfies(version, range)).toBe(expected);
  });
});
