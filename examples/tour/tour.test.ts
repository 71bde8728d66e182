import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';

const REVISIONS = ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];
const started: ChildProcess[] = [];

afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL');
});

function run(program: string, env: Record<string, string> = {}): { child: ChildProcess; output: () => string } {
  const child = spawn(process.execPath, [fileURLToPath(new URL(`../dist/tour/${program}`, import.meta.url))], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  started.push(child);
  let text = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  return { child, output: () => text };
}

async function until(holds: () => boolean): Promise<void> {
  for (const end = Date.now() + 60_000; !holds();) {
    if (Date.now() > end) throw new Error('It did not happen within a minute.');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** The lines that every revision must show. */
function expectEveryRevision(output: string): void {
  for (const revision of REVISIONS) expect(output).toContain(`\n${revision}  (`);
  expect(output.match(/progress 1 2 3 4 5/g)).toHaveLength(REVISIONS.length);
  expect(output.match(/Greetings from Bergen!/g)).toHaveLength(REVISIONS.length);
  expect(output.match(/Welcome, Ada!/g)).toHaveLength(3);
}

describe('the tour', { timeout: 90_000 }, () => {
  it('shows every revision over stdio and ends', async () => {
    const { child, output } = run('stdio.js');
    const [code] = (await once(child, 'exit')) as [number];
    expect(code).toBe(0);
    expectEveryRevision(output());
  });

  it('takes the next free port, shows every revision over HTTP, stays up, and ends when interrupted', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as AddressInfo;
    const { child, output } = run('main.js', { PORT: String(port) });
    await until(() => output().includes('Ready.'));
    expect(output()).toContain(`Port ${port} is taken.`);
    expectEveryRevision(output());
    const [url = ''] = /http:\/\/127\.0\.0\.1:\d+\/mcp/.exec(output()) ?? [];
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}',
    });
    expect(answer.status).toBe(200);
    child.kill('SIGINT');
    const [code] = (await once(child, 'exit')) as [number];
    expect(code).toBe(0);
    taken.close();
  });
});
