import { mkdtempSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest';
import { childExited, spawnFailure } from '../../src/transports/stdio/child-failure.ts';
import { childEnvironment, getDefaultEnvironment, inheritedOn } from '../../src/transports/stdio/environment.ts';
import { identityOf } from '../../src/transports/stdio/identity.ts';
import { taskkill } from '../../src/transports/stdio/process-tree.ts';
import { redactText } from '../../src/protocol/redaction/redact-text.ts';
import { isSecretName, maskArguments } from '../../src/transports/stdio/secrets.ts';
import { StderrTail } from '../../src/transports/stdio/stderr-tail.ts';

afterEach(() => vi.unstubAllEnvs());

describe('the environment of a child', () => {
  test('holds the safe list and no more', () => {
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'x');
    vi.stubEnv('LANG', 'C');
    vi.stubEnv('SHELL', '() { :;}; echo');
    expect(getDefaultEnvironment()).toMatchObject({ LANG: 'C', PATH: process.env['PATH'] });
    expect(getDefaultEnvironment()).not.toHaveProperty('AWS_SECRET_ACCESS_KEY');
    expect(getDefaultEnvironment()).not.toHaveProperty('SHELL');
  });

  test('given values are laid over it; undefined takes away', () => {
    vi.stubEnv('LANG', 'C');
    expect(childEnvironment({ env: { A: '1', LANG: undefined } })).toMatchObject({ A: '1', PATH: process.env['PATH'] });
    expect(childEnvironment({ env: { LANG: undefined } })).not.toHaveProperty('LANG');
  });

  test('inheritEnv passes everything but shell functions', () => {
    vi.stubEnv('SOMETHING_ELSE', 'x');
    vi.stubEnv('BASH_FUNC_x', '() { :; }');
    expect(childEnvironment({ inheritEnv: true, env: { A: '1' } })).toMatchObject({ SOMETHING_ELSE: 'x', A: '1' });
    expect(childEnvironment({ inheritEnv: true })).not.toHaveProperty('BASH_FUNC_x');
  });

  test('on Windows it has what npx.cmd needs', () => {
    expect(inheritedOn('win32')).toEqual(
      expect.arrayContaining(['APPDATA', 'COMSPEC', 'PATH', 'PATHEXT', 'SYSTEMROOT', 'TEMP', 'USERPROFILE']),
    );
  });
});

describe('secrets', () => {
  test.each([
    [
      ['--token', 'abc'],
      ['--token', '[redacted]'],
    ],
    [['--token=abc'], ['--token=[redacted]']],
    [
      ['--api-key', 'a', '--port', '80'],
      ['--api-key', '[redacted]', '--port', '80'],
    ],
    [
      ['--password', '--verbose'],
      ['--password', '--verbose'],
    ],
    [
      ['-e', 'GITHUB_TOKEN=abc'],
      ['-e', 'GITHUB_TOKEN=[redacted]'],
    ],
    [
      ['--header', 'Authorization: Bearer abcdefgh12'],
      ['--header', 'Authorization: Bearer [redacted]'],
    ],
    [['postgres://bob:pw@host/db'], ['postgres://[redacted]@host/db']],
    [['https://example.com/mcp?api_key=abc&x=1'], ['https://example.com/mcp?api_key=[redacted]&x=1']],
    [['ghp_abcdefghijklmnop1234'], ['[redacted]']],
    [
      ['-y', '@scope/server@1.2.3', '/home/key/dir', '--keyboard', 'us'],
      ['-y', '@scope/server@1.2.3', '/home/key/dir', '--keyboard', 'us'],
    ],
  ])('%j is shown as %j', (args, shown) => {
    expect(maskArguments(args)).toEqual(shown);
  });

  test.each([
    ['{"token": "abc", "port": 80}', '{"token": "[redacted]", "port": 80}'],
    ['DB_PASSWORD: hunter2', 'DB_PASSWORD: [redacted]'],
    ['Error: ENOENT: no such file', 'Error: ENOENT: no such file'],
    ['sent eyJhbGciOiJI.eyJzdWIiOi.sig to https://a.b', 'sent [redacted] to https://a.b'],
  ])('%s', (text, shown) => {
    expect(redactText(text)).toBe(shown);
  });

  test('names', () => {
    expect(
      ['API_KEY', 'client-secret', 'PGPASSWORD', 'x-auth', 'authorization', 'GITHUB_PAT'].every(isSecretName),
    ).toBe(true);
    expect(['PATH', 'monkey', 'author', 'keyboard', 'tokens-per-minute', 'HOME'].some(isSecretName)).toBe(false);
  });
});

describe('errors', () => {
  const program = { command: 'npx', args: ['-y', 'server', '--token', 'abcdefgh'], cwd: undefined };

  test('a long stderr is cut to what fits on a screen', () => {
    const tail = new StderrTail();
    for (let line = 0; line < 1000; line++) tail.append(new TextEncoder().encode(`line ${line} ${'x'.repeat(30)}\n`));
    const lines = tail.text().split('\n');
    expect([lines.length, lines[0]?.slice(0, 8), lines.at(-1)?.slice(0, 8)]).toEqual([20, 'line 980', 'line 999']);
    tail.append(new TextEncoder().encode('y'.repeat(100_000)));
    expect(tail.text()).toHaveLength(8192);
    expect(new StderrTail().text()).toBe('');
  });

  test('secrets that the server repeats are masked', () => {
    const error = childExited(program, {
      pid: 1,
      exitCode: 1,
      signal: null,
      stderr: 'refused abcdefgh and envsecret',
      env: { MY_TOKEN: 'envsecret' },
    });
    expect(error.message).toBe(
      'The server "npx -y server --token [redacted]" exited with code 1.\nIts last lines on stderr:\n  refused [redacted] and [redacted]',
    );
    expect(JSON.stringify(error.details)).not.toMatch(/abcdefgh|envsecret/);
  });

  test('a failed start keeps its cause', () => {
    const cause = Object.assign(new Error('spawn E2BIG'), { code: 'E2BIG' });
    expect(spawnFailure(program, cause)).toMatchObject({
      code: 'spawn-failed',
      message: 'Could not start "npx": spawn E2BIG',
      cause,
      details: { errno: 'E2BIG' },
    });
  });
});

describe('identity', () => {
  const folder = mkdtempSync(join(tmpdir(), 'identity-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, 'pkg', 'dist'), { recursive: true });
  writeFileSync(join(folder, 'pkg', 'dist', 'server.js'), '');
  const manifest = (version: string): void =>
    writeFileSync(join(folder, 'pkg', 'package.json'), JSON.stringify({ name: 'srv', version }));
  manifest('1.0.0');
  symlinkSync(join(folder, 'pkg', 'dist', 'server.js'), join(folder, 'srv'));
  const identity = (command: string, args: string[], cwd?: string): string => identityOf({ command, args, cwd });

  test('names the script by its real path and its version', () => {
    const relative = identity('node', ['dist/server.js'], join(folder, 'pkg'));
    expect(relative).toContain(`${join('pkg', 'dist', 'server.js')}#srv@1.0.0`);
    expect(identity(join(folder, 'srv'), [])).toContain('#srv@1.0.0');
    expect(identity('node', ['dist/server.js'], folder)).not.toBe(relative);
    manifest('1.1.0');
    expect(identity('node', ['dist/server.js'], join(folder, 'pkg'))).toContain('#srv@1.1.0');
  });

  test.each([
    ['npx', ['-y', '@scope/server@1.2.3', '/tmp'], '#@scope/server@1.2.3'],
    ['C:\\nodejs\\npx.cmd', ['server@2.0.0'], ''],
    ['/usr/bin/uvx', ['server==2.0.0'], '#server@2.0.0'],
    ['pnpm', ['dlx', 'server@1.0.0-beta'], '#server@1.0.0-beta'],
    ['npx', ['-y', 'server@latest'], ''],
    ['npx', ['-y', 'server'], ''],
    ['python', ['-m', 'server'], ''],
  ])('%s %j ends with "%s"', (command, args, version) => {
    expect(identity(command, args)).toBe(`stdio:${JSON.stringify([command, ...args])}${version}`);
  });

  test('holds no secret and does not change with one', () => {
    expect(identity('npx', ['server', '--api-key', 'one'])).toBe(identity('npx', ['server', '--api-key', 'two']));
  });
});

describe('Windows, as far as it can be checked elsewhere', () => {
  /** The command line that cross-spawn makes where `process.platform` is win32; its own code, with only the platform and the look-up replaced. */
  function windowsCommand(
    command: string,
    args: string[],
    file: string,
  ): { command: string; args: string[]; verbatim: unknown } {
    const require = createRequire(import.meta.resolve('cross-spawn'));
    const source = require('node:fs').readFileSync(require.resolve('./lib/parse'), 'utf8') as string;
    const module = {
      exports: undefined as unknown as (
        command: string,
        args: string[],
        options: object,
      ) => { command: string; args: string[]; options: Record<string, unknown> },
    };
    const replaced: Record<string, unknown> = {
      path: require('node:path').win32,
      './util/resolveCommand': () => file,
      './util/readShebang': () => null,
      './util/escape': require('./lib/util/escape'),
    };
    runInNewContext(source, {
      module,
      require: (name: string) => replaced[name],
      process: { platform: 'win32', env: { comspec: 'C:\\Windows\\system32\\cmd.exe' } },
    });
    const parsed = module.exports(command, args, {});
    return { command: parsed.command, args: [...parsed.args], verbatim: parsed.options['windowsVerbatimArguments'] };
  }

  test('an .exe is started directly, its arguments untouched', () => {
    const args = ['a b', '"', '&', '%PATH%'];
    expect(windowsCommand('node', args, 'C:\\nodejs\\node.exe')).toEqual({
      command: 'node',
      args,
      verbatim: undefined,
    });
  });

  test.each([
    ['a b', '^"a^ b^"'],
    ['say "hi"', '^"say^ \\^"hi\\^"^"'],
    ['a&calc', '^"a^&calc^"'],
    ['%PATH%', '^"^%PATH^%^"'],
    ['a^b', '^"a^^b^"'],
    ['x|y>z', '^"x^|y^>z^"'],
    ['C:\\dir\\', '^"C:\\dir\\\\^"'],
    ['', '^"^"'],
  ])('a .cmd goes through cmd.exe with %j as %s', (arg, quoted) => {
    const started = windowsCommand('npx', ['-y', arg], 'C:\\nodejs\\npx.cmd');
    expect(started).toEqual({
      command: 'C:\\Windows\\system32\\cmd.exe',
      args: ['/d', '/s', '/c', `"npx ^"-y^" ${quoted}"`],
      verbatim: true,
    });
  });

  test('a shim in node_modules/.bin hands its arguments on once more, so they are escaped twice', () => {
    const { args } = windowsCommand('srv', ['a&b'], 'C:\\p\\node_modules\\.bin\\srv.cmd');
    expect(args.at(-1)).toBe('"srv ^^^"a^^^&b^^^""');
  });

  test('the tree is ended by the taskkill of the system', () => {
    expect(taskkill(42, { SystemRoot: 'D:\\Win' })).toEqual({
      command: 'D:\\Win\\System32\\taskkill.exe',
      args: ['/pid', '42', '/T', '/F'],
    });
    expect(taskkill(42, {}).command).toBe('C:\\Windows\\System32\\taskkill.exe');
  });
});
