import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { CTRL_C, CTRL_D, hasTerminal, Terminal } from '../../packages/cli/test/shell/terminal.ts';

const PROGRAM = fileURLToPath(new URL('../dist/start/main.js', import.meta.url));
const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const REVISIONS = ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];
const SERVERS = ['explorer', 'echo', 'asking', 'demo', 'weather', 'reports', 'shop'];
const WAIT = { timeout: 60_000, interval: 20 };

/** A folder for temporary files, so that a test sees what is left in it. */
function ownFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'start-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function started(env: Readonly<Record<string, string>>): { child: ChildProcess; output: () => string } {
  const child = spawn(process.execPath, [PROGRAM], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
  return { child, output: () => text };
}

/** The processes that were started by a process, and by those; none where there is no /proc. */
function startedBy(pid: number): readonly number[] {
  const file = `/proc/${pid}/task/${pid}/children`;
  const children = existsSync(file) ? (readFileSync(file, 'utf8').match(/\d+/g) ?? []) : [];
  return children.map(Number).flatMap((child) => [child, ...startedBy(child)]);
}

const isAlive = (pid: number): boolean => existsSync(`/proc/${pid}`);

function post(url: string, message: object): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...message }),
  });
}

describe('npm start without a terminal', { timeout: 90_000 }, () => {
  it('takes the next free port, tours every revision, serves with a host, and ends when interrupted, leaving nothing', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    onTestFinished(() => void taken.close());
    const { port } = taken.address() as AddressInfo;
    const folder = ownFolder();
    const { child, output } = started({ PORT: String(port), TMPDIR: folder });
    await vi.waitFor(() => expect(output()).toContain('Ready.'), WAIT);
    const [first = '', next] = output().split('\n');
    expect(first).toMatch(/^Crosspoint: .*serves them until it is interrupted\. Ctrl-C ends it\.$/);
    expect(next).toBe(`Port ${port} is taken.`);
    for (const revision of REVISIONS) {
      expect(output()).toContain(`\n${revision}  (`);
      expect(output()).toMatch(new RegExp(`^  demo-${revision} +${revision} .* 5 tools$`, 'm'));
    }
    expect(output().match(/progress 1 2 3 4 5/g)).toHaveLength(REVISIONS.length);
    for (const name of SERVERS) expect(output()).toMatch(new RegExp(`^  ${name} +${REVISIONS[0]} `, 'm'));
    expect(output().trimEnd().split('\n').at(-1)).toMatch(/^Try next, /);
    const [url = ''] = /http:\/\/127\.0\.0\.1:\d+\/mcp/.exec(output()) ?? [];
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } };
    expect((await post(url, { method: 'initialize', params })).status).toBe(200);
    const children = startedBy(child.pid ?? 0);
    if (process.platform === 'linux') expect(children.length).toBeGreaterThanOrEqual(3);
    child.kill('SIGINT');
    expect(await once(child, 'exit')).toEqual([0, null]);
    await vi.waitFor(() => expect(children.filter(isAlive)).toEqual([]), { timeout: 10_000 });
    expect(readdirSync(folder)).toEqual([]);
  });

  it('ends also when it is interrupted during the tour', async () => {
    const folder = ownFolder();
    const { child, output } = started({ PORT: '0', TMPDIR: folder });
    await vi.waitFor(() => expect(output()).toContain('capabilities'), WAIT);
    const since = performance.now();
    child.kill('SIGINT');
    expect(await once(child, 'exit')).toEqual([0, null]);
    expect(performance.now() - since).toBeLessThan(20_000);
    expect(output()).not.toContain('Ready.');
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe.skipIf(!hasTerminal)('npm start at a terminal', { timeout: 90_000 }, () => {
  const open = (folder: string): Terminal => new Terminal([PROGRAM], { PORT: '0', TMPDIR: folder }, ROOT);

  it('leaves a prompt with every example, and ends with exit', async () => {
    const folder = ownFolder();
    const terminal = open(folder);
    await terminal.shows('leaves a prompt for all of them. Ctrl-C ends it.');
    await terminal.shows('Ready.');
    await terminal.shows('Try: tools ls explorer');
    await terminal.line(' tools call explorer query sql="select count(*) as n from songs"');
    await terminal.shows('"n":5');
    await terminal.line(' tools call demo-2024-11-05 add a=1 b=2');
    await terminal.shows('"sum":3');
    await terminal.line(' connect demo --as kept');
    await terminal.shows('speaks');
    await terminal.line(' exit');
    await terminal.shows('Ended: kept');
    expect(await terminal.ended).toBe(0);
    expect(readdirSync(folder)).toEqual([]);
  });

  it.each([
    ['Ctrl-C', CTRL_C],
    ['Ctrl-D', CTRL_D],
  ])('ends at %s', async (_, key) => {
    const folder = ownFolder();
    const terminal = open(folder);
    await terminal.shows('crosspoint> ');
    const children = startedBy(terminal.pid);
    await new Promise((resolve) => setTimeout(resolve, 600));
    terminal.press(key);
    expect(await terminal.ended).toBe(0);
    await vi.waitFor(() => expect(children.filter(isAlive)).toEqual([]), { timeout: 10_000 });
    expect(readdirSync(folder)).toEqual([]);
  });
});
