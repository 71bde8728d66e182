import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { withProgram } from '../../crosspoint/test/budgets/programs.ts';

const CALLS = 3200;
const IN_FLIGHT = 64;

/** A client, a bridge and a server in one process: nothing of a transport is counted. */
const bridged = (revision: string): string => `
import * as z from 'zod';
import { McpServer } from 'crosspoint/server';
import { Client } from 'crosspoint/client';
import { InMemoryTransport } from 'crosspoint/testing';
import { bridge } from '@crosspoint/gateway';
const server = new McpServer({ name: 'adder', version: '1.0.0' });
server.registerTool(
  'add',
  { inputSchema: z.object({ a: z.number(), b: z.number() }), outputSchema: z.object({ sum: z.number() }) },
  async ({ a, b }) => ({ content: [{ type: 'text', text: String(a + b) }], structuredContent: { sum: a + b } }),
);
const linked = async (near, far) => {
  const [one, other] = InMemoryTransport.createLinkedPair();
  await far.connect(other);
  await near.connect(one);
};
const face = bridge({ connect: (client) => linked(client, server) });
const client = new Client({ name: 'caller', version: '1.0.0' }, { revisions: ['${revision}'] });
await linked(client, face);
const lane = async (calls) => {
  for (let a = 0; a < calls; a += 1) {
    const { structuredContent } = await client.callTool({ name: 'add', arguments: { a, b: 2 } });
    if (structuredContent.sum !== a + 2) throw new Error('Wrong sum.');
  }
};
const run = (lanes) => Promise.all(Array.from({ length: lanes }, () => lane(${CALLS} / lanes)));
await run(1);
await run(${IN_FLIGHT});
gc();`;

async function output(code: string, flags: readonly string[]): Promise<string> {
  const { stdout, stderr } = await withProgram(code, (path) =>
    spawnSync(process.execPath, ['--expose-gc', '--no-opt', '--single-threaded', ...flags, path], {
      encoding: 'utf8',
      timeout: 60_000,
    }),
  );
  if (stdout === '') throw new Error(stderr);
  return stdout;
}

/** Bytes of the heap for one call, there and back, on all sides. Nothing is optimised or collected while they are counted. */
async function allocatedPerCall(revision: string): Promise<number> {
  const code = `${bridged(revision)}
const before = process.memoryUsage().heapUsed;
await run(1);
console.log((process.memoryUsage().heapUsed - before) / ${CALLS});
process.exit();`;
  return Number(await output(code, ['--max-semi-space-size=128', '--min-semi-space-size=128']));
}

/** Bytes that young collections move to the old generation for one call, with 64 in flight. */
async function promotedPerCall(revision: string): Promise<number> {
  const code = `${bridged(revision)}
console.log('BEGIN');
await run(${IN_FLIGHT});
console.log('END');
process.exit();`;
  const text = await output(code, ['--trace-gc-nvp']);
  const counted = /^BEGIN$(.*)^END$/ms.exec(text)?.[1]?.matchAll(/\bpromoted=(\d+)/g);
  const sizes = Array.from(counted ?? [], ([, bytes]) => Number(bytes));
  if (sizes.length < 3) throw new Error(`There were ${sizes.length} young collections.`);
  return sizes.reduce((sum, bytes) => sum + bytes, 0) / CALLS;
}

describe.each([
  { revision: '2025-11-25', allocated: 19_000, promoted: 1400 },
  { revision: '2026-07-28', allocated: 19_800, promoted: 1900 },
])('a bridged call of a $revision client', ({ revision, allocated, promoted }) => {
  it(`allocates ${allocated} bytes at most`, async () => {
    const bytes = await allocatedPerCall(revision);
    expect(bytes).toBeGreaterThan(5000);
    expect(bytes).toBeLessThanOrEqual(allocated);
  });

  it(`leaves ${promoted} bytes at most for the old generation`, async () => {
    expect(await promotedPerCall(revision)).toBeLessThanOrEqual(promoted);
  });
});
