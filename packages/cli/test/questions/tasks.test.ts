import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { crosspoint } from '../crosspoint.ts';

// A test runs many commands, each of which starts a process or two.
vi.setConfig({ testTimeout: 180_000 });

const TASKS = fileURLToPath(new URL('../programs/task-server.mjs', import.meta.url));

const textOf = ({ json }: { json: () => any }): string => json().content[0].text;

/** The task server over HTTP. */
async function overHttp(revision: string): Promise<string> {
  const child = spawn(process.execPath, [TASKS, '--http', '--revisions', revision], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill());
  const port = await new Promise((resolve) =>
    child.stdout.once('data', (data: Buffer) => resolve(String(data).trim())),
  );
  return `http://127.0.0.1:${String(port)}/mcp`;
}

describe.each(['2025-11-25', '2026-07-28'])('crosspoint tasks, %s', (revision) => {
  async function kept() {
    const { home, run } = crosspoint();
    const log = join(home, 'cancelled');
    await run(['connect', '--as', 'jobs', '--', process.execPath, TASKS, '--revisions', revision, '--log', log]);
    const start = async (...words: string[]): Promise<string> =>
      (await run(['tools', 'call', 'jobs', ...words, '--task'])).json().taskId;
    return { run, start, log };
  }

  it('begins one, finds it in later commands, shows its status and gives its result, more than once', async () => {
    const { run, start } = await kept();
    const begun = await run(['tools', 'call', 'jobs', 'report', 'year=2026', '--task', '--ttl', '60']);
    expect(begun.json()).toMatchObject({ status: 'working', tool: 'report', arguments: { year: 2026 }, requests: [] });
    expect(begun.stderr).toContain(`crosspoint tasks wait jobs ${begun.json().taskId}`);
    const id = begun.json().taskId;
    const listed = (await run(['tasks', 'ls'])).json().tasks;
    expect(listed).toMatchObject([{ connection: 'jobs', taskId: id, tool: 'report' }]);
    expect(textOf(await run(['tasks', 'wait', 'jobs', id]))).toBe('report 2026, as a task');
    expect(textOf(await run(['tasks', 'wait', 'jobs', id]))).toBe('report 2026, as a task');
    expect((await run(['tasks', 'get', 'jobs', id])).json()).toMatchObject({ taskId: id, status: 'completed' });
    const late = await start('report', 'year=2027');
    const waited = await run(['tasks', 'wait', 'jobs', late, '--text']);
    expect(waited.stdout).toBe('report 2027, as a task\n');
    expect(waited.stderr).not.toContain('\u001B[31m');
    expect((await run(['tasks', 'get', 'jobs', 'nothing'])).code).toBe(5);
    expect((await run(['__complete', 'tasks', 'wait', 'jobs', ''])).stdout).toContain(id);
  });

  it('answers the question of a task, by fields, by a no, and by the inbox', async () => {
    const { run, start } = await kept();
    const asking = async (): Promise<string> => {
      const id = await start('publish');
      await vi.waitFor(async () => expect((await run(['tasks', 'get', 'jobs', id])).json().requests).toHaveLength(1), {
        timeout: 10_000,
      });
      return id;
    };
    const first = await asking();
    const waiting = await run(['tasks', 'wait', 'jobs', first]);
    expect({ code: waiting.code, hint: waiting.error().hint }).toEqual({
      code: 8,
      hint: expect.stringContaining('crosspoint requests answer'),
    });
    expect((await run(['tasks', 'answer', 'jobs', first, 'ok=perhaps'])).code).toBe(1);
    expect((await run(['tasks', 'answer', 'jobs', first])).code).toBe(1);
    expect((await run(['tasks', 'answer', 'jobs', first, 'ok=true'])).json().taskId).toBe(first);
    expect(textOf(await run(['tasks', 'wait', 'jobs', first]))).toBe(
      'publish: {"action":"accept","content":{"ok":true,"title":"News"}}',
    );
    expect((await run(['tasks', 'answer', 'jobs', first, 'ok=true'])).error().message).toContain('asks nothing');
    expect(textOf(await run(['tasks', 'answer', 'jobs', await asking(), '--decline', '--wait']))).toContain('decline');
    await asking();
    const [{ id }] = (await run(['requests', 'ls'])).json().requests;
    expect(textOf(await run(['requests', 'answer', id, 'ok=false', '--wait']))).toContain('"ok":false');
  });

  it('cancels one: the server is told', async () => {
    const { run, start, log } = await kept();
    const id = await start('endless');
    const left = await run(['tasks', 'wait', 'jobs', id, '--timeout', '1']);
    expect({ code: left.code, stderr: left.stderr }).toEqual({
      code: 9,
      stderr: expect.stringContaining('The task goes on'),
    });
    expect(existsSync(log)).toBe(false);
    expect((await run(['tasks', 'cancel', 'jobs', id])).json().taskId).toBe(id);
    await vi.waitFor(() => expect(readFileSync(log, 'utf8')).toBe('cancelled\n'), 10_000);
    await vi.waitFor(async () => expect((await run(['tasks', 'get', 'jobs', id])).json().status).toBe('cancelled'), {
      timeout: 10_000,
    });
    expect((await run(['tasks', 'wait', 'jobs', id])).code).toBe(5);
    expect((await run(['tasks', 'cancel', 'jobs', id])).code).toBe(5);
  });

  it('a tool that cannot be a task is called as ever; a program that ends with its command is refused', async () => {
    const { run } = await kept();
    const plain = await run(['tools', 'call', 'jobs', 'plain', '--task']);
    expect({ text: textOf(plain), stderr: plain.stderr }).toEqual({
      text: 'no task',
      stderr: expect.stringContaining('without a task'),
    });
    const own = await run(['tools', 'call', 'report', 'year=1', '--task', '--', process.execPath, TASKS]);
    expect({ code: own.code, hint: own.error().hint }).toEqual({ code: 1, hint: expect.stringContaining('connect') });
  });

  it('a task of a server at an address is found by its id, without a kept connection', async () => {
    const { run } = crosspoint();
    const url = await overHttp(revision);
    const { taskId } = (await run(['tools', 'call', url, 'report', 'year=2026', '--task'])).json();
    expect((await run(['tasks', 'get', url, taskId])).json().taskId).toBe(taskId);
    expect(textOf(await run(['tasks', 'wait', url, taskId]))).toBe('report 2026, as a task');
    const asking = (await run(['tools', 'call', url, 'publish', '--task'])).json().taskId;
    expect((await run(['tasks', 'answer', url, asking, 'ok=true', 'title=x'])).code).toBe(0);
    expect(textOf(await run(['tasks', 'wait', url, asking]))).toContain('"title":"x"');
  });
});
