import { describe, expect, it } from 'vitest';
import { PROGRAMS, countedBy, promotedIn } from './programs.ts';

const CALLS = 2000;

/** Bytes of the heap for one call, there and back, on both sides. */
const BUDGETS = [
  { family: 'handshake', revisions: "['2025-11-25']", bytes: 5400 },
  { family: 'per-request', revisions: "['2026-07-28']", bytes: 5700 },
] as const;

const pairWith = (revisions: string): string =>
  PROGRAMS['pair in one process'].replace("{ name: 'caller', version: '1.0.0' }", `$&, { revisions: ${revisions} }`);

async function allocatedPerCall(revisions: string): Promise<number> {
  return countedBy(`${pairWith(revisions)}
const run = async () => { for (let a = 0; a < ${CALLS}; a += 1) if ((await call(a)).structuredContent.sum !== a + 2) throw new Error('Wrong sum.'); };
await run();
gc();
const before = process.memoryUsage().heapUsed;
await run();
console.log((process.memoryUsage().heapUsed - before) / ${CALLS});
process.exit();`);
}

const IN_FLIGHT = 64;

/** A server whose calls become tasks, and a client by hand that fetches their results. */
const TASK_PAIR =
  `${PROGRAMS['pair in one process'].slice(0, PROGRAMS['pair in one process'].indexOf('await client.connect'))}
const waiting = [];
near.onmessage = ({ id, method, result }) => { if (method === undefined) waiting[id % 1000](result); };
await near.start();
let lastId = 0;
const ask = (method, params) => new Promise((resolve) => {
  waiting[++lastId % 1000] = resolve;
  near.send({ jsonrpc: '2.0', id: lastId, method, params });
});
await ask('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'caller', version: '1.0.0' } });
near.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
const call = async (a) => {
  const { task } = await ask('tools/call', { name: 'add', arguments: { a, b: 2 }, task: { ttl: 60_000 } });
  return ask('tasks/result', { taskId: task.taskId });
};`
    .replace('server.registerTool', "server.use((await import('crosspoint/server/tasks')).tasks());\n$&")
    .replace("'add',\n  {", "$& task: 'optional',");

/** Bytes that one call leaves for the old generation. All calls are 64 at a time, after as many one at a time. */
async function promotedPerCall(pair: string, calls: number): Promise<number> {
  const promoted = await promotedIn(`${pair}
const lane = async (calls) => { for (let a = 0; a < calls; a += 1) if ((await call(a)).structuredContent.sum !== a + 2) throw new Error('Wrong sum.'); };
const run = (lanes) => Promise.all(Array.from({ length: lanes }, () => lane(${calls} / lanes)));
await run(1);
await run(${IN_FLIGHT});
gc();
console.log('BEGIN');
await run(${IN_FLIGHT});
console.log('END');
process.exit();`);
  return promoted / calls;
}

describe('what a call with 64 in flight leaves for the old generation', () => {
  it.each(BUDGETS)('in the $family family: 20 bytes at most', async ({ revisions }) => {
    expect(await promotedPerCall(pairWith(revisions), 16_000)).toBeLessThanOrEqual(20);
  });

  it('as a task, which is kept: 1,100 bytes at most', async () => {
    const promoted = await promotedPerCall(TASK_PAIR, 3_200);
    expect(promoted).toBeGreaterThan(500);
    expect(promoted).toBeLessThanOrEqual(1100);
  });
});

describe('what a call allocates', () => {
  it.each(BUDGETS)('in one process, in the $family family: $bytes bytes at most', async ({ revisions, bytes }) => {
    const allocated = await allocatedPerCall(revisions);
    expect(allocated).toBeGreaterThan(500);
    expect(allocated).toBeLessThanOrEqual(bytes);
  });
});
