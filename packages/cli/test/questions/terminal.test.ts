import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, vi } from 'vitest';
import { atTerminal, hasTerminal } from '../at-terminal.ts';
import { crosspoint } from '../crosspoint.ts';

// A test runs many commands, each of which starts a process or two.
vi.setConfig({ testTimeout: 180_000 });

const ASKER = fileURLToPath(new URL('../../../host/test/programs/asker.mjs', import.meta.url));

/** The last line of the screen that is JSON, as a result. */
function resultOn(screen: string): { content: { text: string }[] } {
  const line = screen.split(/\r?\n/).findLast((one) => one.startsWith('{"content"')) ?? '{}';
  return JSON.parse(line) as { content: { text: string }[] };
}

const FORM = '[answer / decline / cancel]';

describe.skipIf(!hasTerminal).each(['handshake', 'per-request'])('questions at the terminal, %s family', (family) => {
  /** Calls a tool of the asking server, in this process or on a kept connection. */
  async function call(
    tool: readonly string[],
    typed: readonly (readonly [string, string])[],
    { isKept = false, options = [] as readonly string[] } = {},
  ): Promise<{ code: number; screen: string; text: string }> {
    const { home, run } = crosspoint();
    const server = ['--family', family, '--', process.execPath, ASKER];
    if (isKept) await run(['connect', '--as', 'asker', ...server]);
    const words = isKept
      ? ['tools', 'call', 'asker', ...tool, '--json', ...options]
      : ['tools', 'call', ...tool, '--json', ...options, ...server];
    const { code, screen } = await atTerminal(words, { home, typed });
    return { code, screen, text: resultOn(screen).content?.[0]?.text ?? '' };
  }

  it.each([false, true])(
    'a form is filled in field by field and checked before it is sent (kept: %s)',
    async (isKept) => {
      const { code, screen, text } = await call(
        ['form'],
        [
          [FORM, 'answer'],
          ['name (required, text, at least 2 characters):', 'A'],
          ['name (required', 'Ada'],
          ['age (optional, whole number', '3.5'],
          ['age (optional, whole number', '36'],
          ['plan (', '\u00152'],
          ['[send / change / decline / cancel]', 'change'],
          ['The number of the answer to change:', '2'],
          ['age (optional', '\u001537'],
          ['3. plan: paid', 'send'],
        ],
        { isKept },
      );
      expect({ code, text }).toEqual({
        code: 0,
        text: 'form: {"action":"accept","content":{"name":"Ada","age":37,"plan":"paid"}}',
      });
      // Escape sequences of the server are shown, not acted on.
      expect(screen).toContain('\\u{1b}]8;;https://evil.example');
      expect(screen).toContain('default free');
    },
  );

  it('a form is declined, or left with Ctrl-D', async () => {
    expect((await call(['form'], [[FORM, 'decline']])).text).toContain('"action":"decline"');
    expect(
      (
        await call(
          ['form'],
          [
            [FORM, 'nonsense'],
            ['Type one of: answer', 'cancel'],
          ],
        )
      ).text,
    ).toContain('"cancel"');
    expect((await call(['form'], [[FORM, '\u0004']])).text).toContain('"action":"cancel"');
  });

  it('a page is shown with its host and whole address, and opened after a yes alone', async () => {
    const url = 'https://pay.example/start?order=1&very=long';
    const declined = await call(['page', `url=${url}`], [['[open / decline / cancel]', 'decline']]);
    expect(declined.text).toBe('page: decline');
    expect(declined.screen).toMatch(/Host: +pay\.example/);
    expect(declined.screen).toContain(`Address: ${url}`);
    expect(declined.screen).not.toContain('Open this address');
  });

  it('words of a model are written by the person, or refused', async () => {
    const written = await call(
      ['sample'],
      [
        ['[write / deny]', 'write'],
        ['Your answer', 'Roses \\'],
        ['> ', 'are red.'],
      ],
    );
    expect({ code: written.code, text: written.text }).toEqual({ code: 0, text: 'sampled: Roses \nare red.' });
    expect(written.screen).toContain('user: Write a poem');
    expect((await call(['sample'], [['[write / deny]', 'deny']])).code).toBe(5);
  });

  it('folders are told after a yes alone', async () => {
    const { home } = crosspoint();
    const entry = { command: process.execPath, args: [ASKER], roots: [home] };
    writeFileSync(join(home, 'crosspoint.json'), JSON.stringify({ servers: { asker: entry } }));
    const words = ['tools', 'call', 'asker', 'folders', '--json', '--family', family];
    for (const [word, text] of [
      ['allow', `folders: file://${home}`],
      ['deny', 'folders: none'],
    ] as const) {
      const { screen } = await atTerminal(words, { home, typed: [['[allow / deny]', word]] });
      expect(resultOn(screen).content[0]?.text).toBe(text);
    }
  });

  it('Ctrl-C at a question ends the command with 130', async () => {
    expect((await call(['form'], [[FORM, '\u0003']])).code).toBe(130);
  });
});

describe.skipIf(!hasTerminal)('a page at the terminal', () => {
  it('is printed with --no-browser, and the call goes on when the server says that it is done', async () => {
    const { home, run } = crosspoint();
    await run(['connect', '--as', 'asker', '--', process.execPath, ASKER]);
    const url = 'https://pay.example/start';
    const paying = atTerminal(['tools', 'call', 'asker', 'page', `url=${url}`, '--json', '--no-browser'], {
      home,
      typed: [['[open / decline / cancel]', 'open']],
    });
    const done = new AbortController();
    const finishing = (async () => {
      while (!done.signal.aborted) await run(['tools', 'call', 'asker', 'finish']);
    })();
    const { code, screen } = await paying;
    done.abort();
    await finishing;
    expect({ code, text: resultOn(screen).content[0]?.text }).toEqual({ code: 0, text: 'page: paid' });
    expect(screen).toMatch(/Open this address in your browser:\s+https:\/\/pay\.example\/start/);
  });
});
