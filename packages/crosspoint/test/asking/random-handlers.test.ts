import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Outcome } from '../../src/protocol/outcome.ts';
import type { McpServer, ServerContext } from '../../src/server/index.ts';
import { memoryStore } from '../../src/stores/memory.ts';
import type { Store } from '../../src/stores/store.ts';
import {
  accepting,
  ask,
  exchange,
  linked,
  newestHandshake,
  said,
  serverOf,
  stateless,
  textIn,
  wait,
  type RawCall,
} from './linked.ts';

/** A handler as data. Names and messages come from the place of a node, so that every run of it means the same. */
type Program =
  | { kind: 'step'; ms: number }
  | { kind: 'failing step'; ms: number }
  | { kind: 'ask'; same: boolean }
  | { kind: 'wait'; ms: number }
  | { kind: 'in turn' | 'side by side' | 'swallow' | 'finally'; parts: Program[] }
  | { kind: 'loop'; times: number; parts: Program[] };

const { program } = fc.letrec<{ program: Program; parts: Program[] }>((tie) => ({
  parts: fc.array(tie('program'), { minLength: 1, maxLength: 3 }),
  program: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.record({ kind: fc.constant('ask' as const), same: fc.boolean() }),
    fc.record({ kind: fc.constantFrom('step' as const, 'failing step' as const), ms: fc.nat(4) }),
    fc.record({ kind: fc.constant('wait' as const), ms: fc.nat(6) }),
    fc.record({
      kind: fc.constantFrom('in turn' as const, 'side by side' as const, 'swallow' as const, 'finally' as const),
      parts: tie('parts'),
    }),
    fc.record({ kind: fc.constant('loop' as const), times: fc.integer({ min: 1, max: 3 }), parts: tie('parts') }),
  ),
}));

/** How often a run of the program comes to a leaf. Every question runs what is before it once more, so a long program would take minutes. */
function leavesOf(node: Program): number {
  if (!('parts' in node)) return 1;
  const leaves = node.parts.reduce((sum, part) => sum + leavesOf(part), 0);
  return node.kind === 'loop' ? node.times * leaves : leaves;
}

const programs = (minLength: number): fc.Arbitrary<Program[]> =>
  fc
    .array(program, { minLength, maxLength: 4 })
    .filter((parts) => parts.reduce((sum, part) => sum + leavesOf(part), 0) <= MOST_LEAVES);

const MOST_LEAVES = 60;

interface Run {
  readonly ctx: ServerContext;
  /** Every step that really ran. */
  readonly steps: string[];
  /** Answers that did not belong to the question they were given to. */
  readonly wrong: string[];
}

const inTurn = async (parts: readonly Program[], path: string, run: Run): Promise<string> => {
  let text = '';
  for (const [index, part] of parts.entries()) text += await execute(part, `${path}.${index}`, run);
  return text;
};

async function execute(node: Program, path: string, run: Run): Promise<string> {
  const { ctx, steps } = run;
  switch (node.kind) {
    case 'step':
      return ctx.step(path, async () => {
        steps.push(path);
        await wait(Math.random() * node.ms);
        return `[${path}]`;
      });
    case 'failing step':
      try {
        return await ctx.step(path, async () => {
          steps.push(path);
          await wait(Math.random() * node.ms);
          throw new Error(`{${path}}`);
        });
      } catch (error) {
        return (error as Error).message;
      }
    case 'ask': {
      // Half of the questions are the same text wherever they stand: they are told apart by their occurrence alone.
      const message = node.same ? 'same' : `q${path}`;
      const answer = await ask(ctx, message);
      if (answer !== `<${message}>`) run.wrong.push(`${message}: ${answer}`);
      return answer;
    }
    case 'wait':
      await wait(Math.random() * node.ms);
      return '';
    case 'in turn':
      return inTurn(node.parts, path, run);
    case 'side by side':
      return (await Promise.all(node.parts.map((part, index) => execute(part, `${path}.${index}`, run)))).join('|');
    case 'swallow':
      try {
        return await inTurn(node.parts, path, run);
      } catch {
        return `swallowed ${path} ${await ctx.step(`${path}!`, () => (steps.push(`${path}!`), 'x')).catch(() => 'y')}`;
      }
    case 'finally':
      try {
        return await inTurn(node.parts, path, run);
      } finally {
        await ctx.step(`${path}~`, () => void steps.push(`${path}~`));
      }
    case 'loop': {
      let text = '';
      for (let i = 0; i < node.times; i += 1) text += await inTurn(node.parts, `${path}#${i}`, run);
      return text;
    }
  }
}

interface Observed {
  text: string;
  steps: string[];
  wrong: string[];
}

async function observe(revision: string, handler: (run: Run) => Promise<string>, graceMs = 2000): Promise<Observed> {
  const steps: string[] = [];
  const wrong: string[] = [];
  const server = serverOf(async (ctx) => said(await handler({ ctx, steps, wrong })), {
    asking: { maxRounds: 100, replayGraceMs: graceMs, maxStateBytes: 1_000_000 },
  });
  const { client } = await linked(server, revision, { maxRounds: 100 });
  try {
    const result = await client.callTool({ name: 't' });
    return { text: (result.content[0] as { text: string }).text, steps: steps.toSorted(), wrong };
  } catch (error) {
    return { text: `error: ${(error as Error).message}`, steps: steps.toSorted(), wrong };
  } finally {
    await client.close();
  }
}

/** Sends every round as often as it is told, some copies at once and one after them, and holds their outcomes against each other. */
async function observeCopies(parts: readonly Program[], copies: number, stores: readonly Store[]): Promise<Observed> {
  const steps: string[] = [];
  const wrong: string[] = [];
  const handler = async (ctx: ServerContext): Promise<unknown> => said(await inTurn(parts, 'p', { ctx, steps, wrong }));
  const rules = { maxRounds: 100, replayGraceMs: 2000, maxStateBytes: 1_000_000 };
  const nodes =
    stores.length === 0
      ? [serverOf(handler, { asking: rules })]
      : stores.map((store) => serverOf(handler, { asking: { ...rules, keys: ['k'.repeat(32)], store } }));
  const nodeOf = (copy: number): McpServer => nodes[copy % nodes.length] ?? serverOf(handler);
  const outcomeOf = (copy: number, call?: RawCall): Promise<Outcome> => exchange(nodeOf(copy), call);
  let outcome = await outcomeOf(0);
  while (outcome.kind === 'input-required') {
    const retry = { state: outcome.state, answers: accepting(outcome) };
    const together = await Promise.all(Array.from({ length: copies }, (_, copy) => outcomeOf(copy, retry)));
    const all = [...together, await outcomeOf(copies, retry)];
    expect(new Set(all.map((one) => JSON.stringify(one))).size).toBe(1);
    [outcome] = all as [Outcome];
  }
  return { text: textIn(outcome), steps: steps.toSorted(), wrong };
}

describe('random handlers', () => {
  it.each([
    ['in one process', () => []],
    ['on two nodes with one store', () => Array<Store>(2).fill(memoryStore())],
  ])(
    'take every step once although each round is sent several times, %s',
    { timeout: 120_000 },
    async (_where, stores) => {
      await fc.assert(
        fc.asyncProperty(programs(1), fc.integer({ min: 1, max: 4 }), async (parts, copies) => {
          const live = await observe(newestHandshake.id, (run) => inTurn(parts, 'p', run));
          expect(await observeCopies(parts, copies, stores())).toEqual(live);
        }),
        { numRuns: 40 },
      );
    },
  );

  it('come to the same result and take the same steps once, live and replayed', { timeout: 120_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(programs(1), async (parts) => {
        const live = await observe(newestHandshake.id, (run) => inTurn(parts, 'p', run));
        const replayed = await observe(stateless.id, (run) => inTurn(parts, 'p', run));
        expect(replayed).toEqual(live);
        expect(live.wrong).toEqual([]);
        expect(new Set(live.steps).size).toBe(live.steps.length);
      }),
      { numRuns: 80 },
    );
  });

  it(
    'that depend on chance end alike or with the error for it, and never take an answer or a step twice',
    { timeout: 120_000 },
    async () => {
      await fc.assert(
        fc.asyncProperty(programs(2), async (parts) => {
          const erratic = async (run: Run): Promise<string> => {
            const taken = parts.filter(() => Math.random() < 0.8);
            const text = await inTurn(taken.length === 0 ? parts : taken, Math.random() < 0.9 ? 'p' : 'r', run);
            return Math.random() < 0.1
              ? text
              : `${text}${await Promise.race([ask(run.ctx, 'race'), wait(3).then(() => 'late')])}`;
          };
          const { text, steps, wrong } = await observe(stateless.id, erratic, 30);
          expect(wrong).toEqual([]);
          expect(new Set(steps).size).toBe(steps.length);
          if (text.startsWith('error')) expect(text).toMatch(/The handler took another way when it ran again/);
        }),
        { numRuns: 80 },
      );
    },
  );
});
