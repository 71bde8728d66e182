import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { crosspoint } from '../crosspoint.ts';
import { configureDemo, isAlive } from './places.ts';
import { CTRL_C, CTRL_D, hasTerminal, PROGRAM, Terminal, UP } from './terminal.ts';

const gone = (pids: readonly number[]): Promise<void> =>
  vi.waitFor(() => expect(pids.filter(isAlive)).toEqual([]), { timeout: 10_000, interval: 20 });

describe.skipIf(!hasTerminal)('crosspoint shell at a terminal', { timeout: 60_000 }, () => {
  const open = (home: string, ...words: string[]): Terminal =>
    new Terminal([PROGRAM, 'shell', ...words], { CROSSPOINT_HOME: home }, home);

  it('carries out lines with one connection, goes on after a wrong one, and ends everything with exit', async () => {
    const { home } = crosspoint();
    const started = configureDemo(home);
    const terminal = open(home, 'demo');
    await terminal.shows('demo  2026-07-28  5 tools');
    await terminal.line('tools call demo add a=1 b=2');
    await terminal.shows('"sum":3');
    await terminal.line('tools call demo save_note text="two words"');
    await terminal.shows('Saved.');
    await terminal.line('tools cal demo');
    await terminal.shows('There is no command "tools cal".');
    await terminal.line('tools call demo add a="1');
    await terminal.shows('The quote " is not closed');
    await terminal.line('crosspoint ls');
    await terminal.shows('demo');
    await terminal.line('bridge demo');
    await terminal.shows('bridge needs a process of its own');
    expect(started()).toHaveLength(1);
    expect(started().every(isAlive)).toBe(true);
    await terminal.line('exit');
    expect(await terminal.ended).toBe(0);
    await gone(started());
  });

  it('completes commands, servers, tools, arguments and files', async () => {
    const { home } = crosspoint();
    configureDemo(home);
    writeFileSync(join(home, 'arguments.json'), '{"a":20,"b":22}');
    const terminal = open(home, 'demo');
    await terminal.shows('crosspoint> ');
    for (const [keys, shown] of [
      ['too\t', 'tools '],
      ['ca\t', 'tools call '],
      ['de\t', 'tools call demo '],
      ['ad\t', 'tools call demo add '],
      ['--ar\t', 'tools call demo add --args '],
      ['argum\t', 'tools call demo add --args arguments.json '],
    ] as const) {
      terminal.press(keys);
      await terminal.shows(shown.trimEnd().split(' ').at(-1) ?? '');
    }
    terminal.press('\r');
    await terminal.shows('"sum":42');
    await terminal.shows('crosspoint> ');
    terminal.press('tools call demo add \t\t');
    await terminal.shows('a=');
    await terminal.shows('b=');
    terminal.press(CTRL_C);
    await terminal.line('exit');
    expect(await terminal.ended).toBe(0);
  });

  it('cancels the command at Ctrl-C, not the prompt, and the connection stays', async () => {
    const { home } = crosspoint();
    const started = configureDemo(home);
    const terminal = open(home, 'demo');
    await terminal.line('tools call demo count to=100 pauseMs=1000');
    await terminal.shows('1 of 100');
    terminal.press(CTRL_C);
    await terminal.shows('Interrupted');
    await terminal.line('tools call demo add a=1 b=2');
    await terminal.shows('"sum":3');
    expect(started()).toHaveLength(1);
    await terminal.shows('crosspoint> ');
    terminal.press(CTRL_D);
    expect(await terminal.ended).toBe(0);
    await gone(started());
  });

  it('opens a server anew that has ended, and goes by a policy that was written meanwhile', async () => {
    const { home } = crosspoint();
    const started = configureDemo(home);
    const terminal = open(home, 'demo');
    await terminal.shows('crosspoint> ');
    const [first = 0] = started();
    process.kill(first, 'SIGKILL');
    await gone([first]);
    terminal.press('tools call demo add a=1 b=2\r');
    await terminal.shows('"sum":3');
    await terminal.shows('crosspoint> ');
    writeFileSync(
      join(home, 'policy.json'),
      '{ "rules": [{ "effect": "deny", "tool": "add", "reason": "No sums." }] }',
    );
    terminal.press('tools call demo add a=1 b=2\r');
    await terminal.shows('No sums.');
    await terminal.line('exit');
    expect(await terminal.ended).toBe(0);
    await gone(started());
  });

  it('leaves the terminal to a command that asks, and goes on when the question is cancelled', async () => {
    const { home } = crosspoint();
    writeFileSync(join(home, '.mcp.json'), '{ "mcpServers": { "x": { "command": "true" } } }');
    const terminal = open(home);
    await terminal.line('trust grant .mcp.json');
    await terminal.shows('[y/N]');
    terminal.press(CTRL_C);
    await terminal.line('trust grant .mcp.json');
    await terminal.shows('[y/N]');
    terminal.press('y\r');
    await terminal.line('trust ls');
    await terminal.shows('.mcp.json');
    await terminal.line('exit');
    expect(await terminal.ended).toBe(0);
  });

  it('brings a question of a server to the terminal, and the prompt back', async () => {
    const { home } = crosspoint();
    configureDemo(home);
    const terminal = open(home, 'demo');
    await terminal.line('tools call demo welcome');
    await terminal.shows('What is your name?');
    await terminal.shows('[answer / decline / cancel] ');
    terminal.press('answer\r');
    await terminal.shows('name (required');
    terminal.press('Ada\r');
    await terminal.shows('[send / change / decline / cancel] ');
    terminal.press('send\r');
    await terminal.shows('Welcome, Ada!');
    await terminal.line('exit');
    expect(await terminal.ended).toBe(0);
  });

  it('gives up the line at Ctrl-C, and ends at Ctrl-C on an empty one', async () => {
    const { home } = crosspoint();
    const started = configureDemo(home);
    const terminal = open(home, 'demo');
    await terminal.shows('crosspoint> ');
    terminal.press('tools call demo fail');
    await terminal.shows('fail');
    terminal.press(CTRL_C);
    await terminal.shows('crosspoint> ');
    await new Promise((resolve) => setTimeout(resolve, 600));
    terminal.press(CTRL_C);
    expect(await terminal.ended).toBe(0);
    expect(terminal.screen).not.toContain('always fails');
    await gone(started());
  });

  it('carries out lines that are pasted together', async () => {
    const { home } = crosspoint();
    configureDemo(home);
    const terminal = open(home, 'demo');
    await terminal.shows('crosspoint> ');
    terminal.press('tools call demo add a=1 b=2\rtools call demo add a=3 b=4\rexi');
    await terminal.shows('"sum":3');
    await terminal.shows('"sum":7');
    await terminal.shows('crosspoint> exi');
    terminal.press('t\r');
    expect(await terminal.ended).toBe(0);
  });

  it('has a history for the user alone, without secrets', async () => {
    const { home } = crosspoint();
    configureDemo(home);
    const first = open(home);
    await first.line('tools call demo add a=1 b=2');
    await first.line('tools call demo login password=hunter2');
    await first.line(' tools ls demo');
    await first.line('exit');
    await first.ended;
    const file = join(home, 'history');
    expect(readFileSync(file, 'utf8')).toBe('tools call demo add a=1 b=2\nexit\n');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const second = open(home);
    await second.shows('crosspoint> ');
    second.press(`${UP}${UP}\r`);
    await second.shows('"sum":3');
    await second.line('exit');
    await second.ended;
  });
});

describe('crosspoint shell without a terminal', { timeout: 60_000 }, () => {
  it('carries out the lines of stdin with one connection, and exits with the code of the first that failed', async () => {
    const { home, run } = crosspoint();
    const started = configureDemo(home);
    const input =
      'tools call demo add a=1 b=2\n# a comment\n\ntools call demo fail\nnonsense\ntools call demo add a=2 b=2\n';
    const { code, stdout, stderr } = await run(['shell'], { input });
    expect(code).toBe(5);
    const results = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(results.map(({ structuredContent, isError }) => isError ?? structuredContent)).toEqual([
      { sum: 3 },
      true,
      { sum: 4 },
    ]);
    expect(stderr).toContain('There is no command');
    expect(started()).toHaveLength(1);
    await gone(started());
  });

  it('opens a server anew when its configuration has changed, and ends one that was removed', async () => {
    const { home, run } = crosspoint();
    const started = configureDemo(home);
    const input = [
      'tools call demo add a=1 b=2',
      'servers disable demo',
      'tools call demo add a=1 b=2',
      'servers enable demo',
      'tools call demo add a=3 b=4',
      'servers rm demo',
      'tools call demo add a=1 b=2',
      'ls',
    ].join('\n');
    const { stdout, stderr } = await run(['shell'], { input });
    expect(started()).toHaveLength(2);
    expect(stderr).toContain('switched off');
    expect(stderr).toContain('There is no server \\"demo\\"');
    expect(stdout).toContain('"sum":7');
    expect(stdout.trimEnd().endsWith('{"connections":[]}')).toBe(true);
  });

  it('shows what led to what on its own connections', async () => {
    const { home, run } = crosspoint();
    configureDemo(home);
    const { stdout } = await run(['shell'], { input: 'tools call demo add a=1 b=2\ntimeline demo\n' });
    const { connections } = JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
    expect(connections).toMatchObject([
      { name: 'demo', spans: expect.arrayContaining([expect.objectContaining({ kind: 'call', server: 'demo' })]) },
    ]);
  });

  it('ends a connection that is closed, and opens it anew when it is named again', async () => {
    const { home, run } = crosspoint();
    const started = configureDemo(home);
    const { stdout } = await run(['shell', 'demo'], {
      input: 'close demo\nls\nclose --all\ntools call demo add a=1 b=2\n',
    });
    const [closed = '', listed = '', none = '', called = ''] = stdout.split('\n');
    expect([closed, listed, none].map((line) => JSON.parse(line))).toEqual([
      { closed: ['demo'] },
      { connections: [] },
      { closed: [] },
    ]);
    expect(JSON.parse(called).structuredContent).toEqual({ sum: 3 });
    expect(started()).toHaveLength(2);
  });

  it('does not use stdin for anything but lines', async () => {
    const { home, run } = crosspoint();
    configureDemo(home);
    const { code, error } = await run(['shell'], { input: 'tools call demo add --args -\n' });
    expect(code).toBe(1);
    expect(error().message).toContain('stdin belongs to the shell');
  });

  it('tells of a server that cannot be opened, and opens the others', async () => {
    const { home, run } = crosspoint();
    configureDemo(home);
    const { code, stdout, stderr } = await run(['shell', 'demo', 'none'], { input: 'ls' });
    expect(code).toBe(0);
    expect(stderr).toContain('There is no server');
    expect(JSON.parse(stdout).connections).toMatchObject([{ name: 'demo' }]);
  });
});
