import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type * as Pty from '@lydell/node-pty';
import { expect, it } from 'vitest';
import { crosspoint, PROGRAM } from './crosspoint.ts';

const pty = await (import('@lydell/node-pty') as Promise<typeof Pty>).catch(() => undefined);

it('new server and new client write projects, and never write over anything', async () => {
  const { home, run } = crosspoint();
  const made = await run(['new', 'server', 'weather', '--language', 'javascript', '--transport', 'http']);
  expect(made.json()).toMatchObject({ name: 'weather', folder: join(home, 'weather') });
  const manifest = JSON.parse(readFileSync(join(home, 'weather', 'package.json'), 'utf8')) as object;
  expect(manifest).toMatchObject({ name: 'weather', scripts: { start: expect.any(String), test: expect.any(String) } });
  const again = await run(['new', 'client', 'weather']);
  expect(again.code).toBe(1);
  expect(again.error().message).toContain('is not empty');
  expect((await run(['new', 'client'])).json()).toMatchObject({ name: 'my-client' });
  const text = await run(['new', 'server', 'other', '--text', '--yes']);
  expect(text.stdout).toContain('npm install');
  const wrong = await run(['new', 'server', 'Bad Name']);
  expect(wrong.code).toBe(1);
  expect((await run(['new', 'server', 'x', '--language', 'cobol'])).code).toBe(1);
});

it.skipIf(pty === undefined)('asks on a terminal for what is not given', async () => {
  const { home } = crosspoint();
  const env = { ...process.env, CROSSPOINT_HOME: home, NO_COLOR: '1' };
  const terminal = pty?.spawn(process.execPath, [PROGRAM, 'new', 'client', 'asked'], { cols: 120, cwd: home, env });
  let screen = '';
  const answers = [
    ['TypeScript or JavaScript?', 'javascript'],
    ['Over stdio or HTTP?', 'http'],
  ];
  terminal?.onData((data) => {
    screen += data;
    const [question, answer] = answers[0] ?? [];
    if (question === undefined || !screen.includes(question)) return;
    answers.shift();
    terminal.write(`${answer}\r`);
  });
  const code = await new Promise((resolve) => terminal?.onExit(({ exitCode }) => resolve(exitCode)));
  expect(code).toBe(0);
  expect(screen).toContain('asked is an MCP client in JavaScript over HTTP');
});
