import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { LogLines } from '../../src/server/offers/log-lines.ts';
import { broken, crosspoint, EVERYTHING, OFFERING } from '../crosspoint.ts';
import { shown } from './shown.ts';

const ofLog = (lines: readonly { source: string; data?: unknown }[]): unknown[] =>
  lines.filter(({ source }) => source === 'log').map(({ data }) => data);

describe.each(['handshake', 'per-request'] as const)('logs of a %s server', (family) => {
  it('are kept, followed and chosen by level, together with its stderr', async () => {
    const { home, run } = crosspoint();
    await run(['connect', '--as', 'o', '--family', family, ...OFFERING]);
    const say = (level: string, what: string) => run(['tools', 'call', 'o', 'say', `level=${level}`, `what=${what}`]);
    expect((await run(['logs', 'level', 'o', 'warning'])).json()).toEqual({
      level: 'warning',
      by: family === 'handshake' ? 'session' : 'request',
    });
    await say('info', 'unheard');
    await say('error', 'heard \u001B[31m');
    await run(['tools', 'call', 'o', 'complain', 'what=oops \u001B[2J']);
    const past = await run(['logs', 'tail', 'o', '--last', '2', '--no-follow']);
    const lines = past.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines).toEqual([
      { at: expect.any(String), source: 'log', level: 'error', logger: 'speaker', data: 'heard \u001B[31m' },
      { at: expect.any(String), source: 'stderr', line: 'oops \u001B[2J' },
    ]);
    const words = await run(['logs', 'tail', 'o', '--no-follow', '--text']);
    expect(words.stdout).toMatch(
      /Z stderr ready\n.*Z error speaker: heard \\u\{1b\}\[31m\n.*Z stderr oops \\u\{1b\}\[2J\n$/,
    );
    const tail = shown(home, [
      'logs',
      'tail',
      'o',
      '--last',
      '0',
      '--source',
      'log',
      '--level',
      'error',
      '--count',
      '2',
    ]);
    await tail.says(/Following/);
    await run(['tools', 'call', 'o', 'complain', 'what=stderr']);
    for (const level of ['warning', 'error', 'critical', 'alert']) await say(level, level);
    expect(await tail.ended).toMatchObject({ code: 0, lines: [{ data: 'error' }, { data: 'critical' }] });
  });

  it('follow a program until Ctrl-C, which is a normal end and leaves nothing running', async () => {
    const { home } = crosspoint();
    const file = join(home, 'pid');
    const tail = shown(home, ['logs', 'tail', '--family', family, ...OFFERING, file]);
    await tail.prints(/ready/);
    tail.interrupt();
    expect(await tail.ended).toMatchObject({ code: 0, lines: [{ source: 'stderr', line: 'ready' }] });
    const pid = Number(readFileSync(file, 'utf8'));
    await vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow('ESRCH'), { timeout: 5000 });
  });
});

describe('crosspoint logs', () => {
  it('refuses wrong words and numbers, and a level where the server has no logs', async () => {
    const { run } = crosspoint();
    await run(['connect', '--as', 'bare', ...broken('none')]);
    for (const words of [
      ['level', 'bare', 'loud'],
      ['level', 'bar', 'debug'],
      ['tail', 'bare', '--last', '1001'],
      ['tail', 'bare', '--last', '-1'],
      ['tail', 'bare', '--count', '0'],
      ['tail', 'bare', '--count', '2.5'],
      ['tail', 'bare', '--source', 'stdout'],
    ])
      expect({ words, code: (await run(['logs', ...words])).code }).toEqual({ words, code: 1 });
    expect((await run(['logs', 'level', 'bare', 'debug'])).error()).toMatchObject({
      exitCode: 1,
      message: expect.stringContaining('no capability "logging"'),
    });
    expect(await run(['logs', 'tail', 'bare', '--no-follow'])).toMatchObject({ code: 0, stdout: '' });
    expect((await run(['logs', 'tail', 'bare', '--timeout', '0.5'])).code).toBe(9);
  });

  it('keeps the level of a server that was started anew', async () => {
    const { home, run } = crosspoint();
    const file = join(home, 'pid');
    await run(['connect', '--as', 'o', '--family', 'handshake', ...OFFERING, file]);
    await run(['logs', 'level', 'o', 'error']);
    const pid = readFileSync(file, 'utf8');
    process.kill(Number(pid), 'SIGKILL');
    await vi.waitFor(() => expect(readFileSync(file, 'utf8')).not.toBe(pid), { timeout: 20_000 });
    await vi.waitFor(async () => expect((await run(['tools', 'call', 'o', 'grow'])).code).toBe(0), { timeout: 20_000 });
    for (const level of ['info', 'error']) await run(['tools', 'call', 'o', 'say', `level=${level}`, `what=${level}`]);
    const { stdout } = await run(['logs', 'tail', 'o', '--source', 'log', '--no-follow']);
    expect(
      ofLog(
        stdout
          .trimEnd()
          .split('\n')
          .map((line) => JSON.parse(line)),
      ),
    ).toEqual(['error']);
  });

  it('follows the reference server', async () => {
    const { home, run } = crosspoint();
    await run(['connect', '--as', 'ev', ...EVERYTHING]);
    await run(['logs', 'level', 'ev', 'debug']);
    const tail = shown(home, [
      'logs',
      'tail',
      'ev',
      '--count',
      '1',
      '--source',
      'log',
      '--last',
      '0',
      '--timeout',
      '30',
    ]);
    await tail.says(/Following/);
    await run(['tools', 'call', 'ev', 'toggle-simulated-logging']);
    expect(await tail.ended).toMatchObject({ code: 0, lines: [{ source: 'log', data: expect.any(String) }] });
  });
});

describe('a keeper', () => {
  it('ends when it is closed while a command follows it, and so does the command', async () => {
    const { home, run } = crosspoint();
    await run(['connect', '--as', 'o', ...OFFERING]);
    const { pid } = JSON.parse(readFileSync(join(home, 'kept', 'o.json'), 'utf8'));
    const tail = shown(home, ['logs', 'tail', 'o']);
    await tail.prints(/ready/);
    await run(['close', 'o']);
    expect((await tail.ended).code).toBe(4);
    await vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow('ESRCH'), { timeout: 10_000 });
  });

  it('leaves lines out for a command that does not read, and says how many', { timeout: 90_000 }, async () => {
    const { home, run } = crosspoint();
    await run(['connect', '--as', 'o', ...OFFERING]);
    const { socket: path, token, version } = JSON.parse(readFileSync(join(home, 'kept', 'o.json'), 'utf8'));
    const socket = connect(path);
    let told = '';
    const send = (line: object): boolean => socket.write(`${JSON.stringify(line)}\n`);
    send({ hello: token, version });
    send({ id: 1, operation: 'logs.follow', params: { last: 0, follow: true } });
    await pause(300);
    // Nothing reads the socket: about 20 MB of lines, of which some 8 MB wait.
    await run(['tools', 'call', 'o', 'flood', 'lines=10000']);
    const lastLine = async (): Promise<string> =>
      (await run(['logs', 'tail', 'o', '--last', '1', '--no-follow'])).stdout;
    await vi.waitFor(async () => expect((await lastLine()).includes('"line":"9999.')).toBe(true), { timeout: 30_000 });
    socket.setEncoding('utf8').on('data', (text: string) => (told += text));
    const isTold = (text: RegExp): boolean => text.test(told.slice(-1000));
    await vi.waitFor(() => expect(isTold(/"type":"note","text":"\d+ lines were left out/)).toBe(true), {
      timeout: 30_000,
    });
    expect(told.length).toBeLessThan(12_000_000);
    await run(['tools', 'call', 'o', 'complain', 'what=last']);
    await vi.waitFor(() => expect(isTold(/"line":"last"/)).toBe(true), { timeout: 20_000 });
    socket.destroy();
  });
});

describe('the lines of a server', () => {
  const line = (text: string) => ({ type: 'stderr', at: '', line: text }) as const;

  it('are the last thousand, and of bounded size', () => {
    const lines = new LogLines();
    for (let number = 0; number < 1500; number += 1) lines.add(line(String(number)));
    expect(lines.last(2000)).toHaveLength(1000);
    expect(lines.last(2)).toEqual([line('1498'), line('1499')]);
    expect(lines.last(0)).toEqual([]);
    const large = 'x'.repeat(1024 * 1024);
    for (let number = 0; number < 10; number += 1) lines.add(line(large));
    expect(lines.last(1000)).toHaveLength(3);
    lines.add(line(large.repeat(5)));
    expect(lines.last(1000)).toEqual([line(large.repeat(5))]);
  });
});
