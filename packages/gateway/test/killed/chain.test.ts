import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fork, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { createSecret } from 'crosspoint/server';
import { isRunning } from '../../../crosspoint/test/fixtures/stdio/compiled.ts';

const CLIENT = fileURLToPath(new URL('../programs/killed/client.mjs', import.meta.url));
const folders: string[] = [];
const started: ChildProcess[] = [];

afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL');
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

interface Told {
  readonly id?: string;
  readonly asked?: string;
  readonly result?: string;
  readonly error?: string;
}

/** A client that runs a bridge as its child, which runs a server as its child. */
async function chain(family: 'handshake' | 'per-request') {
  const folder = mkdtempSync(join(tmpdir(), 'bridge-chain-'));
  folders.push(folder);
  const records = join(folder, 'records');
  const upstream = { family, carrier: 'stdio', records, keys: [createSecret()] };
  const bridge = {
    upstream,
    database: join(folder, 'bridge.db'),
    keys: [createSecret()],
    forMs: 60_000,
    downBy: 'stdio',
  };
  const client = fork(CLIENT, [JSON.stringify({ family, bridge: { ...bridge, pids: records } })]);
  started.push(client);
  const told: Told[] = [];
  client.on('message', (message) => told.push(message as Told));
  await expect.poll(() => told.length, { timeout: 20_000 }).toBeGreaterThan(0);
  client.send({ call: 'ask', id: 'one' });
  await expect.poll(() => told.some(({ asked }) => asked === 'first'), { timeout: 20_000 }).toBe(true);
  /** Ids of every process so far that is a bridge or a server. */
  const pidsOf = (wanted: 'bridge' | 'started'): number[] => {
    const lines = readFileSync(records, 'utf8').trim().split('\n');
    const notes = lines.map((line) => JSON.parse(line) as { what: string; pid: number });
    return notes.flatMap(({ what, pid }) => (what === wanted ? [pid] : []));
  };
  return { client, told, pidsOf };
}

describe.each(['handshake', 'per-request'] as const)(
  'a client of the %s family, a bridge and a server in a row over stdio',
  (family) => {
    it.each(['client', 'bridge', 'upstream'] as const)(
      'leave no process when the %s is killed in the middle of a question',
      async (victim) => {
        const { client, told, pidsOf } = await chain(family);
        const bridges = pidsOf('bridge');
        const upstreams = pidsOf('started');
        expect(bridges).toHaveLength(1);
        expect(upstreams.length).toBeGreaterThan(0);
        if (victim === 'client') client.kill('SIGKILL');
        if (victim === 'bridge') for (const pid of bridges) process.kill(pid, 'SIGKILL');
        if (victim === 'upstream') for (const pid of upstreams) process.kill(pid, 'SIGKILL');
        if (victim !== 'client') {
          client.send({ answer: true });
          const isOver = (): boolean =>
            told.some(({ id, result, error }) => id === 'one' && (result ?? error) !== undefined);
          await expect.poll(isOver, { timeout: 20_000 }).toBe(true);
          client.send({ end: true });
        }
        const left = (): number[] =>
          [client.pid ?? 0, ...pidsOf('bridge'), ...pidsOf('started')].filter((pid) => isRunning(pid));
        await expect.poll(left, { timeout: 20_000 }).toEqual([]);
      },
      60_000,
    );
  },
);
