import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Client } from 'crosspoint/client';
import { afterAll, beforeAll, expect, it } from 'vitest';

const program = fileURLToPath(new URL('../dist/many-cores/main.js', import.meta.url));
let child: ChildProcess;
let url = '';

beforeAll(async () => {
  child = spawn(process.execPath, [program], {
    env: { ...process.env, PORT: '0', WORKERS: '2' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  for await (const chunk of child.stdout ?? []) {
    output += String(chunk);
    [url = ''] = /http:\S+/.exec(output) ?? [];
    if (url !== '') break;
  }
}, 40_000);

afterAll(async () => {
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
});

const ask = async (client: Client): Promise<string> => {
  const { content } = await client.callTool({ name: 'which' });
  return content[0]?.type === 'text' ? content[0].text : '';
};

it('serves one session from every process, and goes on when one of them is killed', async () => {
  const client = new Client({ name: 'visitor', version: '1.0.0' }, { revisions: 'handshake' });
  await client.connect(url);
  const sessionId = client.transport?.sessionId;
  expect(sessionId).toBeDefined();
  const seen = new Set<string>();
  // Connections are dealt out in turn, and a client keeps its own: many side by side reach every process.
  for (let round = 0; round < 20 && seen.size < 2; round += 1)
    for (const pid of await Promise.all(Array.from({ length: 16 }, () => ask(client)))) seen.add(pid);
  expect(seen.size).toBe(2);

  const [victim = ''] = seen;
  process.kill(Number(victim), 'SIGKILL');
  // A call sent before this side has seen its connection close would be lost, and its client told so.
  await new Promise((resolve) => setTimeout(resolve, 200));
  const later = new Set<string>();
  for (let round = 0; round < 20; round += 1) later.add(await ask(client));
  expect(later.has(victim)).toBe(false);
  expect(client.transport?.sessionId).toBe(sessionId);
  await client.close();
});
