import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import type { Client } from 'crosspoint/client';
import { StdioClientTransport } from 'crosspoint/client/stdio';
import { afterwards, answers, noise } from '../../../crosspoint/test/fixtures/hostile/fake-server.mjs';
import { isRunning } from '../../../crosspoint/test/fixtures/stdio/compiled.ts';
import { survives } from '../../../crosspoint/test/guard/faults.ts';
import { bridge, type Upstream } from '../../src/index.ts';
import { FAMILIES, atEnd, closeAll, connected, serveHttp, type FamilyName } from '../carriers.ts';
import { ABLE, answering } from '../cells/cell.ts';
import { NOTHING, emptied, inside } from './inside.ts';

const FAKE = fileURLToPath(new URL('../../../crosspoint/test/fixtures/hostile/fake-child.mjs', import.meta.url));
const HOSTILE = fileURLToPath(new URL('../../../host/test/programs/hostile.mjs', import.meta.url));

afterEach(async () => {
  await closeAll();
  await expect.poll(inside).toEqual(NOTHING);
  emptied();
});

interface Behind {
  readonly upstream: Upstream;
  readonly pids: Set<number>;
}

/** A program behind the bridge: a process for each connection. */
function children(path: string, ...args: string[]): Behind {
  const pids = new Set<number>();
  const connect: Upstream['connect'] = async (client) => {
    const transport = new StdioClientTransport({ command: process.execPath, args: [path, ...args], stderr: 'ignore' });
    await client.connect(transport as never);
    if (transport.pid !== null) pids.add(transport.pid);
  };
  return { upstream: { connect }, pids };
}

async function before(
  { upstream }: Behind,
  down: FamilyName,
  up?: FamilyName,
): Promise<{ client: Client; join: () => Promise<Client>; problems: Error[]; close: () => Promise<void> }> {
  const problems: Error[] = [];
  const face = bridge(upstream, {
    onproblem: (problem) => problems.push(problem),
    sessions: { idleMs: 200 },
    parking: { forMs: 400 },
    client: { reconnect: { initialDelayMs: 10, maxDelayMs: 50 }, ...(up && { revisions: up }) },
  });
  const url = await serveHttp(face);
  atEnd(() => face.close());
  const join = (): Promise<Client> => connected(url, { ...ABLE, revisions: down }, answering);
  return { client: await join(), join, problems, close: () => face.close() };
}

/** The end of a call, in one word. */
async function comesTo(client: Client, name: string): Promise<string> {
  return client.callTool({ name }).then(
    () => 'result',
    (error: Error) => (error.message.length > 10 ? 'error' : `an error that says nothing: ${error.message}`),
  );
}

const INPUTS = [...Object.keys(answers), ...Object.keys(noise), ...Object.keys(afterwards)];

describe.each(FAMILIES.flatMap((down) => FAMILIES.map((up) => ({ down, up }))))(
  'a fake server of the $up family, in front of it a client of the $down family',
  ({ down, up }) => {
    it(
      'is used for everything that it answers properly, whatever it does before',
      () =>
        survives(async () => {
          const behind = children(FAKE);
          const { client, problems, close } = await before(behind, down, up);
          const wrong: string[] = [];
          // A hundred megabytes are read alike in every cell: 8 s of the processor.
          const inputs = INPUTS.filter((name) => down === up || !name.includes('100 MB'));
          for (const name of inputs) {
            const outcome = await comesTo(client, name);
            // Proper answers pass; an answer that is none is an error, never silence.
            if (name in answers ? outcome !== 'error' && outcome !== 'result' : outcome !== 'result')
              wrong.push(`${name}: ${outcome}`);
            // A server that has ended may cost one more call.
            const next = [await comesTo(client, 'ok'), await comesTo(client, 'ok')];
            if (!next.includes('result')) wrong.push(`after ${name}: ${next.join()}`);
          }
          expect(wrong).toEqual([]);
          expect(inside()).toMatchObject({ calls: 0, parked: 0 });
          expect(problems.length).toBeLessThan(500);
          expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
          await close();
          await expect.poll(() => [...behind.pids].filter((pid) => isRunning(pid))).toEqual([]);
        }),
      120_000,
    );
  },
);

/**
 * The content that a call returns. A server that asks without end may have its call refused by the client, which counts the same questions as the bridge a
 * moment later; then the tool is called again.
 */
async function called(client: Client, kind: unknown): Promise<unknown> {
  const deadline = Date.now() + 10_000;
  for (;;)
    try {
      return (await client.callTool({ name: 't' })).content;
    } catch (error) {
      if (kind !== 'asks' || Date.now() > deadline) throw error;
      expect((error as Error).message).toBe('elicitation/create: the server exceeds the rate limit of the client.');
    }
}

const KINDS = [
  ['garbage'],
  ['unknown-ids'],
  ['notes'],
  ['changes'],
  ['asks', '3000'],
  ['cursors'],
  ['stderr'],
  ['names'],
  ['items'],
];

describe.each(FAMILIES)('a hostile server behind a client of the %s family', (down) => {
  it.each(KINDS)('that does "%s" answers calls through the bridge, for every caller', (...args) =>
    survives(async () => {
      const behind = children(HOSTILE, ...args.filter((arg) => typeof arg === 'string'));
      const { client, join, close } = await before(behind, down);
      for (const one of [client, await join()])
        expect(await called(one, args[0])).toEqual([{ type: 'text', text: 'called 1' }]);
      await client.listTools().catch((error: Error) => expect(error.message.length).toBeGreaterThan(10));
      await expect.poll(() => inside().calls).toBeLessThanOrEqual(2);
      expect(inside().sessions).toBeLessThanOrEqual(4);
      await close();
      await expect.poll(() => [...behind.pids].filter((pid) => isRunning(pid))).toEqual([]);
    }),
  );

  it.each([1, 2, 3, 4])('that ends with message %i is an error in time', (at) =>
    survives(async () => {
      const behind = children(HOSTILE, 'exit', String(at));
      const outcome = await before(behind, down).then(
        async ({ client }) => comesTo(client, 't'),
        (error: Error) => (error.message.length > 10 ? 'error' : error.message),
      );
      expect(['error', 'result']).toContain(outcome);
      await closeAll();
      await expect.poll(() => [...behind.pids].filter((pid) => isRunning(pid))).toEqual([]);
    }),
  );
});
