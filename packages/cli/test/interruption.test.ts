import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it, vi } from 'vitest';
import { atTerminal, hasTerminal } from './at-terminal.ts';
import { PROGRAM } from './crosspoint.ts';
import { gone, isAlive, watched } from './watched.ts';

// A test runs many commands, each of which starts a process or two.
vi.setConfig({ testTimeout: 180_000 });

describe.each(['handshake', 'per-request'])('Ctrl-C, %s family', (family) => {
  it.each(['slow', 'parent'])('cancels a call (%s) at the server, and leaves no process', async (tool) => {
    const { run, server, lines, pids } = watched();
    const words = ['tools', 'call', tool, '--text', '--family', family, ...server];
    const { code, stdout } = await run(words, { interruptAt: '1/2 half' });
    expect({ code, stdout }).toEqual({ code: 130, stdout: '' });
    if (tool === 'slow') expect(lines()).toContain('cancelled');
    expect(pids()).toHaveLength(tool === 'slow' ? 1 : 2);
    await gone(pids());
  });

  it('cancels a call on a kept connection at the server, which goes on for the next command', async () => {
    const { run, server, logged, pids } = watched();
    await run(['connect', '--as', 'kept', '--family', family, ...server]);
    const { code } = await run(['tools', 'call', 'kept', 'slow', '--text'], { interruptAt: '1/2 half' });
    expect(code).toBe(130);
    await logged('cancelled');
    expect((await run(['calls', 'ls'])).json()).toEqual({ calls: [] });
    expect((await run(['tools', 'call', 'kept', 'echo', 'text=on'])).json().content[0].text).toBe('on');
    expect(pids()).toHaveLength(1);
    await run(['close', 'kept']);
    await gone(pids());
  });

  it('--timeout does the same, with 9', async () => {
    const { run, server, lines, logged, pids } = watched();
    expect((await run(['tools', 'call', 'slow', '--timeout', '3', '--family', family, ...server])).code).toBe(9);
    expect(lines()).toContain('cancelled');
    await gone(pids());
    await run(['connect', '--as', 'kept', '--family', family, ...server]);
    expect((await run(['tools', 'call', 'kept', 'slow', '--timeout', '1'])).code).toBe(9);
    await logged('cancelled');
  });
});

describe('the end of a command', () => {
  it.each(['SIGTERM', 'SIGHUP'] as const)('by %s is in order, too', async (signal) => {
    const { home, server, logged, pids } = watched();
    const child = spawn(process.execPath, [PROGRAM, 'tools', 'call', 'slow', ...server], {
      env: { ...process.env, CROSSPOINT_HOME: home },
      stdio: 'ignore',
    });
    await logged('called slow {}');
    child.kill(signal);
    expect((await once(child, 'close'))[0]).toBe(130);
    await logged('cancelled');
    await gone(pids());
  });

  it('by SIGKILL leaves no server; a keeper cancels the call of a command that was killed', async () => {
    const { home, run, server, logged, lines, pids } = watched();
    const begin = (words: readonly string[]) =>
      spawn(process.execPath, [PROGRAM, 'tools', 'call', ...words], {
        env: { ...process.env, CROSSPOINT_HOME: home },
        stdio: 'ignore',
      });
    const own = begin(['slow', ...server]);
    await logged('called slow {}');
    own.kill('SIGKILL');
    await gone(pids());
    await run(['connect', '--as', 'kept', ...server]);
    const before = lines().length;
    const kept = begin(['kept', 'slow']);
    await expect.poll(() => lines().length, { timeout: 15_000 }).toBe(before + 1);
    kept.kill('SIGKILL');
    await expect.poll(() => lines().at(-1), { timeout: 15_000 }).toBe('cancelled');
    expect(pids().filter(isAlive)).toHaveLength(1);
  });

  it.skipIf(!hasTerminal)('by Ctrl-C at a terminal takes the bar of progress away', async () => {
    const { home, server, pids } = watched();
    const { code, screen } = await atTerminal(['tools', 'call', 'slow', ...server], {
      home,
      typed: [['1/2 half', '\u0003']],
    });
    expect({ code, screen }).toEqual({ code: 130, screen: expect.stringContaining('Interrupted.') });
    await gone(pids());
  });
});
