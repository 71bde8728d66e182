import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { FILE_FORMATS } from '@crosspoint/host/config';
import { describe, expect, it } from 'vitest';
import { FORMATS } from '../src/commands/servers/convert.ts';
import { atTerminal, hasTerminal } from './at-terminal.ts';
import { crosspoint, DEMO, type Ended } from './crosspoint.ts';

const KEY = { CROSSPOINT_SECRETS_KEY: 'ab'.repeat(32) };
const COMMENTED = `// my servers
{
  "crosspoint": 1,
  "mine": { "kept": true },
  "servers": {
    // the old one
    "old": { "command": "old", "args": ["--x"] }, // stays
    "bad": { "command": 7 }
  }
}
`;

/** Everything that a command said, and every file of the home that people can read. */
function everything(home: string, ...ended: readonly Ended[]): string {
  const files = readdirSync(home).filter((name) => !name.endsWith('.db'));
  return [
    ...ended.flatMap(({ stdout, stderr }) => [stdout, stderr]),
    ...files
      .filter((name) => statSync(join(home, name)).isFile())
      .map((name) => readFileSync(join(home, name), 'utf8')),
    ...readdirSync(home)
      .filter((name) => name.startsWith('host.db'))
      .map((name) => readFileSync(join(home, name), 'latin1')),
  ].join('\n');
}

describe('crosspoint servers', () => {
  it('adds, changes, uses and removes servers, and keeps comments, faulty entries and other members', async () => {
    const { home, run } = crosspoint();
    const file = join(home, 'crosspoint.json');
    writeFileSync(file, COMMENTED, { mode: 0o644 });
    expect((await run(['servers', 'add', 'demo', ...DEMO])).json()).toMatchObject({ name: 'demo', file, secrets: [] });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect((await run(['tools', 'call', 'demo', 'add', 'a=1', 'b=2'])).json().structuredContent).toEqual({ sum: 3 });
    expect((await run(['servers', 'disable', 'demo'])).code).toBe(0);
    const refused = await run(['tools', 'ls', 'demo']);
    expect({ code: refused.code, hint: refused.error().hint }).toEqual({
      code: 1,
      hint: 'crosspoint servers enable NAME switches it on.',
    });
    expect((await run(['servers', 'enable', 'demo'])).code).toBe(0);
    const edited = await run([
      'servers',
      'edit',
      'old',
      '--env',
      'MODE=fast',
      '--rename',
      'new',
      '--call-timeout',
      '5',
    ]);
    expect(edited.json()).toMatchObject({ name: 'new', target: 'env MODE=fast old --x' });
    const text = readFileSync(file, 'utf8');
    for (const kept of [
      '// my servers',
      '// the old one',
      '"mine": { "kept": true }',
      '"bad": { "command": 7 }',
      '// stays',
    ])
      expect(text).toContain(kept);
    expect(FILE_FORMATS.crosspoint.read(text).entries).toMatchObject([
      { name: 'new', reach: { command: 'old', args: ['--x'], env: { MODE: 'fast' } }, timeoutMs: 5000 },
      { name: 'demo' },
    ]);
    expect((await run(['servers', 'rm', 'demo', 'bad'])).json()).toMatchObject({ removed: ['demo', 'bad'] });
    writeFileSync(join(home, '.mcp.json'), '{ "mcpServers": { "new": { "command": "other" } } }');
    expect((await run(['servers', 'ls'])).json().servers).toMatchObject([
      { name: 'new', trust: 'own', scope: 'user', file, isDisabled: false },
      { name: 'new', trust: 'unknown', scope: 'project', target: 'other', shadowed: { by: file } },
    ]);
    expect(readFileSync(file, 'utf8')).toContain('// my servers');
  });

  it('refuses what would lose or guess something, and changes nothing then', async () => {
    const { home, run } = crosspoint();
    const file = join(home, 'crosspoint.json');
    writeFileSync(file, COMMENTED);
    const faults: [words: string[], message: RegExp][] = [
      [['servers', 'add', 'old', '--', 'x'], /already a server "old"/],
      [['servers', 'add', 'a b', '--', 'x'], /cannot be a name/],
      [['servers', 'add', 'a', 'ftp://x'], /neither an address/],
      [['servers', 'add', 'a'], /server is missing/],
      [['servers', 'add', 'a', '--family', 'handshake', '--', 'x'], /"--family" is no option of this command/],
      [['servers', 'add', 'a', '--env', 'API_KEY=abc', '--', 'x'], /secret does not belong on the command line/],
      [['servers', 'edit', 'old'], /Nothing was named/],
      [['servers', 'edit', 'old', '--header', 'A=b'], /is a command/],
      [['servers', 'edit', 'old', '--unset-env', 'A'], /has no variable "A"/],
      [['servers', 'rm', 'old', 'nope'], /no server "nope"/],
      [['servers', 'edit', 'bad', '--disable'], /has a fault/],
    ];
    for (const [words, message] of faults) {
      const { code, stdout, error } = await run(words);
      expect({ words, code, stdout }).toEqual({ words, code: 1, stdout: '' });
      expect(error().message).toMatch(message);
    }
    expect(readFileSync(file, 'utf8')).toBe(COMMENTED);
    writeFileSync(file, '{ "servers": { ');
    const broken = await run(['servers', 'add', 'a', '--', 'x']);
    expect({ code: broken.code, text: readFileSync(file, 'utf8') }).toEqual({ code: 1, text: '{ "servers": { ' });
    expect(broken.error().message).toMatch(/crosspoint\.json:1:\d+/);
  });

  it('loses nothing of commands that write at once, and leaves no file behind', async () => {
    const { home, run } = crosspoint();
    const names = Array.from({ length: 6 }, (_, at) => `s${at}`);
    const real = join(home, 'dotfiles', 'servers.json');
    mkdirSync(dirname(real));
    writeFileSync(real, '{ "servers": {} }\n');
    symlinkSync(real, join(home, 'crosspoint.json'));
    await Promise.all(names.map((name) => run(['servers', 'add', name, '--', 'node', name])));
    expect(
      (await run(['servers', 'ls']))
        .json()
        .servers.map(({ name }: { name: string }) => name)
        .sort(),
    ).toEqual(names);
    expect(readdirSync(dirname(real))).toEqual(['servers.json']);
  });
});

describe('secrets of servers', () => {
  it('are kept elsewhere, reach the server, and are in no output and no file', async () => {
    const { home, run } = crosspoint();
    const token = join(home, 'token');
    writeFileSync(token, 'PLANTED-file\n', { mode: 0o600 });
    const program = join(home, 'show.mjs');
    writeFileSync(
      program,
      "import { writeFileSync } from 'node:fs';\nwriteFileSync(process.argv[2], JSON.stringify({ env: process.env.API_KEY, more: process.env.MORE, args: process.argv.slice(3) }), { mode: 0o600 });\n",
    );
    const env = { ...KEY, SOME: 'PLANTED-variable' };
    const out = join(home, 'shown');
    const added = await run(
      [
        'servers',
        'add',
        'a',
        '--env',
        `API_KEY=@${token}`,
        '--env',
        'MORE=env:SOME',
        '--',
        process.execPath,
        program,
        out,
        '--api-key',
        'sk-PLANTEDargument1',
        '${HOME}',
      ],
      { env },
    );
    expect(added.json()).toMatchObject({ secrets: ['server/a/env/API_KEY', 'server/a/args/3'] });
    const url = await run(
      ['servers', 'add', 'b', 'https://example.com/mcp?token=PLANTED-query', '--header', `Authorization=@${token}`],
      { env },
    );
    const listed = await run(['servers', 'ls', '--text'], { env });
    const failed = await run(['tools', 'ls', 'a'], { env });
    expect(failed.code).toBe(4);
    expect(JSON.parse(readFileSync(out, 'utf8'))).toEqual({
      env: 'PLANTED-file',
      more: 'PLANTED-variable',
      args: ['--api-key', 'sk-PLANTEDargument1', '${HOME}'],
    });
    const exported = await run(['servers', 'export', '--to', 'claude-code', '--json'], { env });
    expect(exported.json().lost.length).toBeGreaterThan(3);
    const secrets = await run(['secrets', 'ls'], { env });
    expect(secrets.json().secrets).toHaveLength(4);
    for (const name of ['token', 'shown']) writeFileSync(join(home, name), '');
    expect(everything(home, added, url, listed, failed, exported, secrets)).not.toContain('PLANTED');
    expect((await run(['servers', 'rm', 'a', 'b'], { env })).json().secrets).toHaveLength(4);
    expect((await run(['secrets', 'ls'], { env })).json().secrets).toEqual([]);
  });

  it('can be kept by name and used by a reference; without a place for them nothing is written', async () => {
    const { home, run } = crosspoint();
    const set = await run(['secrets', 'set', 'mine'], { env: KEY, input: 'PLANTED\n' });
    expect(set.json()).toMatchObject({ name: 'mine' });
    const added = await run(['servers', 'add', 'a', '--references', '--', process.execPath, '-p', '${secret:mine}'], {
      env: KEY,
    });
    expect(added.json().target).toContain('${secret:mine}');
    expect((await run(['secrets', 'set', 'x'], { env: KEY, input: '' })).code).toBe(1);
    expect((await run(['secrets', 'rm', 'mine'], { env: KEY })).json()).toEqual({ name: 'mine' });
    expect((await run(['secrets', 'rm', 'mine'], { env: KEY })).code).toBe(1);
    const before = readFileSync(join(home, 'crosspoint.json'), 'utf8');
    const token = join(home, 'token');
    writeFileSync(token, 'PLANTED\n', { mode: 0o600 });
    const bad = await run(['servers', 'add', 'b', '--env', `API_KEY=@${token}`, '--', 'x'], {
      env: { CROSSPOINT_SECRETS_KEY: 'short' },
    });
    expect({ code: bad.code, message: bad.error().message }).toEqual({
      code: 1,
      message: expect.stringContaining('CROSSPOINT_SECRETS_KEY is no key'),
    });
    expect(readFileSync(join(home, 'crosspoint.json'), 'utf8')).toBe(before);
  });
});

describe('crosspoint servers import', () => {
  const files = (user: string): Readonly<Record<string, string>> => ({
    '.cursor/mcp.json': `{ "mcpServers": { "gh": { "command": "gh", "env": { "GITHUB_TOKEN": "ghp_PLANTED1234567890", "HOST": "\${env:HOST}" } }, "both": { "command": "cursor" } } }`,
    '.claude.json': `{ "history": ["private"], "mcpServers": { "both": { "command": "claude" } } }`,
    '.config/Code/User/mcp.json': `{ "inputs": [{ "type": "promptString", "id": "k", "description": "Key", "password": true }], "servers": { "web": { "type": "http", "url": "https://example.com/mcp", "headers": { "X-Key": "\${input:k}" } } } }`,
    '.config/Claude/claude_desktop_config.json': `{ "mcpServers": { "desk": { "command": "desk ${user}" } } }`,
  });

  function user(home: string): string {
    const folder = join(home, 'user');
    for (const [name, text] of Object.entries(files('me'))) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), text);
    }
    return folder;
  }

  it('finds the servers of other hosts, shows them, and takes them over on --yes', async () => {
    const { home, run } = crosspoint();
    const env = { ...KEY, HOME: user(home), XDG_CONFIG_HOME: '' };
    const shown = await run(['servers', 'import'], { env });
    expect({ code: shown.code, isDone: shown.json().isDone }).toEqual({ code: 2, isDone: false });
    expect(existsSync(join(home, 'crosspoint.json'))).toBe(false);
    const taken = await run(['servers', 'import', '--yes'], { env });
    expect(taken.json()).toMatchObject({
      isDone: true,
      added: [{ name: 'both', target: 'claude' }, { name: 'web' }, { name: 'gh' }, { name: 'desk' }],
      skipped: [{ name: 'both', why: expect.stringContaining('Another file') }],
      secrets: ['server/gh/env/GITHUB_TOKEN'],
    });
    const own = FILE_FORMATS.crosspoint.read(readFileSync(join(home, 'crosspoint.json'), 'utf8'));
    expect(own.problems).toEqual([]);
    expect(own.inputs).toMatchObject([{ id: 'k', isSecret: true }]);
    expect(own.entries.find(({ name }) => name === 'gh')?.reach).toMatchObject({
      env: { GITHUB_TOKEN: '${secret:server/gh/env/GITHUB_TOKEN}', HOST: '${env:HOST}' },
    });
    const again = await run(['servers', 'import', 'gh', '--from', join(home, 'user/.cursor/mcp.json'), '--yes'], {
      env,
    });
    expect(again.json()).toMatchObject({ added: [], skipped: [{ name: 'gh' }] });
    const missing = await run(['servers', 'import', 'g', '--yes'], { env });
    expect({ code: missing.code, similar: missing.error().suggestions }).toEqual({ code: 1, similar: ['gh'] });
    expect(everything(home, shown, taken, again)).not.toMatch(/PLANTED|private/);
  });

  it.skipIf(!hasTerminal)('asks at a terminal, and takes a no for a no', async () => {
    const { home } = crosspoint();
    const env = { ...KEY, HOME: user(home), XDG_CONFIG_HOME: '' };
    const no = await atTerminal(['servers', 'import', 'gh'], { home, env, typed: [['[y/N]', 'n']] });
    expect(no.code).toBe(2);
    expect(no.screen).toContain("env GITHUB_TOKEN='‹hidden›' HOST='${env:HOST}' gh");
    expect(existsSync(join(home, 'crosspoint.json'))).toBe(false);
    const yes = await atTerminal(['servers', 'import', 'gh'], { home, env, typed: [['[y/N]', 'yes']] });
    expect({ code: yes.code, isThere: existsSync(join(home, 'crosspoint.json')) }).toEqual({ code: 0, isThere: true });
    expect(yes.screen).not.toContain('PLANTED');
  });
});

describe('crosspoint servers convert and lint', () => {
  it('writes other formats without secrets, and tells every lost field', async () => {
    const { home, run } = crosspoint();
    const file = join(home, 'mcp.json');
    writeFileSync(
      file,
      `{ "servers": { "a": { "type": "http", "url": "https://x/mcp", "headers": { "Authorization": "Bearer PLANTED" }, "dev": { "watch": "src" } }, "b": { "command": "b", "args": ["--api-key", "PLANTED-arg1"] } } }`,
    );
    const piped = await run(['servers', 'convert', file, '--to', 'claude-code', '--format', 'vscode']);
    expect(piped.json().mcpServers).toMatchObject({
      a: { headers: { Authorization: 'Bearer ${A_HEADERS_AUTHORIZATION}' } },
      b: { args: ['--api-key', '${B_ARGS_1}'] },
    });
    expect(piped.stderr).toContain('lost /servers/a/headers/Authorization: A secret is not written');
    expect(piped.stderr).toContain('lost /servers/a/dev/watch: Only VS Code has this member.');
    const whole = await run(['servers', 'convert', file, '--to', 'cursor', '--format', 'vscode', '--json']);
    expect(whole.json()).toMatchObject({ format: 'cursor', document: { mcpServers: {} }, lost: expect.any(Array) });
    expect(whole.json().lost).toHaveLength(3);
    for (const { stdout, stderr } of [piped, whole]) expect(stdout + stderr).not.toContain('PLANTED');
    const out = join(home, 'out.json');
    expect((await run(['servers', 'convert', file, '--to', 'cursor', '--with-secrets'])).code).toBe(1);
    await run(['servers', 'convert', file, '--to', 'cursor', '--format', 'vscode', '--with-secrets', '--output', out]);
    expect(readFileSync(out, 'utf8')).toContain('Bearer PLANTED');
    expect(statSync(out).mode & 0o777).toBe(0o600);
  });

  it('finds faults with line and column, exit 7', async () => {
    const { home, run } = crosspoint();
    const file = join(home, '.mcp.json');
    writeFileSync(
      file,
      '{ "mcpServers": {\n  "a": { "command": 7 },\n  "b": { "command": "sudo", "env": {\n    "API_KEY": "PLANTED" } }\n} }\n',
    );
    const { code, json, stdout, stderr } = await run(['servers', 'lint', file]);
    expect(code).toBe(7);
    expect(json().problems).toMatchObject([
      { severity: 'error', server: 'a', line: 2, column: 10, pointer: '/mcpServers/a/command' },
      { severity: 'warning', code: 'secret', line: 4, column: 5, pointer: '/mcpServers/b/env/API_KEY' },
      { severity: 'warning', code: 'risk', line: 3, server: 'b' },
    ]);
    expect(stdout + stderr).not.toContain('PLANTED');
    writeFileSync(file, '{ "mcpServers": { "b": { "command": "sudo" } } }');
    expect((await run(['servers', 'lint'])).code).toBe(0);
    expect((await run(['servers', 'lint', '--strict', '--text'])).stdout).toMatch(/^warning .*\.mcp\.json:1:19/);
    writeFileSync(file, '{ "mcpServers": { "b": } }');
    const broken = await run(['servers', 'lint', '--text', file]);
    expect({ code: broken.code, stdout: broken.stdout }).toEqual({ code: 7, stdout: expect.stringContaining(':1:24') });
    expect((await run(['servers', 'lint', 'missing.json'])).code).toBe(1);
    expect((await run(['servers', 'ls'])).json().problems).toHaveLength(1);
  });

  it('knows the formats of the host', () => {
    expect([...FORMATS].sort()).toEqual(Object.keys(FILE_FORMATS).sort());
  });
});
