import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isRunning, until } from '../fixtures/stdio/compiled.ts';
import { RawClient, type Frame } from '../interop/raw-client.ts';
import { proves } from '../requirements/proves.ts';
import { failure, handles, noMoreThan, program, run } from './running.ts';

const textOf = ({ result }: Frame): string => result?.['content'][0].text;

describe('a server program', () => {
  proves('L-STDIO-001, L-STDIO-002').it.each(['handshake', 'per-request'] as const)(
    'is started with its command, arguments, environment and folder, and spoken to (%s)',
    async (revisions) => {
      const cwd = realpathSync(mkdtempSync(join(tmpdir(), 'crosspoint-cwd-')));
      process.env['NOT_INHERITED'] = 'a secret of the host';
      const args = ['with space', '$HOME', '"quoted"', '*', ''];
      const { client } = await run(
        { args: [program('small-server.mjs'), ...args], env: { GREETING: 'grüß dich' }, cwd },
        { revisions },
      );
      const { content } = await client.callTool({ name: 'where' });
      expect(JSON.parse((content[0] as { text: string }).text)).toEqual({ cwd, args, greeting: 'grüß dich' });
      await client.close();
      delete process.env['NOT_INHERITED'];
      rmSync(cwd, { recursive: true });
    },
  );

  it('that does not exist is reported by name, with what to do', async () => {
    const before = handles();
    const error = await failure(run({ command: 'no-such-program-anywhere', args: [] }));
    expect(error.message).toMatch(/Could not start "no-such-program-anywhere".*not found on the PATH/);
    await noMoreThan(before);
  });

  it('that ends before it answers is reported with its exit code and its last words', async () => {
    const error = await failure(run({ args: ['-e', 'console.error("the licence has run out"); process.exit(7)'] }));
    expect(error.message).toMatch(/exited with code 7[^]*the licence has run out/);
  });
});

describe('a program that starts another one', () => {
  const server = program('small-server.mjs');
  const WRAPPERS: readonly (readonly [what: string, command: string, args: string[]])[] = [
    ['a shell that waits for it', '/bin/sh', ['-c', `"${process.execPath}" "${server}"; exit $?`]],
    ['a shell in a shell', '/bin/sh', ['-c', `/bin/sh -c '"${process.execPath}" "${server}"; true'; true`]],
    ['a node wrapper that waits for it, as npx does', process.execPath, [program('wrapper.mjs'), server]],
  ];

  it.each(WRAPPERS)('%s: closing ends both', async (_what, command, args) => {
    const { client, transport, pid } = await run({ command, args });
    const [outer, inner] = [transport.pid ?? 0, await pid()];
    expect(inner).not.toBe(outer);
    await client.close();
    expect([outer, inner].filter(isRunning)).toEqual([]);
  });

  it.each(WRAPPERS)(
    '%s: when the outer one is killed in the middle of a call, the inner one ends as well, and the call says why',
    async (_what, command, args) => {
      const { client, transport, pid } = await run({ command, args, termGraceMs: 500 });
      const [outer, inner] = [transport.pid ?? 0, await pid()];
      const error = await failure(
        client.callTool({ name: 'hang' }, { onprogress: () => process.kill(outer, 'SIGKILL') }),
      );
      expect(error).toMatchObject({ code: 'closed', cause: { details: { signal: 'SIGKILL', pid: outer } } });
      expect(error.message).toContain(`hanging in ${inner}`);
      expect([outer, inner].filter(isRunning)).toEqual([]);
      await client.close();
    },
  );

  it.each(WRAPPERS)('%s: when the inner one is killed, the outer one ends as well', async (_what, command, args) => {
    const { client, transport, pid } = await run({ command, args, termGraceMs: 500 });
    const [outer, inner] = [transport.pid ?? 0, await pid()];
    const error = await failure(
      client.callTool({ name: 'hang' }, { onprogress: () => process.kill(inner, 'SIGKILL') }),
    );
    expect(error).toMatchObject({ code: 'closed' });
    await client.close();
    await until(() => ![outer, inner].some(isRunning));
  });
});

describe('our server in a program that writes to stdout and never rests', () => {
  const noisy = (): RawClient => new RawClient([program('noisy-server.mjs')]);

  proves('L-STDIO-005, M-STDIO-002').it(
    'writes nothing there but messages; what the program writes goes to stderr',
    async () => {
      const client = noisy();
      await client.initialize();
      client.send({ id: 2, method: 'tools/call', params: { name: 'noisy', arguments: {} } });
      expect(await client.answer(2)).toMatchObject({ result: { content: [{ text: 'clean' }] } });
      await until(() => client.stderr.includes('tick'));
      await client.end();
      expect(client.lines.length).toBe(2);
      expect(client.lines.every((line) => (JSON.parse(line) as { jsonrpc: string }).jsonrpc === '2.0')).toBe(true);
      for (const stray of ['a stray line', 'info', 'no newline at the end', 'forged', 'served'])
        expect(client.stderr).toContain(stray);
    },
  );

  proves('L-STDIO-014, M-STDIO-013').it('ends when its stdin does, though timers are alive', async () => {
    const client = noisy();
    await client.initialize();
    const since = performance.now();
    client.child.stdin.end();
    expect(await client.exited).toEqual({ code: 0, signal: null });
    expect(performance.now() - since).toBeLessThan(2000);
  });

  it('writes everything before it ends: an answer of 5 MB that was asked for just before the end of stdin', async () => {
    const client = noisy();
    await client.initialize();
    client.send({ id: 2, method: 'tools/call', params: { name: 'big', arguments: {} } });
    client.child.stdin.end();
    expect(await client.exited).toEqual({ code: 0, signal: null });
    expect(Buffer.byteLength(textOf(await client.answer(2)))).toBe(5 * 1024 * 1024);
  });

  it('writes everything before it ends: an answer that takes its time', async () => {
    const client = noisy();
    await client.initialize();
    client.send({ id: 2, method: 'tools/call', params: { name: 'late', arguments: {} } });
    client.child.stdin.end();
    await client.exited;
    expect(await client.answer(2)).toMatchObject({ result: { content: [{ text: 'late' }] } });
  });

  it('writes everything before it ends to a reader that begins late', async () => {
    const client = noisy();
    await client.initialize();
    client.child.stdout.pause();
    client.send({ id: 2, method: 'tools/call', params: { name: 'big', arguments: {} } });
    client.child.stdin.end();
    const seen = client.stderr.length;
    await until(() => client.stderr.length > seen + 60);
    client.child.stdout.resume();
    await client.exited;
    expect(textOf(await client.answer(2))).toHaveLength(2.5 * 1024 * 1024);
  });
});
