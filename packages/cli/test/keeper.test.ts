import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { gone, isAlive, watched } from './watched.ts';

// A test runs many commands, each of which starts a process or two.
vi.setConfig({ testTimeout: 180_000 });

interface Record {
  readonly socket: string;
  readonly token: string;
  readonly pid: number;
  readonly version: string;
}

/** The server, kept as "kept". */
async function kept(...options: string[]) {
  const opened = watched();
  const { home, run, server } = opened;
  expect((await run(['connect', '--as', 'kept', ...options, ...server])).code).toBe(0);
  const file = join(home, 'kept', 'kept.json');
  return { ...opened, file, record: JSON.parse(readFileSync(file, 'utf8')) as Record };
}

/** Sends lines to a socket; what came back until it was closed, or until half a second passed. */
function said(socket: string, lines: readonly object[]): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    const open = connect(socket);
    const end = (): void => {
      open.destroy();
      resolve(text);
    };
    open
      .on('data', (data) => (text += String(data)))
      .once('close', end)
      .on('error', () => {});
    for (const line of lines) open.write(`${JSON.stringify(line)}\n`);
    setTimeout(end, 500);
  });
}

describe('a keeper', () => {
  it.skipIf(process.platform === 'win32')(
    'has a socket and a record for its user alone, in a folder of its own',
    async () => {
      const { home, run, file, record } = await kept();
      for (const path of [record.socket, file]) expect(statSync(path).mode & 0o777).toBe(0o600);
      expect(statSync(join(home, 'kept')).mode & 0o777).toBe(0o700);
      chmodSync(join(home, 'kept'), 0o777);
      const open = await run(['connect', '--as', 'other', '--', process.execPath]);
      expect({ code: open.code, hint: open.error().hint }).toEqual({
        code: 2,
        hint: expect.stringContaining('chmod 700'),
      });
      chmodSync(join(home, 'kept'), 0o700);
    },
  );

  it('does nothing for those who do not know its token', async () => {
    const { run, record, lines } = await kept();
    const { token, socket, version } = record;
    const call = { id: 1, operation: 'tools.call', params: { tool: 'echo', arguments: { text: 'x' }, call: 'c' } };
    expect(await said(socket, [call])).toBe('');
    expect(await said(socket, [{ hello: 'wrong', version }, call])).toBe('');
    expect(await said(socket, [{ hello: token.slice(0, -1), version }, call])).toBe('');
    expect(await said(socket, [{ hello: [token], version: 1 }, { end: true }])).not.toContain('result');
    expect(lines().filter((line) => line.startsWith('called'))).toEqual([]);
    expect(await said(socket, [{ hello: token, version }, call])).toContain('"result"');
    expect((await run(['ls'])).code).toBe(0);
  });

  it('that was killed leaves no server, and the next commands work', async () => {
    const { run, server, record, pids } = await kept();
    process.kill(record.pid, 'SIGKILL');
    await gone([record.pid, ...pids()]);
    const lost = await run(['tools', 'call', 'kept', 'echo', 'text=x']);
    expect({ code: lost.code, message: lost.error().message }).toEqual({
      code: 1,
      message: expect.stringContaining('no server "kept"'),
    });
    expect((await run(['ls'])).json()).toEqual({ connections: [] });
    expect((await run(['connect', '--as', 'kept', ...server])).code).toBe(0);
    expect((await run(['tools', 'call', 'kept', 'echo', 'text=x'])).code).toBe(0);
  });

  it('ends by itself, with its server, when nobody uses it; not while a call goes on', async () => {
    const { home, run, record, pids, logged } = await kept('--idle', '1');
    // The command leaves the call: its result stays.
    const { socket, token, version } = record;
    const call = { id: 1, operation: 'tools.call', params: { tool: 'slow', arguments: {}, call: 'left' } };
    await said(socket, [{ hello: token, version }, call, { park: true }]);
    await logged('called slow {}');
    await pause(2500);
    expect((await run(['calls', 'ls'])).json().calls).toMatchObject([{ id: 'left', state: 'running' }]);
    expect((await run(['calls', 'cancel', 'left'])).code).toBe(0);
    await gone([record.pid, ...pids()]);
    expect(readdirSync(join(home, 'kept'))).toEqual([]);
  });

  it('that is closed while calls go on ends at once, with its server', async () => {
    const { run, record, pids, logged } = await kept();
    const { socket, token, version } = record;
    const call = { id: 1, operation: 'tools.call', params: { tool: 'slow', arguments: {}, call: 'left' } };
    await said(socket, [{ hello: token, version }, call, { park: true }]);
    await logged('called slow {}');
    const waiting = run(['calls', 'wait', 'left']);
    await pause(500);
    expect((await run(['close', 'kept'])).code).toBe(0);
    await gone([record.pid, ...pids()]);
    expect((await waiting).code).not.toBe(0);
  });

  it('serves several commands at once, each with its own answer', async () => {
    const { run } = await kept();
    const words = Array.from({ length: 6 }, (_, at) => `word-${at}`);
    const ended = await Promise.all(
      words.map((word, at) => run(['tools', 'call', 'kept', 'echo', `text=${word}`, `ms=${(6 - at) * 50}`])),
    );
    expect(ended.map(({ json }) => json().content[0].text)).toEqual(words);
    const slow = run(['tools', 'call', 'kept', 'slow', '--timeout', '4']);
    expect((await run(['tools', 'call', 'kept', 'echo', 'text=meanwhile'])).code).toBe(0);
    expect((await slow).code).toBe(9);
  });

  it('is one for a name, also where two commands open it at once', async () => {
    const { run, server, pids } = watched();
    const both = await Promise.all([1, 2].map(() => run(['connect', '--as', 'kept', ...server])));
    expect(both.map(({ code }) => code).sort()).toEqual([0, 1]);
    expect((await run(['ls'])).json().connections).toHaveLength(1);
    await expect.poll(() => pids().filter(isAlive).length, { timeout: 15_000 }).toBe(1);
  });

  it('of another version is not spoken to', async () => {
    const { run, file, record } = await kept();
    writeFileSync(file, JSON.stringify({ ...record, version: '0.0.1' }));
    const other = await run(['tools', 'ls', 'kept']);
    expect({ code: other.code, message: other.error().message }).toEqual({
      code: 1,
      message: expect.stringContaining('is kept by crosspoint 0.0.1'),
    });
    writeFileSync(file, JSON.stringify(record));
  });
});
