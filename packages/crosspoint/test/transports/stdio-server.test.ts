import { spawn } from 'node:child_process';
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { PassThrough, Writable } from 'node:stream';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { kindOf } from '../../src/jsonrpc/message.ts';
import { StdioServerTransport } from '../../src/transports/stdio/server.ts';
import { compileSources, fixture, until } from '../fixtures/stdio/compiled.ts';
import { proves } from '../requirements/proves.ts';

interface Served {
  readonly child: ChildProcessWithoutNullStreams;
  stdout: string;
  stderr: string;
  code: number | null | undefined;
}

let compiled: ReturnType<typeof compileSources>;
const children: ChildProcessWithoutNullStreams[] = [];
beforeAll(() => {
  compiled = compileSources();
});
afterAll(() => compiled.remove());
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

function serve(mode = ''): Served {
  const child = spawn(process.execPath, [fixture('noisy-server.mjs'), compiled.folder, mode]);
  const served: Served = { child, stdout: '', stderr: '', code: undefined };
  children.push(child);
  child.stdout.setEncoding('utf8').on('data', (text: string) => (served.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (served.stderr += text));
  child.on('close', (code) => (served.code = code));
  child.stdin.on('error', () => {});
  return served;
}

const call = (id: number, method: string, params: object = {}): string =>
  `${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`;
const lines = (text: string): unknown[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as unknown);

describe('a server process', () => {
  proves('L-STDIO-005, M-STDIO-002').test(
    'whatever its code writes to stdout goes to stderr; stdout holds messages only',
    async () => {
      const served = serve();
      served.child.stdin.write(call(1, 'echo', { text: 'a\nb' }) + call(2, 'echo'));
      await until(() => served.stdout.split('\n').length === 3);
      expect(lines(served.stdout).map(kindOf)).toEqual(['result', 'result']);
      await until(() => served.stderr.includes('raw'));
      for (const word of ['started', 'log echo', 'info', 'debug', 'raw']) expect(served.stderr).toContain(word);
    },
  );

  proves('L-STDIO-014, M-STDIO-013').test('ends with code 0 when stdin ends, although a timer is alive', async () => {
    const served = serve();
    await until(() => served.stderr.includes('started'));
    served.child.stdin.end();
    await until(() => served.code !== undefined);
    expect(served.code).toBe(0);
    expect(served.stderr).toContain('closed');
  });

  test('keeps the exit code that was set', async () => {
    const served = serve();
    served.child.stdin.end(`${JSON.stringify({ jsonrpc: '2.0', method: 'code', params: { code: 6 } })}\n`);
    await until(() => served.code !== undefined);
    expect(served.code).toBe(6);
  });

  test('with exitOnEnd false it goes on', async () => {
    const served = serve('stay');
    served.child.stdin.end();
    await until(() => served.code !== undefined);
    expect(served.stderr).toContain('closed');
    expect(served.code).toBe(9);
  });

  test('5 MB followed at once by the end of stdin arrive whole, also when the reader is slow', async () => {
    const served = serve();
    served.child.stdout.pause();
    served.child.stdin.end(call(1, 'big', { size: 2.5 * 1024 * 1024 }));
    await until(() => served.stderr.includes('log big'));
    await new Promise((resolve) => setTimeout(resolve, 100));
    served.child.stdout.resume();
    await until(() => served.code !== undefined);
    expect(served.code).toBe(0);
    expect(Buffer.byteLength(served.stdout)).toBeGreaterThan(5 * 1024 * 1024);
    expect(lines(served.stdout)).toHaveLength(1);
  });

  test('an answer that is still being worked on is waited for; a last line needs no newline', async () => {
    const served = serve();
    served.child.stdin.end(call(1, 'late', { ms: 300 }).trimEnd());
    await until(() => served.code !== undefined);
    expect(lines(served.stdout)).toMatchObject([{ id: 1 }]);
  });

  test('but not for ever', async () => {
    const served = serve();
    served.child.stdin.end(call(1, 'late', { ms: 60_000 }));
    await until(() => served.code !== undefined);
    expect([served.code, served.stdout]).toEqual([0, '']);
  });

  test('a client that goes away without reading is no crash', async () => {
    const served = serve();
    await until(() => served.stderr.includes('started'));
    served.child.stdout.destroy();
    served.child.stdin.write(call(1, 'big', { size: 1_000_000 }) + call(2, 'big', { size: 1_000_000 }));
    await until(() => served.code !== undefined);
    expect(served.code).toBe(0);
    expect(served.stderr).not.toMatch(/error|EPIPE/);
  });

  test('close gives stdout back and does not end the process', async () => {
    const served = serve();
    served.child.stdin.write(call(1, 'close'));
    await until(() => served.stdout.includes('restored'));
    expect(served.stdout).toBe('restored true\n');
    expect(served.code).toBeUndefined();
  });
});

describe('on any streams', () => {
  function transport(options: ConstructorParameters<typeof StdioServerTransport>[2] = {}) {
    const input = new PassThrough();
    const output = new PassThrough();
    const made = new StdioServerTransport(input, output, options);
    const log: unknown[] = [];
    made.onmessage = (message) => log.push(message);
    made.onbadframe = (frame) => log.push(frame);
    made.onerror = (error) => log.push(error.message);
    made.onclose = () => log.push('closed');
    return { input, output, made, log };
  }
  const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

  proves('L-STDIO-003, L-STDIO-011, M-STDIO-001').test(
    'messages of one tick leave in one write, each on a line of its own',
    async () => {
      const writes: string[] = [];
      const output = new Writable({
        decodeStrings: false,
        write: (chunk, _encoding, done) => (writes.push(chunk as string), done()),
      });
      const made = new StdioServerTransport(new PassThrough(), output);
      await made.start();
      expect(made.send({ jsonrpc: '2.0', method: 'a', params: { text: 'x\ny\r\n\u2028' } })).toBeUndefined();
      void Promise.resolve().then(() => made.send({ jsonrpc: '2.0', method: 'b' }));
      await tick();
      await made.send({ jsonrpc: '2.0', id: 1, result: {} });
      await tick();
      expect(writes.map((text) => text.split('\n').length - 1).reduce((sum, count) => sum + count)).toBe(3);
      expect(
        writes
          .join('')
          .split('\n')
          .slice(0, -1)
          .map((line) => kindOf(JSON.parse(line))),
      ).toEqual(['notification', 'notification', 'result']);
      expect(writes.length).toBeLessThan(4);
      expect(writes[0]?.includes('\r')).toBe(false);
      await made.close();
    },
  );

  test('bad input is reported and the stream goes on', async () => {
    const { input, made, log } = transport({ maxMessageBytes: 50 });
    await made.start();
    input.write('nonsense\n');
    input.write(Uint8Array.of(0xff, 0x0a));
    input.write(`{"jsonrpc":"2.0","id":4,"method":"m","params":{"t":"${'x'.repeat(100)}"}}\n`);
    input.write('{"jsonrpc":"2.0","method":"after"}\n');
    await tick();
    expect(log).toMatchObject([
      { kind: 'unparsable', start: 'nonsense' },
      { kind: 'unparsable' },
      { kind: 'too-large', limit: 50, id: 4, isResponse: false },
      { method: 'after' },
    ]);
    await made.close();
  });

  proves('L-STDIO-011').test(
    'an array is handed over as what it is, which is no message, and the stream goes on',
    async () => {
      const { input, made, log } = transport();
      await made.start();
      input.write('[{"jsonrpc":"2.0","method":"a"}]\n{"jsonrpc":"2.0","method":"after"}\n');
      await tick();
      expect(log.map(kindOf)).toEqual(['invalid', 'notification']);
      await made.close();
    },
  );

  test('send waits while the stream is full and fails when it breaks', async () => {
    let release: (() => void) | undefined;
    const output = new Writable({ highWaterMark: 10, write: (_chunk, _encoding, done) => (release = done) });
    const made = new StdioServerTransport(new PassThrough(), output);
    const log: string[] = [];
    made.onclose = () => log.push('closed');
    made.onerror = (error) => log.push(error.message);
    await made.start();
    await made.send({ jsonrpc: '2.0', method: 'a' });
    await tick();
    let hasLeft = false;
    const waiting = Promise.resolve(made.send({ jsonrpc: '2.0', method: 'b' })).then(() => (hasLeft = true));
    await tick();
    expect(hasLeft).toBe(false);
    release?.();
    await tick();
    release?.();
    await waiting;
    await made.send({ jsonrpc: '2.0', method: 'c' });
    await tick();
    const failing = made.send({ jsonrpc: '2.0', method: 'd' });
    output.destroy(Object.assign(new Error('gone'), { code: 'EPIPE' }));
    await expect(failing).rejects.toMatchObject({ code: 'closed' });
    await tick();
    expect(log).toEqual(['closed']);
  });

  test('the end of the input closes once, and never ends a process that serves other streams', async () => {
    const { input, made, log } = transport();
    await made.start();
    input.end('{"jsonrpc":"2.0","method":"last"}');
    await until(() => log.length === 2);
    await made.close();
    expect(log).toEqual([{ jsonrpc: '2.0', method: 'last' }, 'closed']);
    expect(() => made.send({ jsonrpc: '2.0', method: 'x' })).toThrow(expect.objectContaining({ code: 'closed' }));
    await expect(made.start()).rejects.toThrow(TypeError);
  });

  test('a start on input that has ended already closes', async () => {
    const { input, made, log } = transport();
    input.end();
    input.resume();
    await until(() => input.readableEnded);
    await made.start();
    await until(() => log.length === 1);
    expect(log).toEqual(['closed']);
  });

  test('nothing is handed over after close, and send before start throws', async () => {
    const { input, made, log } = transport();
    expect(() => made.send({ jsonrpc: '2.0', method: 'x' })).toThrow('not started');
    await made.start();
    made.onmessage = () => void made.close();
    input.write('{"jsonrpc":"2.0","method":"a"}\n{"jsonrpc":"2.0","method":"b"}\nnonsense\n');
    await until(() => log.length > 0);
    expect(log).toEqual(['closed']);
    expect(input.listenerCount('data')).toBe(0);
  });

  test('text from a stream with an encoding is read as well', async () => {
    const { input, made, log } = transport();
    input.setEncoding('utf8');
    await made.start();
    input.write('{"jsonrpc":"2.0","method":"é"}\n');
    await tick();
    expect(log).toEqual([{ jsonrpc: '2.0', method: 'é' }]);
    await made.close();
  });
});
