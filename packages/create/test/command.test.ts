import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Decided, Given } from '../src/choices.ts';
import { askForRest } from '../src/questions.ts';

const COMMAND = fileURLToPath(new URL('../bin/create-crosspoint.mjs', import.meta.url));

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'crosspoint-create-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function command(...args: string[]): { stdout: string; stderr: string; status: number | null } {
  // Its stdin stays open: a command that asks would wait for an answer.
  const { stdout, stderr, status } = spawnSync(process.execPath, [COMMAND, ...args], {
    cwd: root,
    encoding: 'utf8',
    timeout: 20_000,
  });
  return { stdout, stderr, status };
}

describe('the command', () => {
  it('asks nothing without a terminal, and says what to do next', () => {
    const { stdout, stderr, status } = command();
    expect({ stderr, status }).toEqual({ stderr: '', status: 0 });
    expect(stdout).toContain('my-server is an MCP server in TypeScript over stdio. Next:');
    for (const step of ['cd my-server', 'npm install', 'npm test', 'npm run lint', 'claude mcp add my-server -- node '])
      expect(stdout).toContain(`\n  ${step}`);
    expect(existsSync(join(root, 'my-server', 'src', 'server.ts'))).toBe(true);
  });

  it('takes everything as flags', () => {
    const { stdout } = command('tools', '--client', '--javascript', '--http', '-y');
    expect(stdout).toContain('tools is an MCP client in JavaScript over HTTP.');
    expect(existsSync(join(root, 'tools', 'src', 'client.js'))).toBe(true);
  });

  it('teaches with --help, and writes nothing', () => {
    const { stdout, status } = command('--help');
    expect(status).toBe(0);
    for (const flag of ['--server', '--client', '--typescript', '--javascript', '--stdio', '--http', '--yes'])
      expect(stdout).toContain(flag);
    expect(stdout).toContain('npm create crosspoint');
    expect(readdirSync(root)).toEqual([]);
  });

  it.each([
    [['--rust'], "The option '--rust' is not known"],
    [['--server', '--client'], '--server and --client exclude each other.'],
    [['one', 'two'], 'One folder is expected, and 2 came: one, two.'],
    [['Bad Name'], 'The name "Bad Name" cannot be used'],
  ])('refuses %j in one line, and writes nothing', (args, message) => {
    const { stdout, stderr, status } = command(...args);
    expect({ stdout, status }).toEqual({ stdout: '', status: 1 });
    expect(stderr).toContain(message);
    expect(stderr.trim().split('\n')).toHaveLength(1);
    expect(readdirSync(root)).toEqual([]);
  });
});

describe('the questions', () => {
  async function asked(given: Given, ...replies: string[]): Promise<{ decided: Decided; shown: string }> {
    const [input, output] = [new PassThrough(), new PassThrough()];
    input.end(replies.map((reply) => `${reply}\n`).join(''));
    const decided = await askForRest(given, { input, output });
    output.end();
    return { decided, shown: await text(output) };
  }

  it('take a word, its beginning, or nothing for the default', async () => {
    const { decided } = await asked({}, 'client', 'j', '', 'mine');
    expect(decided).toEqual({ kind: 'client', language: 'javascript', transport: 'stdio', folder: 'mine' });
  });

  it('come again after an answer that is none, and say what is wrong with a name', async () => {
    const { decided, shown } = await asked({}, 'neither', 'server', '', 'HTTP', 'Bad Name', '');
    expect(decided).toEqual({ kind: 'server', language: 'typescript', transport: 'http', folder: 'my-server' });
    expect(shown.split('Server or client?')).toHaveLength(3);
    expect(shown).toContain('The name "Bad Name" cannot be used');
  });

  it('leave out what was given', async () => {
    const { shown } = await asked({ kind: 'client', language: 'typescript', folder: 'x' }, 'http');
    expect(shown).toBe('Over stdio or HTTP? (stdio, http) [stdio] ');
  });

  it('end without a project when the person leaves', async () => {
    await expect(asked({}, 'server')).rejects.toThrow('The questions were not answered. Nothing was written.');
  });
});
