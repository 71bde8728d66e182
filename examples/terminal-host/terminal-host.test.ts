import { readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { proves } from '../../packages/crosspoint/test/requirements/proves.ts';
import {
  CALL,
  asker,
  folder,
  hasTerminal,
  start,
  startAsker,
  startWith,
} from '../../packages/host/test/terminal/screen.ts';

const require = createRequire(import.meta.url);

const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

describe.skipIf(!hasTerminal)('the host in the terminal', () => {
  proves('L-SECURITY-001, L-SECURITY-004, M-ASEC-039, M-ASEC-040, L-SECURITY-038, L-SECURITY-039').it(
    'starts nothing of a file before the user trusted it, saw the whole command with its dangers, and agreed',
    async () => {
      const long = `--${'x'.repeat(300)}-end`;
      const screen = await startWith(
        { risky: { command: 'sudo', args: ['sh', '-c', 'cat ~/.ssh/id_rsa', long] }, asker: asker() },
        { name: '.mcp.json' },
      );
      const file = await screen.answer('is not trusted yet', '[trust / refuse]', 'trust');
      expect(file).toContain('.mcp.json is not trusted yet. It would start:');
      expect(file).toMatch(/Warning: Runs with the rights of an administrator/);
      const first = await screen.answer('The server "risky" is about to be started', '[allow / deny]', 'deny');
      expect(first).toContain('The server "risky" is about to be started for the first time');
      expect(first).toContain(`Runs: sudo sh -c 'cat ~/.ssh/id_rsa' ${long}`);
      expect(first).toMatch(/Warning: Runs a command line in a shell/);
      expect(first).toMatch(/Warning: .*\.ssh/);
      await screen.answer('The server "asker" is about to be started', '[allow / deny]', 'allow');
      await screen.shows('asker is ready.');
      screen.type('servers');
      const shown = await screen.shows(/\nasker is ready\./);
      expect(shown).toContain('risky has not been allowed to start: The user did not allow it.');
    },
  );

  it('starts nothing of a file that is not trusted', async () => {
    const screen = await startWith({ asker: asker() }, { name: '.mcp.json' });
    await screen.answer('is not trusted yet', '[trust / refuse]', 'refuse');
    await screen.shows('asker has not been allowed to start: The file');
    screen.type('tools');
    await screen.shows('The model sees no tools.');
  });

  proves(
    'L-TOOLS-042, L-TOOLS-044, L-TOOLS-041, L-TOOLS-043, L-SECURITY-007, L-SECURITY-009, M-TOOL-007, M-BASE-054, L-TOOLS-045, M-TOOL-033',
  ).it('shows the tools, asks before each call with all that the tool says, and a person can deny', async () => {
    const screen = await startAsker();
    screen.type('tools');
    expect(await screen.shows('asker__slow  Waits until it is cancelled.')).toContain(
      'asker__wipe  Deletes all notes.',
    );
    screen.type('call asker__wipe {"note": "a"}');
    const asked = await screen.answer('is about to run the tool', CALL, 'deny');
    expect(asked).toContain('-- asker__wipe: you decide');
    expect(asked).toContain('The server "asker" is about to run the tool "wipe"');
    expect(asked).toContain('It says of itself: Deletes all notes.');
    expect(asked).toContain('"note": "a"');
    expect(await screen.shows('was refused: The user did not allow it.')).not.toContain('running');
    screen.type('call asker__wipe {"note": "b"}');
    await screen.answer('is about to run the tool', CALL, 'once');
    expect(await screen.shows('wiped b')).toContain('-- asker__wipe: running');
    // Once was once.
    screen.type('call asker__wipe {"note": "c"}');
    await screen.answer('is about to run the tool', CALL, 'edit');
    await screen.shows('Arguments: {"note":"c"}');
    screen.retype('{"note": "d"}');
    await screen.shows('wiped d');
    screen.type('call asker__wipe nonsense');
    await screen.shows('is not valid JSON');
  });

  proves('L-SECURITY-008, L-TOOLS-033').it(
    'believes no annotation of a server that is not trusted, and no text of it acts',
    async () => {
      const screen = await startAsker();
      screen.type('call asker__wipe {"note": "a"}');
      const asked = await screen.answer('is about to run the tool', CALL, 'deny');
      expect(asked).toContain('The server says read-only, not destructive, which is not believed');
      expect(asked).toContain('\\u{1b}]8;;https://evil.example\\u{7}click here');
      expect(asked).toContain('\\u{202e}hidden');
      screen.type('explain asker__wipe {"note": "a"}');
      await screen.shows('The user is asked.');
      expect(screen.raw).not.toContain('\u001B]8;');
      expect(screen.raw).not.toContain('\u202E');
    },
  );

  proves('L-SECURITY-002, L-SECURITY-003').it(
    'keeps what was allowed for the session, lists it with what was done, and takes it back',
    async () => {
      const screen = await startAsker();
      screen.type('call asker__wipe {"note": "a"}');
      await screen.answer('is about to run the tool', CALL, 'session');
      await screen.shows('wiped a');
      screen.type('call asker__wipe {"note": "b"}');
      expect(await screen.shows('wiped b')).not.toContain(CALL);
      screen.type('approvals');
      await screen.shows('1. asker wipe: session, since');
      screen.type('revoke 1');
      await screen.shows('Taken back.');
      screen.type('call asker__wipe {"note": "c"}');
      await screen.answer('is about to run the tool', CALL, 'always');
      await screen.shows('wiped c');
      // Another definition is another tool.
      screen.type('call asker__rewrite');
      await screen.answer('is about to run the tool', CALL, 'once');
      await screen.shows('asker offers other things than before');
      screen.type('call asker__wipe {"note": "d"}');
      const changed = await screen.answer('is about to run the tool', CALL, 'deny');
      expect(changed).toContain('Its definition has changed since you allowed it:');
      expect(changed).toContain('+ Deletes all notes and sends a copy away.');
      await screen.shows('was refused');
      screen.type('activity');
      const activity = await screen.shows(/asker answer call deny/);
      expect(activity).toMatch(/asker call wipe \{"note":"a"\}/);
      expect(activity).toMatch(/asker approval wipe session/);
      screen.type('forget asker');
      await screen.answer('The server "asker" is about to be started', '[allow / deny]', 'deny');
      await screen.shows('asker has not been allowed to start: The user did not allow it.');
    },
  );

  proves('L-CANCELLATION-011, M-CAN-016').it('shows that a call is being cancelled', async () => {
    const screen = await startAsker();
    screen.type('call asker__slow');
    await screen.answer('is about to run the tool', CALL, 'session');
    await screen.shows('-- asker__slow: 1 of 2 half');
    screen.type('calls');
    await screen.shows('1. asker__slow: running');
    screen.type('cancel 1');
    await screen.shows('-- asker__slow: cancelling');
    await screen.shows('-- asker__slow: ended');
    screen.type('calls');
    await screen.shows('No call runs.');
    // Ctrl-C does the same.
    screen.type('call asker__slow');
    await screen.shows('-- asker__slow: 1 of 2 half');
    screen.keys('\u0003');
    await screen.shows('-- asker__slow: cancelling');
    await screen.shows('-- asker__slow: ended');
    screen.type('cancel 7');
    await screen.shows('There is no number 7 in the list.');
  });

  proves('L-LOGGING-016').it('shows the log messages of a server from the level on that the user sets', async () => {
    const screen = await startAsker(asker('--revisions', '2025-11-25'));
    screen.type('log asker error');
    screen.type('call asker__chatter');
    await screen.answer('is about to run the tool', CALL, 'session');
    const quiet = await screen.shows('chattered');
    expect(quiet).toContain('-- asker error: "error \\u001b[2J message"');
    expect(quiet).not.toContain('warning:');
    screen.type('log asker debug');
    screen.type('call asker__chatter');
    const all = await screen.shows('chattered');
    for (const level of ['debug', 'warning', 'error']) expect(all).toContain(`-- asker ${level}:`);
  });

  proves('L-PROMPTS-018, L-RESOURCES-026').it(
    'offers prompts as commands and resources to pick from; nothing of them is used by itself',
    async () => {
      const screen = await startAsker();
      screen.type('prompts');
      await screen.shows('/asker__poem about=…  Asks for a poem.');
      screen.type('/asker__poem about=rain');
      await screen.shows('A poem about rain');
      screen.type('/asker__poem');
      await screen.shows('The prompt poem needs about.');
      screen.type('resources diary');
      await screen.shows('read asker note://diary  The diary');
      expect(screen.raw).not.toContain('Dear diary');
      screen.type('read asker note://diary');
      await screen.shows('Dear diary');
    },
  );

  it('completes commands, names and values, and brings back commands but no answers', async () => {
    const screen = start();
    await screen.shows(/\nasking is ready\./);
    screen.keys('call demo__ad\t');
    await screen.shows('call demo__add');
    screen.type(' {"a": 1, "b": 2}');
    await screen.shows(CALL);
    screen.keys('on\t');
    await screen.shows('once');
    screen.type('');
    await screen.shows('{"sum":3}');
    screen.keys('\u001B[A');
    await screen.shows('call demo__add {"a": 1, "b": 2}');
    screen.retype('');
    screen.keys('/demo__postcard city=Lis\t');
    await screen.shows('city=Lisbon');
    screen.retype('nonsense');
    await screen.shows('There is no command nonsense. Type help.');
    screen.type('help');
    await screen.shows('call <tool> [json]');
  });

  it('keeps a half-typed command while a question is asked, and carries out commands behind a colon', async () => {
    const screen = await startAsker();
    screen.type('call asker__form');
    await screen.shows(CALL);
    screen.type(':calls');
    await screen.shows('1. asker__form: asking');
    screen.type('session');
    await screen.shows('[answer / decline / cancel]');
    screen.type(':cancel 1');
    await screen.shows('The question was withdrawn.');
    await screen.shows('-- asker__form: ended');
    screen.type(`call asker__later {"file": "${join(folder, 'now')}"}`);
    await screen.answer('is about to run the tool', CALL, 'once');
    await screen.shows('-- asker__later: running');
    screen.keys('tools');
    await screen.shows('tools');
    await writeFile(join(folder, 'now'), '');
    await screen.answer('asks you for information', '[answer / decline / cancel]', 'decline');
    await screen.shows('later: decline');
    await screen.shows('> tools');
    screen.keys('\r');
    await screen.shows('asker__slow  Waits');
  });

  it('works with the published server-everything', async () => {
    const folderOf = join(
      require.resolve('@modelcontextprotocol/server-everything/package.json'),
      '..',
      'dist',
      'index.js',
    );
    const screen = await startAsker({ command: process.execPath, args: [folderOf, 'stdio'], roots: [folder] });
    screen.type('call asker__echo {"message": "hello"}');
    await screen.answer('is about to run the tool', CALL, 'once');
    await screen.shows('Echo: hello');
  });

  it('asks for values that a file refers to, and shows no secret while it is typed or later', async () => {
    const entry = { ...asker(), env: { TOKEN: '${input:token}' } };
    const inputs = [{ id: 'token', title: 'The token', secret: true }];
    const screen = await startWith({ asker: entry }, { more: { inputs } });
    await screen.answer('is not trusted yet', '[trust / refuse]', 'trust');
    await screen.answer('The server "asker" is about to be started', '[allow / deny]', 'allow');
    await screen.answer('The value is a secret', 'The token (empty to cancel):', 'hunter2');
    await screen.shows('-- asker is ready.');
    screen.keys('\u001B[A\u001B[A');
    screen.retype('activity');
    await screen.shows('asker server ready');
    expect(screen.raw).not.toContain('hunter2');
  });

  it('keeps trust, starts and approvals where it is told to, until the file changes', async () => {
    const keep = ['--keep', join(folder, 'state.db')];
    const first = await startWith({ asker: asker() }, { args: keep });
    await first.answer('is not trusted yet', '[trust / refuse]', 'trust');
    await first.answer('The server "asker" is about to be started', '[allow / deny]', 'allow');
    await first.shows('-- asker is ready.');
    first.type('call asker__wipe {"note": "a"}');
    await first.answer('is about to run the tool', CALL, 'always');
    await first.shows('wiped a');
    first.type('quit');
    await first.exited;
    const second = await startWith({ asker: asker() }, { args: keep });
    await second.shows('-- asker is ready.');
    second.type('call asker__wipe {"note": "b"}');
    expect(await second.shows('wiped b')).not.toContain('==');
    second.type('quit');
    await second.exited;
    const third = await startWith({ asker: asker('--revisions', '2025-11-25') }, { args: keep });
    const changed = await third.answer('has changed since you trusted it', '[trust / refuse]', 'refuse');
    expect(changed).toContain('Changed: asker ');
    await third.shows('asker has not been allowed to start: The file');
  });

  it.each(['the end of its input', 'a lost terminal', 'quit'])('leaves no process behind after %s', async (how) => {
    const screen = await startAsker();
    screen.type('call asker__slow');
    await screen.answer('is about to run the tool', CALL, 'once');
    await screen.shows('1 of 2 half');
    const children = (await readFile(`/proc/${screen.pid}/task/${screen.pid}/children`, 'utf8').catch(() => ''))
      .split(' ')
      .filter((pid) => pid !== '')
      .map(Number);
    if (process.platform === 'linux') expect(children).toHaveLength(1);
    if (how === 'quit') screen.type('quit');
    else if (how === 'a lost terminal') screen.end();
    else screen.keys('\u0004');
    await screen.exited;
    await vi.waitFor(() => expect(children.filter(isRunning)).toEqual([]), 5000);
  });
});
