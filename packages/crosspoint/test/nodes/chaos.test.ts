import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { startCluster } from '../stores/redis-cluster-server.ts';
import { isRedisInstalled } from './shared-stores.ts';

const SCRIPT = fileURLToPath(new URL('../../../../scripts/chaos.mjs', import.meta.url));

interface Summary {
  readonly kills: number;
  readonly results: number;
  readonly asked: number;
  readonly tasks: Readonly<Record<string, number>>;
  readonly changes: number;
  readonly events: number;
  readonly errors: Readonly<Record<string, number>>;
  readonly violations: readonly string[];
}

/** Processes of their own for everything, as it would be; the long form is `npm run chaos`. */
async function chaos(...args: string[]): Promise<Summary> {
  const child = spawn(process.execPath, [SCRIPT, '--json', ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  let [output, errors] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (errors += chunk));
  await new Promise((resolve) => child.once('close', resolve));
  try {
    return JSON.parse(output) as Summary;
  } catch {
    throw new Error(`It said nothing of what happened: ${errors}`);
  }
}

describe.skipIf(!isRedisInstalled)('three nodes and a balancer without affinity', () => {
  test('nodes that are killed lose no answer, no event and no change, and give none to somebody else', async () => {
    const summary = await chaos('--clients', '8', '--seconds', '10');
    expect(summary.violations).toEqual([]);
    expect(summary.kills).toBeGreaterThan(1);
    expect(summary.results).toBeGreaterThan(20);
    expect(summary.asked).toBeGreaterThan(0);
    expect(Object.keys(summary.tasks)).not.toEqual([]);
    expect(summary.changes).toBeGreaterThan(0);
    expect(summary.events).toBeGreaterThan(summary.results / 2);
  }, 300_000);

  test('nodes that are killed lose nothing on a Redis Cluster either', async () => {
    const cluster = await startCluster();
    try {
      const urls = cluster.rootNodes.map(({ url }) => url).join();
      const summary = await chaos('--clients', '8', '--seconds', '10', '--cluster', urls);
      expect(summary.violations).toEqual([]);
      expect(summary.kills).toBeGreaterThan(1);
      expect(summary.results).toBeGreaterThan(20);
      expect(summary.changes).toBeGreaterThan(0);
    } finally {
      await cluster.close();
    }
  }, 300_000);

  test('a Redis that is gone for five seconds costs errors that say so, and nothing else', async () => {
    const summary = await chaos('--clients', '8', '--seconds', '12', '--kills', 'false', '--redis-stop', '5');
    expect(summary.violations).toEqual([]);
    expect(summary.kills).toBe(0);
    // Refused with 503, or a call that needed the store in the middle and says so.
    const said = new Set(['TransportError http', 'ProtocolError internal', 'outcome unknown']);
    expect(Object.keys(summary.errors).filter((kind) => !said.has(kind))).toEqual([]);
    expect(summary.errors['TransportError http']).toBeGreaterThan(0);
    expect(summary.results).toBeGreaterThan(20);
  }, 300_000);
});
