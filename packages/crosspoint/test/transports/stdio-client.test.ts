import { Writable } from 'node:stream';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { JSONRPCMessage } from '../../src/jsonrpc/message.ts';
import { kindOf } from '../../src/jsonrpc/message.ts';
import { TransportError } from '../../src/protocol/errors.ts';
import { StdioClientTransport } from '../../src/transports/stdio/client.ts';
import type { StdioServerParameters } from '../../src/transports/stdio/client.ts';
import { isRestartable } from '../../src/transports/transport.ts';
import type { BadFrame } from '../../src/transports/transport.ts';
import { fixture, isRunning, until } from '../fixtures/stdio/compiled.ts';
import { proves } from '../requirements/proves.ts';

const PEER = fixture('peer.mjs');
const opened: StdioClientTransport[] = [];

interface Session {
  readonly transport: StdioClientTransport;
  readonly messages: JSONRPCMessage[];
  readonly frames: BadFrame[];
  readonly errors: Error[];
  closes: number;
}

function session(parameters: StdioServerParameters): Session {
  const transport = new StdioClientTransport({ stderr: 'ignore', ...parameters });
  const made: Session = { transport, messages: [], frames: [], errors: [], closes: 0 };
  transport.onmessage = (message) => made.messages.push(message);
  transport.onbadframe = (frame) => made.frames.push(frame);
  transport.onerror = (error) => made.errors.push(error);
  transport.onclose = () => made.closes++;
  opened.push(transport);
  return made;
}

async function peer(mode: string, options: Partial<StdioServerParameters> = {}): Promise<Session> {
  const made = session({
    command: process.execPath,
    ...options,
    args: [PEER, ...mode.split(' '), ...(options.args ?? [])],
  });
  await made.transport.start();
  return made;
}

const request = (id: number, params: Record<string, unknown> = {}): JSONRPCMessage => ({
  jsonrpc: '2.0',
  id,
  method: 'm',
  params,
});
const methods = (messages: readonly JSONRPCMessage[]): unknown[] =>
  messages.map((message) => ('method' in message ? message.method : message));
const paramsOf = (message: JSONRPCMessage | undefined): Record<string, unknown> =>
  message !== undefined && 'params' in message ? (message.params ?? {}) : {};
const resultOf = (message: JSONRPCMessage | undefined): Record<string, unknown> =>
  message !== undefined && 'result' in message ? message.result : {};

async function failureOf({ transport }: Session): Promise<TransportError> {
  await until(() => transport.lastFailure !== undefined && transport.pid === null);
  expect(transport.lastFailure).toBeInstanceOf(TransportError);
  return transport.lastFailure as TransportError;
}

afterEach(async () => {
  await Promise.all(opened.splice(0).map((transport) => transport.close()));
});

describe('a conversation', () => {
  proves('L-STDIO-001, L-STDIO-002').test(
    'the server runs as a child process with the given arguments, environment and folder',
    async () => {
      const cwd = fixture('.');
      const { messages, transport } = await peer('environment', {
        args: ['a b', '"q"', '$HOME', '*', ''],
        env: { EXTRA: '1' },
        cwd,
      });
      const { pid } = transport;
      await until(() => messages.length === 1);
      const params = paramsOf(messages[0]) as { env: Record<string, string>; cwd: string; args: string[] };
      expect(params.args).toEqual(['a b', '"q"', '$HOME', '*', '']);
      expect(params.env).toMatchObject({ EXTRA: '1', PATH: process.env['PATH'] });
      expect(`${params.cwd}/`).toBe(cwd);
      expect(pid).toBeTypeOf('number');
    },
  );

  proves('L-STDIO-004, L-STDIO-006, M-STDIO-001, M-STDIO-003').test(
    'each message is one line on stdin, and nothing else is written there',
    async () => {
      const { messages, transport } = await peer('record');
      const sent = ['\n', '\r\n', '\u2028\u2029', '😀', '\ud800', 'x'.repeat(200_000)].map((text, id) =>
        request(id, { text }),
      );
      for (const message of sent) void transport.send(message);
      await until(() => messages.length === sent.length);
      expect(messages.map((message) => JSON.parse(paramsOf(message)['line'] as string) as unknown)).toEqual(sent);
    },
  );

  proves('L-MESSAGES-021, M-BASE-046').test('text of every script survives the way there and back', async () => {
    const { messages, transport } = await peer('echo');
    const text = 'é 漢字 😀 \u{10ffff} \u2028 \ufeff'.repeat(20_000);
    void transport.send(request(1, { text }));
    await until(() => messages.length === 1);
    expect(resultOf(messages[0])['params']).toEqual({ text });
  });

  proves('L-STDIO-003, L-MESSAGES-021').test('a line that arrives byte by byte, with CRLF', async () => {
    const { messages } = await peer('bytewise');
    await until(() => messages.length === 2);
    expect(methods(messages)).toEqual(['é😀漢', 'b']);
  });

  proves('L-STDIO-003').test('two messages in one chunk', async () => {
    const { messages } = await peer('two');
    await until(() => messages.length === 2);
    expect(methods(messages)).toEqual(['a', 'b']);
  });

  proves('L-STDIO-011').test(
    'an array is handed over as what it is, which is no message, and the stream goes on',
    async () => {
      const { messages } = await peer('array');
      await until(() => messages.length === 2);
      expect(messages.map(kindOf)).toEqual(['invalid', 'notification']);
    },
  );

  test('a full pipe makes send wait; everything arrives in order', async () => {
    const { messages, transport } = await peer('slow');
    const waits: (Promise<void> | void)[] = [];
    for (let id = 0; id < 300; id++) waits.push(transport.send(request(id, { text: 'x'.repeat(10_000) })));
    expect(waits[0]).toBeUndefined();
    expect(waits.at(-1)).toBeInstanceOf(Promise);
    for (const wait of waits) await wait;
    await until(() => messages.length === 300);
    expect(messages.map((message) => ('id' in message ? message.id : undefined))).toEqual(
      Array.from({ length: 300 }, (_, id) => id),
    );
  });

  test('a throwing handler reaches onerror and the stream goes on', async () => {
    const made = await peer('two');
    made.transport.onmessage = (message) => {
      made.messages.push(message);
      throw new Error('broken handler');
    };
    await until(() => made.messages.length === 2);
    expect(made.errors.map((error) => error.message)).toEqual(['broken handler', 'broken handler']);
  });
});

describe('what a server must not send', () => {
  test('a banner is skipped, counted and reported; the connection lives', async () => {
    const { frames, messages, transport, errors } = await peer('banner');
    void transport.send(request(1));
    await until(() => messages.length === 1);
    expect(frames).toMatchObject([
      { kind: 'unparsable', start: 'Welcome to the server!' },
      { kind: 'unparsable', start: '[info] listening' },
    ]);
    expect(transport.skippedLines).toBe(2);
    expect(errors).toEqual([]);
  });

  test('of a thousand stray lines the first 20 are reported', async () => {
    const { frames, messages, transport } = await peer('chatty');
    void transport.send(request(1));
    await until(() => messages.length === 1);
    expect([frames.length, transport.skippedLines]).toEqual([20, 1000]);
  });

  test('invalid UTF-8 costs one line', async () => {
    const { frames, messages } = await peer('invalid-utf8');
    await until(() => messages.length === 1);
    expect(frames).toMatchObject([{ kind: 'unparsable', reason: 'The line is not valid UTF-8.' }]);
    expect(methods(messages)).toEqual(['after']);
  });

  test('a message of 13 MB arrives', async () => {
    const { messages } = await peer('big 13');
    await until(() => messages.length === 1);
    expect(resultOf(messages[0])['text']).toHaveLength(13 * 1024 * 1024);
  });

  test.each([
    [5, 1024 * 1024],
    [100, undefined],
  ])(
    'a line of %i MB over the limit %s is dropped, its request named, and the connection lives',
    async (megabytes, limit) => {
      const options = limit === undefined ? {} : { maxMessageBytes: limit };
      const { frames, messages, transport } = await peer(`big ${megabytes}`, options);
      await until(() => frames.length === 1);
      expect(frames).toEqual([{ kind: 'too-large', limit: limit ?? 64 * 1024 * 1024, id: 1, isResponse: true }]);
      void transport.send(request(2));
      await until(() => messages.length === 1);
      expect(messages[0]).toMatchObject({ id: 2 });
    },
  );

  test('an endless line is read in constant memory', async () => {
    const { transport, messages } = await peer('endless', { maxMessageBytes: 1024 * 1024, closeGraceMs: 0 });
    const rss = (): number => process.memoryUsage.rss() / 1024 / 1024;
    const deadline = Date.now() + 700;
    const before = rss();
    await until(() => Date.now() > deadline);
    // Hundreds of megabytes went by.
    expect(rss() - before).toBeLessThan(150);
    expect(messages).toEqual([]);
    await transport.close();
  });

  test('a last line without its newline is reported when it is no message', async () => {
    const made = await peer('partial');
    await failureOf(made);
    expect(methods(made.messages)).toEqual(['whole']);
    expect(made.frames).toMatchObject([{ kind: 'unparsable', start: '{"jsonrpc":"2.0","met' }]);
  });
});

describe('stderr', () => {
  proves('L-STDIO-007, L-STDIO-008, L-STDIO-009, M-STDIO-004, M-STDIO-005').test.each([
    'ignore',
    'pipe',
    'overlapped',
  ] as const)('a megabyte of it neither blocks nor counts as an error (%s)', async (stderr) => {
    const made = await peer('stderr-flood', { stderr });
    void made.transport.send(request(1));
    await until(() => made.messages.length === 1);
    expect([made.errors, made.frames, made.closes]).toEqual([[], [], 0]);
  });

  test('inherited, it goes on to the stderr of this process; a stream gets it as well; the error has it in both cases', async () => {
    let given = '';
    const stream = new Writable({
      write: (chunk: Uint8Array, _encoding, done) => ((given += Buffer.from(chunk).toString()), done()),
    });
    let own = '';
    const spy = vi
      .spyOn(process.stderr, 'write')
      .mockImplementation((chunk) => ((own += Buffer.from(chunk).toString()), true));
    for (const stderr of ['inherit', stream] as const) {
      const made = await peer('die', { stderr });
      void made.transport.send(request(1));
      expect((await failureOf(made)).details['stderr']).toContain('starting up');
    }
    spy.mockRestore();
    expect(own).toContain('starting up');
    expect(given).toContain('starting up');
  });

  proves('L-STDIO-008').test('the stream is there before the start, and again after a restart', async () => {
    const { transport } = session({ command: process.execPath, args: [PEER, 'die'], stderr: 'pipe' });
    for (let round = 0; round < 2; round++) {
      if (round > 0) {
        await transport.close();
        await transport.start();
      }
      let text = '';
      transport.stderr?.on('data', (chunk: Uint8Array) => (text += Buffer.from(chunk).toString()));
      if (round === 0) await transport.start();
      void transport.send(request(1));
      await until(() => text.includes('starting up'));
    }
    expect(new StdioClientTransport({ command: 'x' }).stderr).toBeNull();
  });
});

describe('a server that ends by itself', () => {
  proves('L-STDIO-013, M-STDIO-014').test(
    'dies in the middle of a call: one close, and an error with everything in it but secrets',
    async () => {
      const made = await peer('die', {
        args: ['--api-key', 'sk-verysecret', '--url=https://u:p4ss@h/'],
        env: { API_KEY: 'abcdef123456' },
      });
      const { transport } = made;
      const { pid } = transport;
      void transport.send(request(1));
      const failure = await failureOf(made);
      expect(failure.code).toBe('child-exited');
      expect(failure.details).toMatchObject({
        command: process.execPath,
        args: [PEER, 'die', '--api-key', '[redacted]', '--url=https://[redacted]@h/'],
        exitCode: 3,
        signal: null,
        pid,
      });
      expect(failure.details['stderr']).toBe(
        'starting up\npassword=[redacted]\nFatal: the database at postgres://[redacted]@db/x is gone [redacted]',
      );
      expect(failure.message).toContain('exited with code 3.\nIts last lines on stderr:\n  starting up\n');
      expect(failure.message).not.toMatch(/hunter2000|s3cret|verysecret|p4ss|abcdef123456/);
      expect(() => transport.send(request(2))).toThrow(failure);
      expect([made.closes, made.errors]).toEqual([1, []]);
    },
  );

  test('what is sent while it dies is refused with the reason', async () => {
    const made = await peer('die');
    void made.transport.send(request(1));
    const outcomes: unknown[] = [];
    while (made.transport.pid !== null) {
      Promise.resolve(made.transport.send(request(2))).catch((error: unknown) => outcomes.push(error));
      await new Promise((resolve) => setImmediate(resolve));
    }
    const failure = await failureOf(made);
    await new Promise((resolve) => setImmediate(resolve));
    expect(failure.details['exitCode']).toBe(3);
    expect(new Set(outcomes).size).toBeLessThan(2);
    for (const outcome of outcomes) expect(outcome).toBe(failure);
  });

  test('a waiting send fails when the server goes away without reading', async () => {
    const made = await peer('kill-self');
    const waits = Array.from({ length: 50 }, (_, id) =>
      made.transport.send(request(id, { text: 'x'.repeat(100_000) })),
    );
    await expect(waits.at(-1)).rejects.toMatchObject({
      code: 'child-exited',
      details: { signal: 'SIGKILL', exitCode: null },
    });
  });

  test('killed by a signal', async () => {
    const made = await peer('kill-self');
    void made.transport.send(request(1));
    const failure = await failureOf(made);
    expect(failure.message).toMatch(/was ended by SIGKILL\.\nIt wrote nothing to stderr\.$/);
  });

  test('exit code 0 is a failure too when nobody asked for it', async () => {
    const made = await peer('end-on-line');
    void made.transport.send(request(1));
    expect((await failureOf(made)).details).toMatchObject({ exitCode: 0 });
    expect(made.closes).toBe(1);
  });

  proves('L-STDIO-013').test('closes stdout and lives: that is the end of the session, and it is ended', async () => {
    const made = await peer('closes-stdout', { closeGraceMs: 100 });
    const pid = made.transport.pid ?? 0;
    const failure = await failureOf(made);
    expect(failure.message).toMatch(/^The server closed its output but did not exit\. /);
    expect([made.closes, isRunning(pid)]).toEqual([1, false]);
  });

  test('closes stdin and lives: noticed at the next message', async () => {
    const made = await peer('closes-stdin');
    await until(() => made.messages.length === 1);
    void made.transport.send(request(1));
    expect((await failureOf(made)).message).toMatch(/^The server closed its input but did not exit\. /);
    expect(made.closes).toBe(1);
  });

  test('can be started again, with a clean slate', async () => {
    const made = await peer('die');
    const { transport } = made;
    const first = transport.pid;
    void transport.send(request(1));
    await failureOf(made);
    await transport.start();
    expect(isRestartable(transport)).toBe(true);
    expect(transport.lastFailure).toBeUndefined();
    expect(transport.pid).not.toBe(first);
    await transport.close();
    expect([made.closes, transport.lastFailure, transport.pid]).toEqual([2, undefined, null]);
  });
});

describe('a command that cannot be started', () => {
  test.each([
    [
      { command: 'no-such-command-here' },
      /^Could not start "no-such-command-here": the command was not found on the PATH\./,
    ],
    [{ command: './no/such/file' }, /no such file/],
    [
      { command: process.execPath, cwd: '/no/such/folder' },
      /the working directory "\/no\/such\/folder" does not exist/,
    ],
    [{ command: PEER }, /not executable/],
    [{ command: 'a\0b' }, /Could not start/],
  ])('%j', async (parameters, message) => {
    const made = session(parameters);
    await expect(made.transport.start()).rejects.toMatchObject({
      code: 'spawn-failed',
      message: expect.stringMatching(message) as string,
    });
    expect(made.transport.lastFailure).toMatchObject({ code: 'spawn-failed' });
    expect(() => made.transport.send(request(1))).toThrow(expect.objectContaining({ code: 'spawn-failed' }));
    expect(made.closes).toBe(0);
    await expect(made.transport.start()).rejects.toMatchObject({ code: 'spawn-failed' });
  });
});

describe('closing', () => {
  proves('L-STDIO-012, M-STDIO-012').test('a polite server sees the end of its stdin and no signal', async () => {
    const made = await peer('polite');
    await until(() => made.messages.length === 1);
    await made.transport.close();
    expect(methods(made.messages)).toEqual(['ready', 'ended']);
    expect([made.closes, made.transport.lastFailure]).toEqual([1, undefined]);
    expect(() => made.transport.send(request(1))).toThrow(expect.objectContaining({ code: 'closed' }));
  });

  proves('L-STDIO-012, M-STDIO-012').test.each(['stubborn', 'wrapper-waits'])(
    '%s ignores stdin and SIGTERM: it is killed with all it started, each step in its time',
    async (mode) => {
      const made = await peer(mode, { closeGraceMs: 150, termGraceMs: 150 });
      await until(() => made.messages.length === 1);
      const pids = [made.transport.pid, paramsOf(made.messages[0])['pid']] as number[];
      const started = performance.now();
      await made.transport.close();
      expect(performance.now() - started).toBeGreaterThanOrEqual(295);
      expect(pids.filter(isRunning)).toEqual([]);
      expect(made.closes).toBe(1);
    },
  );

  test('a shell that starts a stubborn server', async () => {
    const script = `"${process.execPath}" "${PEER}" stubborn & wait`;
    const made = session({ command: 'sh', args: ['-c', script], closeGraceMs: 50, termGraceMs: 50 });
    await made.transport.start();
    await until(() => made.messages.length === 1);
    const pid = paramsOf(made.messages[0])['pid'] as number;
    expect(pid).not.toBe(made.transport.pid);
    await made.transport.close();
    expect(isRunning(pid)).toBe(false);
  });

  test('a wrapper that died before what it started', async () => {
    const made = await peer('wrapper-dies', { termGraceMs: 100 });
    const failure = await failureOf(made);
    expect(failure.details['exitCode']).toBe(5);
    const pid = paramsOf(made.messages[0])['pid'] as number;
    expect(isRunning(pid)).toBe(false);
    expect(made.closes).toBe(1);
  });

  test('a process that is gone with all it started is never signalled: its number may be taken', async () => {
    const kill = vi.spyOn(process, 'kill');
    const made = await peer('die-at-once');
    await failureOf(made);
    await made.transport.close();
    expect(kill.mock.calls.filter(([, signal]) => signal !== 0)).toEqual([]);
    kill.mockRestore();
  });

  test('a throwing onclose reaches onerror and nothing breaks', async () => {
    const made = await peer('die-at-once');
    made.transport.onclose = () => {
      throw new Error('broken handler');
    };
    await failureOf(made);
    expect(made.errors.map((error) => error.message)).toEqual(['broken handler']);
    await made.transport.start();
  });

  test('during the start, twice, and without a start', async () => {
    const made = session({ command: process.execPath, args: [PEER, 'echo'] });
    await made.transport.close();
    const starting = made.transport.start();
    await expect(made.transport.start()).rejects.toThrow(TypeError);
    const closing = made.transport.close();
    await Promise.all([starting, closing, made.transport.close()]);
    expect([made.closes, made.transport.pid]).toEqual([1, null]);
  });

  test('30 starts and stops leave no process behind, and no listener', async () => {
    const listeners = (): number =>
      process.listenerCount('exit') + process.listenerCount('SIGTERM') + process.listenerCount('SIGINT');
    const before = listeners();
    const made = session({ command: process.execPath, args: [PEER, 'echo'] });
    const pids: number[] = [];
    for (let round = 0; round < 30; round++) {
      await made.transport.start();
      pids.push(made.transport.pid ?? 0);
      await expect(made.transport.start()).rejects.toThrow(TypeError);
      await made.transport.close();
    }
    expect(new Set(pids).size).toBe(30);
    expect(pids.filter(isRunning)).toEqual([]);
    expect([made.closes, listeners()]).toEqual([30, before]);
  });
});
