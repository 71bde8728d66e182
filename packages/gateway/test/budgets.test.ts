import { describe, expect, it } from 'vitest';
import { countedBy, promotedIn } from '../../crosspoint/test/budgets/programs.ts';

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

/** Bytes of the heap for one call, there and back, on all sides. */
const allocatedPerCall = (revision: string): Promise<number> =>
  countedBy(`${bridged(revision)}
const before = process.memoryUsage().heapUsed;
await run(1);
console.log((process.memoryUsage().heapUsed - before) / ${CALLS});
process.exit();`);

/** Bytes that one call leaves for the old generation, with 64 in flight. */
async function promotedPerCall(revision: string): Promise<number> {
  const promoted = await promotedIn(`${bridged(revision)}
console.log('BEGIN');
await run(${IN_FLIGHT});
console.log('END');
process.exit();`);
  return promoted / CALLS;
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
