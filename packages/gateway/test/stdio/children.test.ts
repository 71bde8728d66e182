import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, isProtocolError } from 'crosspoint/client';
import { afterEach, describe, expect, it } from 'vitest';
import { childFault } from '../../src/words/child-fault.ts';
import { children, type ChildProgram, type Children, type ChildrenOptions } from '../../src/stdio/children.ts';
import type { UpstreamCaller } from '../../src/upstream/upstream.ts';
import { isRunning, until } from '../../../crosspoint/test/fixtures/stdio/compiled.ts';
import { program } from '../programs.ts';

const open: Children[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()));
});

const never = new AbortController().signal;
const caller = (principal?: string): UpstreamCaller => ({ principal, client: undefined, capabilities: {} });

function pool(how: string, options: ChildrenOptions = {}, more: Partial<ChildProgram> = {}): Children {
  const made = children({ command: process.execPath, args: [program('child.mjs'), how], ...more }, options);
  open.push(made);
  return made;
}

async function connected(from: Children, principal?: string, signal = never): Promise<Client> {
  const client = new Client({ name: 'bridge', version: '1.0.0' });
  await from.connect(client, caller(principal), signal);
  return client;
}

async function call(client: Client, name: string): Promise<string> {
  const { content } = await client.callTool({ name });
  const [first] = content;
  return first?.type === 'text' ? first.text : '';
}

const failure = async (work: Promise<unknown>): Promise<Error> => {
  try {
    await work;
  } catch (error) {
    if (error instanceof Error) return error;
  }
  throw new Error('It did not fail.');
};

describe('the processes of a server', () => {
  it('are one for each connection, and end with it', async () => {
    const from = pool('serve');
    const [one, other] = await Promise.all([connected(from), connected(from)]);
    const pids = [Number(await call(one, 'pid')), Number(await call(other, 'pid'))];
    expect(new Set(pids).size).toBe(2);
    expect(from.pids.toSorted()).toEqual(pids.toSorted());
    await one.close();
    await until(() => !isRunning(pids[0] ?? 0));
    expect(from.pids).toEqual([pids[1]]);
    expect(await call(other, 'pid')).toBe(String(pids[1]));
    await from.close();
    expect(isRunning(pids[1] ?? 0)).toBe(false);
    expect(from.pids).toEqual([]);
  });

  it('take what they started with them, also where that ignores SIGTERM and so do they', async () => {
    const from = pool('stubborn', {}, { closeGraceMs: 100, termGraceMs: 100 });
    const client = await connected(from);
    const pid = Number(await call(client, 'pid'));
    const grandchild = Number(await call(client, 'grandchild'));
    expect([isRunning(pid), isRunning(grandchild)]).toEqual([true, true]);
    await client.close();
    await until(() => !isRunning(pid) && !isRunning(grandchild));
  });

  it('get the safe variables and those that were given, and no other', async () => {
    process.env['NOT_FOR_CHILDREN'] = 'private';
    try {
      const client = await connected(pool('serve', {}, { env: { GIVEN: 'yes' } }));
      const env = JSON.parse(await call(client, 'env')) as Record<string, string>;
      expect(env['GIVEN']).toBe('yes');
      expect(env['PATH']).toBe(process.env['PATH']);
      expect(env['NOT_FOR_CHILDREN']).toBeUndefined();
    } finally {
      delete process.env['NOT_FOR_CHILDREN'];
    }
  });

  it('are not started after the pool was closed, nor while it closes', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'children-'));
    const log = join(folder, 'pids');
    try {
      const from = pool('serve', { max: 1 }, { env: { CHILD_LOG: log } });
      const starting = failure(connected(from));
      const waiting = failure(connected(from));
      await from.close();
      expect((await waiting).message).toContain('The bridge is closing');
      expect(await starting).toBeInstanceOf(Error);
      expect((await failure(connected(from))).message).toContain('The bridge is closing');
      await until(() => !pidsIn(log).some(isRunning));
      expect(from.pids).toEqual([]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

function pidsIn(log: string): number[] {
  try {
    return readFileSync(log, 'utf8').trim().split('\n').map(Number);
  } catch {
    return [];
  }
}

describe('the bound', () => {
  it('lets a connection wait until another one ends', async () => {
    const from = pool('serve', { max: 1 });
    const first = await connected(from);
    const second = connected(from);
    await until(() => from.waiting === 1);
    await first.close();
    expect(Number(await call(await second, 'pid'))).toBeGreaterThan(0);
    expect(from.pids).toHaveLength(1);
  });

  it('is an error that says so when none ended in time', async () => {
    const from = pool('serve', { max: 1, waitMs: 50 });
    await connected(from);
    const error = await failure(connected(from));
    expect(error.message).toBe(
      'The server runs in 1 process, which is as many as there may be, and none ended within 50 ms. Try again later.',
    );
    expect(error).toMatchObject({ kind: 'rate-limited', data: { reason: 'too-many-children', retryAfterMs: 50 } });
    expect(from.waiting).toBe(0);
  });

  it('holds for each named caller, and takes nothing from the others', async () => {
    const from = pool('serve', { max: 3, maxPerCaller: 1, waitMs: 50 });
    await connected(from, 'ada');
    const error = await failure(connected(from, 'ada'));
    expect(error.message).toContain('This caller has 1 process of the server');
    expect(error).toMatchObject({ data: { reason: 'too-many-children-of-caller' } });
    await connected(from, 'bob');
    expect(from.pids).toHaveLength(2);
  });

  it('frees the place of a process that crashed, and of one that never connected', async () => {
    const from = pool('serve', { max: 1, waitMs: 5000 });
    const client = await connected(from);
    await failure(client.callTool({ name: 'crash' }));
    await connected(from);
    const failing = pool('silent', { max: 1, waitMs: 5000 });
    await failure(connected(failing));
    await failure(connected(failing));
    await until(() => failing.pids.length === 0);
  });

  it('leaves the queue with the reason of the signal', async () => {
    const from = pool('serve', { max: 1 });
    await connected(from);
    const stop = new AbortController();
    const waiting = failure(connected(from, undefined, stop.signal));
    await until(() => from.waiting === 1);
    stop.abort(new Error('The caller left.'));
    expect((await waiting).message).toBe('The caller left.');
    expect(from.waiting).toBe(0);
  });

  it.each([{ max: 0 }, { max: 1.5 }, { maxPerCaller: -1 }, { waitMs: Number.NaN }, { maxWaiting: -1 }])(
    'refuses %j',
    (options) => {
      expect(() => children({ command: 'node' }, options)).toThrow(/must be a whole number/);
    },
  );
});

describe('a process that fails', () => {
  const env = { API_KEY: 'sk-very-secret-0001', PLAIN: 'also-not-shown' };

  it('at its start is an error with the exit code and the end of stderr, without what env holds', async () => {
    const error = await failure(connected(pool('fails', {}, { env })));
    expect(isProtocolError(error)).toBe(true);
    expect(error).toMatchObject({ kind: 'internal', data: { reason: 'child-exited', exitCode: 3, signal: null } });
    expect(error.message).toContain('The process of the server exited with code 3.');
    expect(error.message).toContain('The database is missing.');
    expect(error.message).toContain('\\u{1b}[31mup');
    expect(error.message).not.toContain('\u001b');
    expect(JSON.stringify([error.message, error])).not.toMatch(/sk-very-secret|also-not-shown/);
  });

  it('without a word says that, too', async () => {
    const error = await failure(connected(pool('silent')));
    expect(error.message).toBe('The process of the server exited with code 4. It wrote nothing to stderr.');
  });

  it('cannot be found: the error says what to do', async () => {
    const error = await failure(connected(pool('serve', {}, { command: 'no-such-program-here' })));
    expect(error.message).toContain('Could not start "no-such-program-here": the command was not found on the PATH.');
    expect(error).toMatchObject({ data: { reason: 'spawn-failed', errno: 'ENOENT' } });
  });

  it('in the middle of a call is told to its caller by childFault', async () => {
    const client = await connected(pool('serve', {}, { env }));
    const fault = childFault(await failure(client.callTool({ name: 'crash' })));
    expect(fault).toMatchObject({ kind: 'internal', data: { reason: 'child-exited', exitCode: 7 } });
    expect(fault?.message).toContain('I cannot go on, ');
    expect(fault?.message).not.toContain('sk-very-secret');
  });

  it('is told apart from other failures', () => {
    expect(childFault(new Error('Something else.'))).toBeUndefined();
    expect(childFault('text')).toBeUndefined();
  });
});

describe('stderr', () => {
  it('is given line by line, with hidden values and unseen characters made visible', async () => {
    const lines: string[] = [];
    const env = { API_KEY: 'sk-very-secret-0001' };
    const from = pool('serve', { onstderr: (line) => lines.push(line) }, { env });
    const client = await connected(from);
    await call(client, 'say');
    await until(() => lines.length === 1);
    expect(lines).toEqual(['bell \\u{7} and [hidden]']);
    await client.close();
    await until(() => lines.length === 2);
    expect(lines[1]).toBe('no line end');
  });

  it('may meet a callback that throws', async () => {
    const problems: string[] = [];
    const onstderr = (): never => {
      throw new Error('The log is full.');
    };
    const client = await connected(pool('serve', { onstderr, onproblem: ({ message }) => problems.push(message) }));
    await call(client, 'say');
    await until(() => problems.length === 1);
    expect(problems).toEqual(['The log is full.']);
    expect(await call(client, 'pid')).not.toBe('');
  });
});
