import { once } from 'node:events';
import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  anthropicAnswer,
  anthropicEvents,
  chatAnswer,
  FakeEndpoint,
  refusing,
  stalling,
  type Reply,
} from '../../host/test/models/fake-endpoint.ts';
import { atTerminal, hasTerminal } from './at-terminal.ts';
import { crosspoint, DEMO, PROGRAM } from './crosspoint.ts';

// A test runs many commands, each of which starts a process or two.
vi.setConfig({ testTimeout: 180_000 });

const ASKER = fileURLToPath(new URL('../../host/test/programs/asker.mjs', import.meta.url));
const KEY = 'sk-test-0123456789';
const ALLOW = '{ "rules": [{ "effect": "allow" }] }';

async function endpoint(...replies: Reply[]): Promise<FakeEndpoint> {
  const opened = await FakeEndpoint.open(...replies);
  onTestFinished(() => opened[Symbol.asyncDispose]());
  return opened;
}

/** The options for a fake endpoint of one of the APIs. */
function model(kind: 'anthropic' | 'openai', { url }: FakeEndpoint): string[] {
  return ['--provider', kind, '--base-url', url, '--model', `${kind}-test`, '--key', 'env:TEST_KEY'];
}

const use = (name: string, input: object): Reply =>
  anthropicAnswer({ blocks: [{ type: 'tool_use', id: 'toolu_1', name, input: input as never }], stop: 'tool_use' });
const says = (text: string): Reply => anthropicAnswer({ blocks: [{ type: 'text', text }] });

const events = (stdout: string): any[] =>
  stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

describe('crosspoint chat', () => {
  it.each(['anthropic', 'openai'] as const)('has a model of %s use the tools of two servers, once', async (kind) => {
    const { home, run } = crosspoint();
    writeFileSync(join(home, 'policy.json'), ALLOW);
    await run(['servers', 'add', 'demo', ...DEMO]);
    const replies =
      kind === 'anthropic'
        ? [use('demo__add', { a: 2, b: 40 }), use('node__wipe', { note: 'x' }), says('It is 42.')]
        : [
            chatAnswer({ calls: [{ id: 'c1', name: 'demo__add', arguments: '{"a":2,"b":40}' }] }),
            chatAnswer({ calls: [{ id: 'c2', name: 'node__wipe', arguments: '{"note":"x"}' }] }),
            chatAnswer({ text: 'It is 42.' }),
          ];
    const fake = await endpoint(...replies);
    const words = ['chat', 'demo', '--prompt', 'Add 2 and 40', ...model(kind, fake), '--', process.execPath, ASKER];
    const { code, stdout, stderr } = await run(words, { env: { TEST_KEY: KEY } });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const told = events(stdout);
    expect(told.filter(({ type }) => type === 'call').map(({ call }) => call.tool)).toEqual([
      'demo__add',
      'node__wipe',
    ]);
    expect(told.find(({ type }) => type === 'result').result.structuredContent).toEqual({ sum: 42 });
    expect(
      told
        .filter(({ type }) => type === 'text')
        .map(({ text }) => text)
        .join(''),
    ).toBe('It is 42.');
    expect(told.at(-1)).toMatchObject({ type: 'end', reason: 'done', text: 'It is 42.', rounds: 3 });
    expect(fake.requests).toHaveLength(3);
    const headers = fake.requests[0]?.headers;
    expect(headers?.['x-api-key'] ?? headers?.authorization).toContain(KEY);
    expect(JSON.stringify(fake.requests.map(({ body }) => body))).not.toContain(KEY);
    expect(stdout).not.toContain(KEY);
    expect(readFileSync(join(home, 'host.db')).includes(KEY)).toBe(false);
    const before = fake.requests.length;
    const again = await run(['chat', 'demo', '--prompt', 'And?', '--resume', told.at(-1).id, ...model(kind, fake)], {
      env: { TEST_KEY: KEY },
    });
    expect(again.code).toBe(0);
    expect(JSON.stringify(fake.requests[before]?.body.messages)).toContain('Add 2 and 40');
  });

  it('streams words to stdout with --text, shows no escape sequences, and reads the prompt of stdin', async () => {
    const { run } = crosspoint();
    const fake = await endpoint(says('Hello \u001B[31mred\nline'));
    const { code, stdout, stderr } = await run(['chat', '--text', ...model('anthropic', fake)], {
      input: 'Say hello\n',
      env: { TEST_KEY: KEY },
    });
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'Hello \\u{1b}[31mred\nline\n' });
    expect(stderr).toContain('the model has no tools');
    expect(stderr).toMatch(/crosspoint chat … --resume [\w-]+ goes on/);
    expect(fake.requests[0]?.body.messages).toMatchObject([{ role: 'user', content: [{ text: 'Say hello' }] }]);
  });

  it('ends with 8 where a call needs a yes and nobody is there; rules say it; a no goes to the model', async () => {
    const { home, run } = crosspoint();
    const fake = await endpoint(use('node__wipe', { note: 'x' }), says('Done.'));
    const words = ['chat', '--prompt', 'Wipe', ...model('anthropic', fake)];
    const server = ['--', process.execPath, ASKER];
    const env = { TEST_KEY: KEY };
    const nobody = await run([...words, ...server], { env });
    expect({ code: nobody.code, hint: nobody.error().hint }).toEqual({
      code: 8,
      hint: expect.stringContaining('--rules'),
    });
    expect(events(nobody.stdout).at(-1)).toMatchObject({ type: 'end', reason: 'cancelled' });
    expect(events(nobody.stdout).some(({ type }) => type === 'result')).toBe(false);
    const answered = async (answer: object): Promise<any[]> => {
      writeFileSync(join(home, 'rules.json'), JSON.stringify({ rules: [{ match: { kind: 'call' }, answer }] }));
      const next = await endpoint(use('node__wipe', { note: 'x' }), says('Done.'));
      const { code, stdout } = await run(
        ['chat', '--prompt', 'Wipe', ...model('anthropic', next), '--rules', 'rules.json', ...server],
        { env },
      );
      expect(code).toBe(0);
      return events(stdout);
    };
    const allowed = await answered({ action: 'allow' });
    expect(allowed.find(({ type }) => type === 'result')).toMatchObject({
      isError: false,
      content: [{ text: 'wiped x' }],
    });
    const denied = await answered({ action: 'deny', message: 'Not today.' });
    expect(denied.find(({ type }) => type === 'result')).toMatchObject({ isError: true });
  });

  it('keeps an approval for always: the next conversation asks no more', async () => {
    const { home, run } = crosspoint();
    const env = { TEST_KEY: KEY };
    await run(['servers', 'add', 'asker', '--', process.execPath, ASKER]);
    writeFileSync(
      join(home, 'rules.json'),
      JSON.stringify({ rules: [{ match: { kind: 'call' }, answer: { action: 'allow', for: 'always' } }] }),
    );
    for (const rules of [['--rules', 'rules.json'], []]) {
      const fake = await endpoint(use('asker__wipe', { note: 'x' }), says('Done.'));
      const { code } = await run(['chat', 'asker', '--prompt', 'x', ...rules, ...model('anthropic', fake)], { env });
      expect({ rules, code }).toEqual({ rules, code: 0 });
    }
  });

  it('uses a kept connection with its state, and its questions', async () => {
    const { home, run } = crosspoint();
    writeFileSync(join(home, 'policy.json'), ALLOW);
    writeFileSync(join(home, 'rules.json'), '{"rules": [{"match": {"kind": "form"}, "content": {"name": "Ada"}}]}');
    await run(['connect', '--as', 'asker', '--', process.execPath, ASKER]);
    const fake = await endpoint(use('asker__form', {}), says('Filled.'));
    const { code, stdout } = await run(
      ['chat', 'asker', '--prompt', 'Fill', '--rules', 'rules.json', ...model('anthropic', fake)],
      { env: { TEST_KEY: KEY } },
    );
    const told = events(stdout);
    expect({ code, text: told.at(-1).text }).toEqual({ code: 0, text: 'Filled.' });
    expect(JSON.stringify(told.find(({ type }) => type === 'result').content)).toContain('Ada');
    expect((await run(['ls'])).json().connections).toHaveLength(1);
  });

  it('takes a key from a file, a variable or a secret, and never from its line', async () => {
    const { home, run } = crosspoint();
    const fake = await endpoint(says('Hi.'));
    const base = ['chat', '--prompt', 'Hi', '--provider', 'anthropic', '--base-url', fake.url, '--model', 'm', '--key'];
    const env = { CROSSPOINT_SECRETS_KEY: Buffer.alloc(32, 7).toString('base64') };
    writeFileSync(join(home, 'key'), `${KEY}\n`, { mode: 0o600 });
    await run(['secrets', 'set', 'claude'], { input: 'sk-secret-9', env });
    expect((await run([...base, '@key'], { env })).code).toBe(0);
    expect((await run([...base, 'secret:claude'], { env })).code).toBe(0);
    const sent = fake.requests.map(({ headers }) => headers['x-api-key'] ?? headers.authorization);
    expect(sent).toEqual([expect.stringContaining(KEY), expect.stringContaining('sk-secret-9')]);
    const typed = await run([...base, KEY], { env });
    expect({ code: typed.code, stderr: typed.stderr }).toEqual({ code: 1, stderr: expect.not.stringContaining(KEY) });
    expect((await run([...base, 'secret:none'], { env })).code).toBe(1);
    const plain = ['chat', '--prompt', 'Hi', '--model', 'm'];
    const bare = { ANTHROPIC_API_KEY: '', OPENAI_API_KEY: '' };
    expect((await run(plain, { env: bare })).error().hint).toContain('Neither');
    expect((await run(['chat', '--prompt', 'Hi'], { env: bare })).error().message).toContain('--model');
    const open = ['--base-url', 'http://models.example/v1', '--key', '@key'];
    expect((await run([...plain, ...open], { env: bare })).error().message).toContain('https');
    expect(fake.requests).toHaveLength(2);
  });

  it('ends by its budget with 5, by a refused key with 3, and by a server that does not start with 4', async () => {
    const { home, run } = crosspoint();
    writeFileSync(join(home, 'policy.json'), ALLOW);
    const env = { TEST_KEY: KEY };
    const loop = await endpoint(use('node__wipe', { note: 'x' }));
    const server = ['--', process.execPath, ASKER];
    const rounds = await run(['chat', '--prompt', 'x', '--rounds', '2', ...model('anthropic', loop), ...server], {
      env,
    });
    expect({ code: rounds.code, hint: rounds.error().hint }).toEqual({
      code: 5,
      hint: expect.stringContaining('--rounds'),
    });
    expect(loop.requests).toHaveLength(2);
    const refused = await endpoint(
      refusing(401, { type: 'error', error: { type: 'authentication_error', message: 'no' } }),
    );
    expect((await run(['chat', '--prompt', 'x', ...model('anthropic', refused)], { env })).code).toBe(3);
    const broken = [
      'chat',
      '--prompt',
      'x',
      ...model('anthropic', loop),
      '--',
      process.execPath,
      '-e',
      'process.exit(1)',
    ];
    expect((await run(broken, { env })).code).toBe(4);
    expect(loop.requests).toHaveLength(2);
  });

  it('Ctrl-C ends a request to the model and the command with 130', async () => {
    const { home } = crosspoint();
    const fake = await endpoint(stalling(anthropicEvents({ blocks: [{ type: 'text', text: 'Never' }] }).slice(0, 4)));
    const child = spawn(process.execPath, [PROGRAM, 'chat', '--prompt', 'x', ...model('anthropic', fake)], {
      env: { ...process.env, TEST_KEY: KEY, CROSSPOINT_HOME: home },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let stdout = '';
    child.stdout.on('data', (data: Buffer) => (stdout += String(data)));
    await vi.waitFor(() => expect(stdout).toContain('"text"'), 20_000);
    child.kill('SIGINT');
    expect((await once(child, 'close'))[0]).toBe(130);
    expect(events(stdout).at(-1)).toMatchObject({ type: 'end', reason: 'cancelled' });
  });
});

describe.skipIf(!hasTerminal)('crosspoint chat at a terminal', () => {
  it('talks, asks before a call, lists tools, and goes on with the conversation', async () => {
    const { home } = crosspoint();
    const fake = await endpoint(use('node__wipe', { note: 'x' }), says('First answer.'), says('Second answer.'));
    const { code, screen } = await atTerminal(['chat', ...model('anthropic', fake), '--', process.execPath, ASKER], {
      home,
      env: { TEST_KEY: KEY },
      typed: [
        ['> ', '/tools'],
        ['node__chatter', 'Wipe x'],
        ['[once / session / always / edit / deny]', 'once'],
        ['First answer.', 'More'],
        ['Second answer.', '/exit'],
      ],
    });
    expect(code).toBe(0);
    expect(screen).toContain('is about to run the tool "wipe"');
    expect(screen).toContain('← node__wipe: wiped x');
    const last = JSON.stringify(fake.requests.at(-1)?.body.messages);
    for (const words of ['Wipe x', 'First answer.', 'More']) expect(last).toContain(words);
  });

  it('Ctrl-C stops an answer, not the conversation; Ctrl-D ends it', async () => {
    const { home } = crosspoint();
    const fake = await endpoint(
      stalling(anthropicEvents({ blocks: [{ type: 'text', text: 'Endless words' }] }).slice(0, 4)),
      says('Here again.'),
    );
    const { code, screen } = await atTerminal(['chat', ...model('anthropic', fake)], {
      home,
      env: { TEST_KEY: KEY },
      typed: [
        ['> ', 'Begin'],
        ['Endl', '\u0003'],
        ['stopped the answer', 'Again'],
        ['Here again.', '/exit'],
      ],
    });
    expect({ code, screen }).toEqual({ code: 0, screen: expect.stringContaining('--resume') });
    const left = await atTerminal(['chat', ...model('anthropic', fake)], {
      home,
      env: { TEST_KEY: KEY },
      typed: [['> ', '\u0004']],
    });
    expect(left.code).toBe(0);
  });
});
