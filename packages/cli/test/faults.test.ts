import { spawn } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { atTerminal, hasTerminal } from './at-terminal.ts';
import { crosspoint, DEMO } from './crosspoint.ts';
import { isAlive, watched } from './watched.ts';

// A test runs many commands, each of which starts a process or two.
vi.setConfig({ testTimeout: 180_000 });

const ASKER = fileURLToPath(new URL('../../host/test/programs/asker.mjs', import.meta.url));
const PAGE = fileURLToPath(new URL('programs/page-server.mjs', import.meta.url));
const SECRET = 'sk-live-0123456789abcdef';

/** Characters that a terminal acts on: C0 but for line ends and tabs, C1, and those that turn the direction of text. */
const ACTING = /(?![\n\t])[\p{Cc}\u202A-\u202E\u2066-\u2069]/u;

describe('the server of a line', () => {
  it('is the word in its place, wherever options stand, and nothing else in its stead', async () => {
    const { run } = crosspoint();
    await run(['servers', 'add', 'demo', ...DEMO]);
    for (const words of [
      ['tools', 'ls', '--family', 'handshake', 'demo'],
      ['tools', 'ls', 'demo', '--family', 'handshake'],
      ['tools', 'call', '--timeout', '30', 'demo', '--json', 'add', 'a=1', '--quiet', 'b=2'],
    ])
      expect({ words, code: (await run(words)).code }).toEqual({ words, code: 0 });
    for (const words of [
      ['tools', 'ls', '--family', 'handshake', 'dem'],
      ['tools', 'ls', '--family', 'handshake'],
      ['tools', 'ls', 'demo', 'more'],
      ['tools', 'ls', 'demo', '--nonsense'],
      ['tools', 'ls', 'demo', ...DEMO],
    ])
      expect({ words, code: (await run(words)).code }).toEqual({ words, code: 1 });
  });

  it('has everything behind "--" as it is, for every command', async () => {
    const { home, run } = crosspoint();
    const program = join(home, 'words.mjs');
    writeFileSync(
      program,
      `import { writeFileSync } from 'node:fs'; writeFileSync(${JSON.stringify(join(home, 'words'))}, JSON.stringify(process.argv.slice(2)));`,
    );
    const own = ['--json', '--timeout', 'never', '--', '-x', '', '$(touch owned)', '; touch owned', '--as'];
    for (const before of [['tools', 'ls'], ['show'], ['connect', '--as', 'x'], ['tools', 'call', 'y']]) {
      const { code } = await run([...before, '--', process.execPath, program, ...own]);
      expect({ before, code }).toEqual({ before, code: 4 });
      expect(JSON.parse(readFileSync(join(home, 'words'), 'utf8'))).toEqual(own);
    }
    expect(existsSync(join(home, 'owned'))).toBe(false);
  });

  it('whose tools are missing gets no suggestion of another kind', async () => {
    const { run, server } = watched('--no-tools');
    const { code, error } = await run(['tools', 'call', 'slow', ...server]);
    expect({ code, suggestions: error().suggestions }).toEqual({ code: 1, suggestions: undefined });
  });

  it('is listed whole: every page', async () => {
    const { run, server } = watched();
    expect((await run(['tools', 'ls', ...server])).json().tools).toHaveLength(6);
    expect((await run(['tools', 'call', 'broken', ...server])).code).toBe(5);
  });
});

describe('texts of servers', () => {
  it('reach a terminal without anything that it acts on', async () => {
    const { run, server } = watched();
    await run(['connect', '--as', 'kept', ...server]);
    const lines = [
      ['show', 'kept'],
      ['ls'],
      ['tools', 'ls', 'kept'],
      ['tools', 'call', 'kept', 'noisy'],
      ['tools', 'call', 'kept', 'broken'],
      ['tools', 'call', 'kept', 'od'],
      ['tools', 'call', 'kept', 'slow', '--timeout', '1'],
      ['timeline', '--events'],
      ['audit', 'ls'],
      ['policy', 'explain', 'kept', 'slow'],
      ['doctor', ...server],
    ];
    for (const [first = '', ...rest] of lines)
      for (const way of ['--text', '--json']) {
        const { stdout, stderr } = await run([first, way, ...rest]);
        const found = ACTING.exec(`${stdout}${stderr}`);
        expect({ line: [first, ...rest], way, found: found?.[0] }).toEqual({
          line: [first, ...rest],
          way,
          found: undefined,
        });
        expect(`${stdout}${stderr}`.length).toBeGreaterThan(10);
      }
  });

  it.skipIf(!hasTerminal)('in progress and questions are shown as codes on the screen', async () => {
    const { home, server } = watched();
    const { screen } = await atTerminal(['tools', 'call', 'slow', ...server], {
      home,
      typed: [['1/2 half', '\u0003']],
    });
    expect(screen).toContain('1/2 half \\u{1b}[2J');
    const asked = await atTerminal(['tools', 'call', 'form', '--', process.execPath, ASKER], {
      home,
      typed: [['[answer / decline / cancel]', 'decline']],
    });
    expect(asked.screen).toContain('\\u{1b}]8;;https://evil.example');
  });
});

describe('secrets', () => {
  it('are refused on the command line, and are in no message', async () => {
    const { run } = crosspoint();
    const url = 'https://example.com/mcp';
    for (const words of [
      ['tools', 'ls', url, '--header', `Authorization=Bearer ${SECRET}`],
      ['tools', 'ls', url, '--header', `X-Api-Key=${SECRET}`],
      ['tools', 'ls', '--env', `API_KEY=${SECRET}`, '--', 'node'],
      ['tools', 'ls', `https://user:${SECRET}@example.com/mcp`],
      ['tools', 'ls', `https://example.com/mcp?api_key=${SECRET}`],
      ['chat', '--model', 'm', '--provider', 'openai', '--key', SECRET, '--prompt', 'x'],
      ['secrets', 'set', 'name', '--from', SECRET],
      ['tools', 'ls', url, `--haeder=${SECRET}`],
    ]) {
      const { code, stdout, stderr } = await run(words);
      expect({ words, code, isTold: `${stdout}${stderr}`.includes(SECRET) }).toEqual({ words, code: 1, isTold: false });
    }
  });

  it.skipIf(process.platform !== 'linux')(
    'of a kept connection are in the arguments of no process and in no file',
    async () => {
      const { home, run, server } = watched();
      writeFileSync(join(home, 'token'), SECRET, { mode: 0o600 });
      await run(['connect', '--as', 'kept', '--env', 'API_KEY=@token', ...server]);
      const record = readFileSync(join(home, 'kept', 'kept.json'), 'utf8');
      expect(record).not.toContain(SECRET);
      const { pid } = JSON.parse(record) as { pid: number };
      expect(readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')).toContain('keeper');
      expect(readFileSync(`/proc/${pid}/cmdline`, 'utf8')).not.toContain(SECRET);
      expect(readFileSync(join(home, 'host.db')).includes(SECRET)).toBe(false);
      for (const words of [['ls'], ['show', 'kept'], ['timeline'], ['audit', 'ls']])
        expect((await run(words)).stdout).not.toContain(SECRET);
    },
  );
});

describe('a record of a keeper that is gone', () => {
  it('ends no process that has its number now', async () => {
    const { home, run, server } = watched();
    await run(['connect', '--as', 'kept', ...server]);
    const file = join(home, 'kept', 'kept.json');
    const record = readFileSync(file, 'utf8');
    await run(['close', 'kept']);
    const stranger = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
    onTestFinished(() => void stranger.kill('SIGKILL'));
    const { pid = 0 } = stranger;
    for (const words of [['close', 'kept'], ['close', '--all'], ['tools', 'ls', 'kept'], ['ls']]) {
      writeFileSync(file, JSON.stringify({ ...JSON.parse(record), pid }), { mode: 0o600 });
      await run(words);
      expect({ words, isAlive: isAlive(pid), isKept: existsSync(file) }).toEqual({
        words,
        isAlive: true,
        isKept: false,
      });
    }
  });

  it('cannot have a name that is an option or a path', async () => {
    const { run, server } = watched();
    for (const name of ['-x', '--json', '../x', 'a/b', '.x', ''])
      expect({ name, code: (await run(['connect', `--as=${name}`, ...server])).code }).toEqual({ name, code: 1 });
  });
});

describe('every failure', () => {
  it('has an exit code that is not 0, and one line of JSON on stderr', async () => {
    const { home, run } = crosspoint();
    writeFileSync(join(home, 'broken.json'), '{');
    const table: readonly (readonly [number, readonly string[]])[] = [
      [1, ['nonsense']],
      [1, ['tools']],
      [1, ['tools', 'cal']],
      [1, ['tools', 'call', 'nothing', ...DEMO]],
      [1, ['tools', 'call', 'add', 'a=1', ...DEMO]],
      [1, ['tools', 'ls', '--timeout', '1e9', ...DEMO]],
      [1, ['tools', 'ls', 'broken.json#x']],
      [1, ['tools', 'ls', '--insecure', 'https://example.com']],
      [1, ['requests', 'show', 'nothing']],
      [1, ['calls', 'wait', 'nothing']],
      [4, ['tools', 'ls', '--', 'no-such-program-here']],
      [4, ['tools', 'ls', '--', process.execPath, '-e', 'process.exit(0)']],
      [4, ['tools', 'ls', 'http://127.0.0.1:1/mcp']],
      [5, ['tools', 'call', 'fail', ...DEMO]],
      [5, ['tasks', 'get', 'nothing', ...DEMO]],
      [8, ['tools', 'call', 'welcome', ...DEMO]],
      [9, ['tools', 'ls', '--timeout', '0.001', ...DEMO]],
    ];
    for (const [wanted, words] of table) {
      const { code, stdout, stderr } = await run(words);
      expect({ words, code }).toEqual({ words, code: wanted });
      if (stdout !== '') continue;
      expect(JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '').error.exitCode).toBe(wanted);
    }
  });
});

describe.skipIf(process.platform !== 'linux')('a page of a server', () => {
  /** Commands whose browser writes down the addresses that it is given. */
  function withBrowser() {
    const { home, run } = crosspoint();
    const seen = join(home, 'seen');
    writeFileSync(join(home, 'xdg-open'), `#!/bin/sh\nprintf '%s\\n' "$#" "$@" >> ${seen}\n`);
    chmodSync(join(home, 'xdg-open'), 0o755);
    writeFileSync(join(home, 'rules.json'), '{"rules": [{"match": {"kind": "url"}, "answer": {"action": "accept"}}]}');
    const env = { PATH: `${home}${delimiter}${process.env['PATH'] ?? ''}`, DISPLAY: ':0' };
    const visit = (url: string, ...options: string[]) =>
      run(['tools', 'call', 'page', '--rules', 'rules.json', ...options, '--', process.execPath, PAGE, url], { env });
    return { home, visit, seen: () => (existsSync(seen) ? readFileSync(seen, 'utf8') : '') };
  }

  it('is opened as one argument, without a shell; with --no-browser it is printed', async () => {
    const { home, visit, seen } = withBrowser();
    const printed = await visit('https://pay.example/', '--no-browser');
    expect(printed.json().content[0].text).toContain('accept');
    expect(printed.stderr).toMatch(/Open this address in your browser:\s+https:\/\/pay\.example\//);
    expect(seen()).toBe('');
    await visit('https://pay.example/$(touch owned);`touch owned`|touch owned&x=1');
    await vi.waitFor(() => expect(seen().split('\n')[0]).toBe('1'), 5000);
    expect(seen()).toContain('https://pay.example/');
    expect(existsSync(join(home, 'owned'))).toBe(false);
  });

  it('that is no web page is not opened and not printed as one, whoever agrees', async () => {
    const { visit, seen } = withBrowser();
    for (const url of ['javascript:alert(1)', 'file:///etc/passwd', 'ms-calc:x']) {
      const { stdout, stderr } = await visit(url);
      expect({ url, isAccepted: stdout.includes('accept') }).toEqual({ url, isAccepted: false });
      expect(stderr).not.toContain('Open this address');
    }
    expect(seen()).toBe('');
  });
});

it('has a test for each fault of the table', () => {
  const page = readFileSync(new URL('README.md', import.meta.url), 'utf8');
  const rows = [...page.matchAll(/^\| [^|]+ \| `([^`]+)`: (.+) \|$/gm)];
  expect(rows.length).toBe(page.split('\n').filter((line) => /^\| (?!Fault)/.test(line)).length);
  for (const [, file = '', name = ''] of rows) {
    const text = readFileSync(new URL(file, import.meta.url), 'utf8');
    expect({ file, name, isThere: text.includes(name) }).toEqual({ file, name, isThere: true });
  }
});
