import { describe, expect, it } from 'vitest';
import { SessionFileError, readSession } from '../src/index.ts';
import { HEADER, readAll, recorded, toServer, request } from './files.ts';

const NOTE = '{"kind":"note","at":1,"text":"a"}';

async function fault(
  source: Parameters<typeof readSession>[0],
  options?: { maxLineBytes: number },
): Promise<SessionFileError> {
  const error: unknown = await readAll(source, options).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(SessionFileError);
  return error as SessionFileError;
}

describe('a file that is no session file', () => {
  it.each([
    ['is empty', ''],
    ['is blank', '\n\n'],
    ['is garbage', '\u0000\u0001PK\u0003'],
    ['is other JSON', '{"jsonrpc":"2.0"}\n'],
    ['is a list', '[]\n'],
    ['has another format', HEADER.replace('crosspoint-', 'other-')],
  ])('%s', async (_what, text) => {
    expect((await fault(text)).message).toMatch(/^This is no session file: /);
  });

  it('is refused when its major version is another, with what to do', async () => {
    const { message } = await fault(`${HEADER.replace('"1.0"', '"2.3"')}\n${NOTE}\n`);
    expect(message).toContain('version 2.3');
    expect(message).toContain('update crosspoint');
    for (const version of ['"1"', '1', '"1.0.0"', '"-1.0"', `"${'1'.repeat(1e5)}.0"`, 'null'])
      expect((await fault(HEADER.replace('"1.0"', version))).message).toContain('no version');
  });

  it('is refused without a time, or with hops that are none', async () => {
    expect((await fault(HEADER.replace('2026', 'x'))).message).toContain('"started"');
    expect((await fault(HEADER.replace('{', '{"hops":{"a":1},'))).message).toContain('"hops"');
  });

  it('lets go of its source', async () => {
    let isClosed = false;
    const source = (async function* () {
      try {
        yield 'no header\n';
        yield 'more';
      } finally {
        isClosed = true;
      }
    })();
    await fault(source);
    expect(isClosed).toBe(true);
  });
});

describe('a bad line', () => {
  it.each([
    ['no JSON', '{"kind":', 'not JSON'],
    ['a value', '5', 'no object'],
    ['no kind', '{"at":1}', 'no "kind"'],
    ['a second header', HEADER, 'only the first line may be a header'],
    ['no time', '{"kind":"note","text":""}', '"at"'],
    ['a time before the beginning', '{"kind":"note","at":-1,"text":""}', '"at"'],
    ['a message without a hop', '{"kind":"message","at":1,"to":"client","message":{}}', '"hop"'],
    ['a message to nobody', '{"kind":"message","at":1,"hop":"a","to":"x","message":{}}', '"to"'],
    ['a message that is none', '{"kind":"message","at":1,"hop":"a","to":"client","message":null}', '"message"'],
    ['a note without text', '{"kind":"note","at":1}', '"text"'],
    ['a count that is none', '{"kind":"dropped","at":1,"lines":-1}', '"lines"'],
    ['a session that is no text', '{"kind":"acme.a","at":1,"session":{}}', '"session"'],
  ])('is named by its number: %s', async (_what, bad, reason) => {
    const text = `${HEADER}\n\n${NOTE}\n${bad}\n${NOTE}\n`;
    const error = await fault(text);
    expect(error.line).toBe(4);
    expect(error.message).toMatch(/^Line 4 of the session file is bad: /);
    expect(error.message).toContain(reason);
    const errors: SessionFileError[] = [];
    const { lines } = await readAll(text, { onbadline: (problem) => errors.push(problem) });
    expect(lines).toHaveLength(2);
    expect(errors.map(({ line }) => line)).toEqual([4]);
  });

  it('is one after the end', async () => {
    const file = await recorded([{ kind: 'note', text: 'a' }]);
    expect((await fault(`${file}${NOTE}\n`)).message).toContain('after the end');
  });

  it('is one that is too long, which is never held, and one that is nested too deep', async () => {
    const chunk = new Uint8Array(1024 * 1024).fill(0x61);
    const huge = function* (): Generator<Uint8Array | string> {
      yield `${HEADER}\n`;
      for (let count = 0; count < 200; count += 1) yield chunk;
      yield `\n${NOTE}\n`;
    };
    const errors: SessionFileError[] = [];
    const before = process.memoryUsage().rss;
    const { lines } = await readAll(huge(), { maxLineBytes: 1e6, onbadline: (error) => errors.push(error) });
    expect(process.memoryUsage().rss - before).toBeLessThan(100e6);
    expect(lines).toHaveLength(1);
    expect(errors[0]?.message).toContain('more than 1000000 bytes; maxLineBytes');
    for (const open of ['[', '{"a":'])
      expect((await fault(`${HEADER}\n{"kind":"acme.a","at":1,"x":${open.repeat(200_000)}\n`)).message).toContain(
        'nested more than 256',
      );
    const brackets = await readAll(`${HEADER}\n{"kind":"note","at":1,"text":"\\"${'['.repeat(1000)}\\\\"}\n`);
    expect(brackets.lines).toHaveLength(1);
  });

  it('is one that is not UTF-8', async () => {
    const bytes = [new TextEncoder().encode(`${HEADER}\n`), Uint8Array.of(0x22, 0xff, 0x22, 0x0a)];
    expect((await fault(bytes)).message).toContain('not valid UTF-8');
  });
});

describe('a file whose writer was interrupted', () => {
  it('is read up to its last whole line, wherever it was cut', async () => {
    const file = await recorded([{ kind: 'note', text: 'büro' }, toServer(request({ text: '𝄞' }))]);
    const bytes = new TextEncoder().encode(file);
    const header = bytes.indexOf(0x0a) + 1;
    for (let length = header; length < bytes.length; length += 1) {
      const part = bytes.subarray(0, length);
      const { session, lines } = await readAll(part);
      const ends = part.reduce((count, byte) => count + (byte === 0x0a ? 1 : 0), 0) - 1;
      const hasTail = part.at(-1) !== 0x0a;
      // A line that lacks nothing but its end is whole.
      const isWhole = hasTail && bytes[length] === 0x0a;
      expect(lines).toHaveLength(ends + (isWhole ? 1 : 0));
      expect(session.end?.torn).toEqual(hasTail && !isWhole ? { line: ends + 2 } : undefined);
      expect(session.end?.isComplete).toBe(isWhole && ends === 2);
    }
  });

  it('is read lazily: lines come before the file is complete', async () => {
    let isFirstRead = false;
    const source = (async function* () {
      yield `${HEADER}\n${NOTE}\n`;
      expect(isFirstRead).toBe(true);
      yield `${NOTE}\n`;
    })();
    const session = await readSession(source);
    expect(session.end).toBeUndefined();
    for await (const line of session) isFirstRead = line.kind === 'note';
    expect(session.end?.isComplete).toBe(false);
  });
});
