import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { atTerminal, hasTerminal } from '../at-terminal.ts';
import { crosspoint, PROGRAM } from '../crosspoint.ts';

// A test runs many commands, each of which starts a process or two.
vi.setConfig({ testTimeout: 180_000 });

const ASKER = fileURLToPath(new URL('../../../host/test/programs/asker.mjs', import.meta.url));

/** A kept connection to the asking server. */
async function kept(family: string) {
  const { home, run } = crosspoint();
  await run(['connect', '--as', 'asker', '--family', family, '--', process.execPath, ASKER]);
  /** Makes a call that nobody answers, and gives its question. */
  const park = async (
    ...words: string[]
  ): Promise<{ id: string; kind: string; title: string; call: { id: string } }> => {
    const { code, stdout, error } = await run(['tools', 'call', 'asker', ...words]);
    expect({ code, stdout }).toEqual({ code: 8, stdout: '' });
    const [, id = '', call = ''] =
      /requests answer (\S+) answers it, crosspoint calls wait (\S+) prints/.exec(error().hint ?? '') ?? [];
    const request = (await run(['requests', 'ls'])).json().requests.find((one: { id: string }) => one.id === id);
    expect(request).toMatchObject({ connection: 'asker', call: { id: call } });
    return request;
  };
  return { home, run, park };
}

const textOf = ({ json }: { json: () => any }): string => json().content[0].text;

describe.each(['handshake', 'per-request'])('crosspoint requests, %s family', (family) => {
  it('lists, shows and answers the question of a call that was parked, and gives its result', async () => {
    const { run, park } = await kept(family);
    const { id, kind, title, call } = await park('form');
    expect({ kind, title }).toEqual({ kind: 'form', title: 'The server "asker" asks you for information' });
    const shown = await run(['requests', 'show', id, '--text']);
    expect(shown.stdout).toContain('plan [optional, free | paid, default free]');
    expect(shown.stdout).not.toContain('\u001B');
    expect((await run(['requests', 'show', id])).json()).toMatchObject({
      connection: 'asker',
      question: { requestedSchema: { required: ['name'] } },
    });
    expect((await run(['calls', 'ls'])).json().calls).toMatchObject([
      { connection: 'asker', id: call.id, tool: 'form', state: 'waiting', requests: [id] },
    ]);
    for (const words of [['age=x'], ['nam=Ada'], ['name=A'], ['--yes'], ['name=Ada', '--yes'], []])
      expect({ words, code: (await run(['requests', 'answer', id, ...words])).code }).toEqual({ words, code: 1 });
    expect((await run(['requests', 'answer', id, 'nam=Ada'])).error().suggestions).toEqual(['name']);
    expect((await run(['requests', 'answer', id, 'name=Ada', 'age=36'])).json()).toEqual({
      id,
      connection: 'asker',
      kind: 'form',
      action: 'accept',
      call: call.id,
    });
    expect(textOf(await run(['calls', 'wait', call.id]))).toBe(
      'form: {"action":"accept","content":{"name":"Ada","age":36,"plan":"free"}}',
    );
    expect((await run(['requests', 'answer', id, 'name=Ada'])).error().message).toContain('waits');
    expect((await run(['calls', 'wait', call.id])).code).toBe(1);
    expect((await run(['calls', 'ls'])).json()).toEqual({ calls: [] });
  });

  it('declines, cancels, agrees, and takes words of a model, each with the result of the call', async () => {
    const { home, run, park } = await kept(family);
    const after = async (words: readonly string[], ...call: string[]) => {
      const { id } = await park(...call);
      const [verb = '', ...rest] = words;
      return run(['requests', verb, id, ...rest, '--wait']);
    };
    expect(textOf(await after(['decline'], 'form'))).toContain('"decline"');
    expect(textOf(await after(['decline', '--cancel'], 'form'))).toContain('"cancel"');
    expect(textOf(await after(['answer', '--reply', 'A poem.'], 'sample'))).toBe('sampled: A poem.');
    writeFileSync(join(home, 'poem'), 'Two\nlines.\n');
    expect(textOf(await after(['answer', '--reply', '@poem'], 'sample'))).toBe('sampled: Two\nlines.');
    expect((await after(['decline'], 'sample')).code).toBe(5);
    writeFileSync(join(home, 'answer.json'), '{"action": "accept", "content": {"name": "Bob"}}');
    expect(textOf(await after(['answer', '--answer', 'answer.json'], 'form'))).toContain('"name":"Bob"');
    const page = await after(['decline'], 'page', 'url=https://pay.example/');
    expect(textOf(page)).toBe('page: decline');
    const { id } = await park('sample');
    expect((await run(['requests', 'answer', id, '--yes'])).error().message).toContain('--reply');
    expect((await run(['requests', 'decline', id, '--cancel'])).code).toBe(1);
  });

  it('cancels a call that waits: its question is withdrawn', async () => {
    const { run, park } = await kept(family);
    const { call } = await park('form');
    expect((await run(['calls', 'cancel', call.id])).code).toBe(0);
    await vi.waitFor(async () => expect((await run(['requests', 'ls'])).json().requests).toEqual([]), 10_000);
    expect((await run(['calls', 'cancel', 'nothing'])).code).toBe(1);
  });

  it('keeps the questions of two calls apart, or says that it cannot', async () => {
    const { run, park } = await kept(family);
    const { call: first } = await park('sample');
    const second = await run(['tools', 'call', 'asker', 'form']);
    expect(second.code).toBe(8);
    // Over stdio, a server with a handshake does not say for which of its calls it asks.
    if (family === 'handshake') expect(second.error().hint).toContain('crosspoint calls ls');
    const calls = (await run(['calls', 'ls'])).json().calls as { id: string; tool: string }[];
    const id = calls.find(({ tool }) => tool === 'form')?.id ?? '';
    const form = (await run(['requests', 'ls'])).json().requests.find(({ kind }: { kind: string }) => kind === 'form');
    expect((await run(['requests', 'answer', form.id, 'name=Ada'])).code).toBe(0);
    expect(textOf(await run(['calls', 'wait', id]))).toContain('Ada');
    expect((await run(['calls', 'ls'])).json().calls).toMatchObject([{ id: first.id, state: 'waiting' }]);
  });

  it('answers by the rules of a file, which come before the others and leave what they do not match', async () => {
    const { home, run, park } = await kept(family);
    const parked = await park('form');
    writeFileSync(
      join(home, 'rules.json'),
      JSON.stringify({ rules: [{ match: { kind: 'form' }, content: { name: 'Rule' } }] }),
    );
    const responder = spawn(process.execPath, [PROGRAM, 'respond', '--rules', 'rules.json'], {
      cwd: home,
      env: { ...process.env, CROSSPOINT_HOME: home },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => void responder.kill('SIGKILL'));
    const ended = new Promise((resolve) => responder.once('close', resolve));
    let told = '';
    responder.stdout.setEncoding('utf8').on('data', (text: string) => (told += text));
    // Waiting questions first, then those of calls that are made meanwhile.
    await vi.waitFor(() => expect(told).toContain(parked.id), 10_000);
    expect(textOf(await run(['calls', 'wait', parked.call.id]))).toContain('"name":"Rule"');
    expect(textOf(await run(['tools', 'call', 'asker', 'form']))).toContain('"name":"Rule"');
    const { call: passed } = await park('sample');
    await vi.waitFor(() => expect(told.trimEnd().split('\n')).toHaveLength(2), 10_000);
    expect(JSON.parse(told.split('\n')[0] ?? '')).toMatchObject({
      connection: 'asker',
      id: parked.id,
      kind: 'form',
      action: 'accept',
    });
    responder.kill('SIGINT');
    expect(await ended).toBe(0);
    await run(['calls', 'cancel', passed.id]);
    const late = await park('form', '--quiet');
    expect(textOf(await run(['calls', 'wait', late.call.id, '--rules', 'rules.json']))).toContain('"name":"Rule"');
    await park('form');
    const counted = await run(['respond', 'asker', '--rules', 'rules.json', '--count', '1']);
    expect({ code: counted.code, lines: counted.stdout.trimEnd().split('\n').length }).toEqual({ code: 0, lines: 1 });
    expect((await run(['respond', '--count', '1'])).code).toBe(1);
    expect((await run(['respond', 'askr', '--rules', 'rules.json'])).error().suggestions).toEqual(['asker']);
    expect((await run(['respond', '--rules', 'rules.json', '--timeout', '0.5'])).code).toBe(9);
  });
});

describe('a question that nobody answers', () => {
  it('ends a command on a connection of its own with 8, and says how to go on; rules answer it', async () => {
    const { home, run } = crosspoint();
    const server = ['--', process.execPath, ASKER];
    const { code, error } = await run(['tools', 'call', 'form', ...server]);
    expect({ code, hint: error().hint }).toEqual({
      code: 8,
      hint: expect.stringMatching(/terminal.*--rules.*connect/),
    });
    writeFileSync(join(home, 'rules.json'), '{"rules": [{"content": {"name": "Rule"}}]}');
    const ruled = await run(['tools', 'call', 'form', '--rules', 'rules.json', ...server]);
    expect({ code: ruled.code, text: textOf(ruled) }).toEqual({ code: 0, text: expect.stringContaining('Rule') });
    writeFileSync(join(home, 'rules.json'), '{"rules": [{"content": {"name": "R"}}]}');
    const wrong = await run(['tools', 'call', 'form', '--rules', 'rules.json', ...server]);
    expect({ code: wrong.code, message: wrong.error().message }).toEqual({
      code: 1,
      message: expect.stringContaining('rules.json: rules[0]'),
    });
  });

  it.skipIf(!hasTerminal)(
    'is asked at the terminal by requests answer, and leaves the screen when it is over',
    async () => {
      const { home, run, park } = await kept('per-request');
      const { id } = await park('form');
      const answered = await atTerminal(['requests', 'answer', id, '--wait', '--json'], {
        home,
        typed: [
          ['[answer / decline / cancel]', 'answer'],
          ['name (', 'Ada'],
          ['age (', ''],
          ['plan (', ''],
          ['[send / change / decline / cancel]', 'send'],
        ],
      });
      expect(answered.screen).toContain('\\"name\\":\\"Ada\\"');
      const asking = atTerminal(['tools', 'call', 'asker', 'form', '--json'], { home, typed: [] });
      const next = await vi.waitFor(async () => {
        const [request] = (await run(['requests', 'ls'])).json().requests;
        expect(request).toBeDefined();
        return request;
      }, 10_000);
      await run(['requests', 'answer', next.id, 'name=Elsewhere']);
      const { code, screen } = await asking;
      expect({ code, screen }).toEqual({ code: 0, screen: expect.stringContaining('Elsewhere') });
    },
  );
});
