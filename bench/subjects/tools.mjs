// The tools that every subject serves. The schemas and the work are the same for all; only the way to register them differs.
import * as z from 'zod';

/**
 * @typedef {object} ToolSpec
 * @property {string} name
 * @property {string} description
 * @property {z.ZodObject} input
 * @property {z.ZodObject} [output]
 * @property {(args: any) => object | Promise<object>} run returns the result: text, and structured content where there is an output schema
 */

/** @type {ToolSpec} */
export const add = {
  name: 'add',
  description: 'Adds two numbers',
  input: z.object({ a: z.number(), b: z.number() }),
  output: z.object({ sum: z.number() }),
  run: ({ a, b }) => ({ content: [{ type: 'text', text: String(a + b) }], structuredContent: { sum: a + b } }),
};

/** The same after a turn of the event loop, as a tool that reads a file. */
const addLater = { ...add, run: (args) => new Promise((resolve) => setImmediate(() => resolve(add.run(args)))) };

/** @type {ToolSpec} */
const big = {
  name: 'big',
  description: 'Answers with a text of the given size',
  input: z.object({ bytes: z.number() }),
  run: ({ bytes }) => ({ content: [{ type: 'text', text: 'x'.repeat(bytes) }] }),
};

/** @type {ToolSpec} */
const take = {
  name: 'take',
  description: 'Takes a text and answers with its length',
  input: z.object({ text: z.string() }),
  run: ({ text }) => ({ content: [{ type: 'text', text: String(text.length) }] }),
};

/** Calls that wait for each other. */
const held = new Set();
/** Milliseconds after which calls are answered that wait for others which do not come: those at the end of a load. */
const LONGEST_HOLD_MS = 20;
let timer;

/** Answers all calls that wait. */
export function release() {
  clearTimeout(timer);
  timer = undefined;
  for (const answer of held) answer({ content: [], structuredContent: { sum: 5 } });
  held.clear();
}

/** The number of calls that wait. */
export const waiting = () => held.size;

/** Waits until `of` calls wait, and then answers all of them; with 0 until they are released. */
export function hold(of, answer) {
  held.add(answer);
  if (of === 0) return;
  if (held.size < of) timer ??= setTimeout(release, LONGEST_HOLD_MS);
  else release();
}

/** @type {ToolSpec} */
const holding = {
  name: 'hold',
  description: 'Answers when enough calls wait',
  input: z.object({ of: z.number() }),
  output: z.object({ sum: z.number() }),
  run: ({ of }) => new Promise((resolve) => hold(of, resolve)),
};

/** A tool that only fills a list. */
const filler = (index) => ({
  name: `tool-${index}`,
  description: `Does the work number ${index}`,
  input: z.object({
    path: z.string().describe('Where to look'),
    limit: z.number().int().min(1).max(100).optional(),
    kind: z.enum(['file', 'folder', 'link']),
    deep: z.boolean().default(false),
  }),
  run: () => ({ content: [{ type: 'text', text: 'done' }] }),
});

const KITS = {
  add: () => [add],
  later: () => [addLater],
  big: () => [big],
  take: () => [take],
  hold: () => [holding],
  /** Each library writes the asking tool in its own way: see their asking.mjs. */
  ask: () => [],
  /** Libraries with tasks read the kit and declare in their own way that the call may be a task. */
  task: () => [add],
  many: (count) => [add, ...Array.from({ length: count - 1 }, (_, index) => filler(index + 1))],
};

/**
 * @param {{ kit?: 'add' | 'later' | 'big' | 'take' | 'hold' | 'ask' | 'task' | 'many', count?: number }} options
 * @returns {ToolSpec[]}
 */
export const toolsOf = ({ kit = 'add', count = 1 }) => KITS[kit](count);

/** The three questions of the asking tool, and its result when all are answered. */
export const QUESTIONS = ['Is this the right account?', 'Is this the right amount?', 'Shall it be done now?'];
export const answerSchema = z.object({ yes: z.boolean() });
export const asked = (count) => ({ content: [{ type: 'text', text: `asked ${count}` }] });

export const SERVER_INFO = { name: 'bench', version: '1.0.0' };
