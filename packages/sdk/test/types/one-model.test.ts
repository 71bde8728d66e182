import { isDeepStrictEqual } from 'node:util';
import * as official from '@modelcontextprotocol/sdk/types.js';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as own from '../../src/types.ts';
import { isJsonObject, type JsonObject } from '../../../crosspoint/src/jsonrpc/message.ts';
import { CORPUS } from './corpus.ts';
import { mutationsOf } from './mutations.ts';

interface Parsing {
  safeParse(value: unknown): { success: boolean; data?: unknown };
}

const schemasOf = (module: object): Record<string, Parsing> =>
  Object.fromEntries(
    Object.entries(module).filter(([, value]) => typeof (value as Partial<Parsing>).safeParse === 'function'),
  ) as Record<string, Parsing>;

const theirs = schemasOf(official);
const ours = schemasOf(own);
const names = Object.keys(theirs);

type Members = Record<string, unknown>;
const membersOf = (value: unknown): Members => (typeof value === 'object' && value !== null ? { ...value } : {});

/** Whether a member of this name, at any depth, is such. */
function holds(value: unknown, name: string, isSuch: (member: unknown) => boolean): boolean {
  return Object.entries(membersOf(value)).some(
    ([key, member]) => (key === name && isSuch(member)) || holds(member, name, isSuch),
  );
}
const isObjectSchema = (schema: JsonObject): boolean =>
  official.ToolSchema.safeParse({ name: 'x', inputSchema: schema }).success;

/** What this library accepts and the official SDK of the older major does not, and why. There is nothing the other way round. */
const ACCEPTED_HERE_ALONE: Readonly<Record<string, (value: unknown) => boolean>> = {
  'an error for a request whose id could not be read has the id null, by JSON-RPC': (value) =>
    'error' in membersOf(value) && membersOf(value)['id'] === null,
  'a day without a time is ISO 8601, too': (value) =>
    JSON.stringify(value ?? null).includes('"lastModified":"2025-01-12"'),
  'structured content is any JSON value in the newest revision': (value) =>
    holds(value, 'structuredContent', (content) => !isJsonObject(content)),
  'and so is what an output schema describes': (value) =>
    holds(value, 'outputSchema', (schema) => isJsonObject(schema) && !isObjectSchema(schema)),
  'a question by URL has no id in the per-request family': (value) => {
    const params = 'params' in membersOf(value) ? membersOf(membersOf(value)['params']) : membersOf(value);
    return params['mode'] === 'url' && params['elicitationId'] === undefined;
  },
};

/** How the two disagree about a value, or `undefined`. */
function disagreement(name: string, value: unknown): string | undefined {
  const [their, our] = [theirs[name]?.safeParse(value), ours[name]?.safeParse(value)];
  if (their?.success === our?.success)
    return !our?.success || isDeepStrictEqual(their?.data, our.data)
      ? undefined
      : `${JSON.stringify(value)} is read as ${JSON.stringify(our.data)} and not as ${JSON.stringify(their?.data)}`;
  const isListed = our?.success && Object.values(ACCEPTED_HERE_ALONE).some((allows) => allows(value));
  return isListed ? undefined : `${JSON.stringify(value)} is ${our?.success ? 'accepted' : 'refused'}`;
}

describe('the schemas of types.js, beside those of the official SDK', () => {
  it('have examples, each and every one', () => {
    expect(names.length).toBeGreaterThan(140);
    expect(names.filter((name) => CORPUS[name] === undefined)).toEqual([]);
    expect(Object.keys(CORPUS).filter((name) => ours[name] === undefined)).toEqual([]);
  });

  it.each(names)('%s accepts, refuses and reads the same', (name) => {
    const examples = CORPUS[name] ?? [];
    // What these six choose from has its own turn.
    const depth = /^(?:Client|Server)(?:Request|Notification|Result)Schema$/.test(name) ? 1 : 2;
    for (const example of examples) expect(ours[name]?.safeParse(example).success, JSON.stringify(example)).toBe(true);
    const found = examples.flatMap((example) =>
      [example, ...mutationsOf(example, depth)].map((value) => disagreement(name, value)),
    );
    expect(found.filter((one) => one !== undefined)).toEqual([]);
  });

  it('agree about values that differ in two places', () => {
    const altered = fc.constantFrom(...names).chain((name) =>
      fc
        .constantFrom(...(CORPUS[name] ?? []))
        .chain((example) => fc.constantFrom(...mutationsOf(example)))
        .chain((once) => fc.constantFrom(...mutationsOf(once)))
        .map((value) => ({ name, value })),
    );
    // The seed is fixed: what is to be found in the other implementation is found when its version changes, and not on some Tuesday.
    fc.assert(
      fc.property(altered, ({ name, value }) => disagreement(name, value) === undefined),
      { seed: 8, numRuns: 400 },
    );
  });

  it('differ where the reasons say, in every way that is listed', () => {
    const unreadable = { jsonrpc: '2.0', id: null, error: { code: -32700, message: 'Parse error' } };
    expect(official.JSONRPCMessageSchema.safeParse(unreadable).success).toBe(false);
    expect(own.JSONRPCMessageSchema.parse(unreadable)).toEqual(unreadable);
    expect(official.AnnotationsSchema.safeParse({ lastModified: '2025-01-12' }).success).toBe(false);
    expect(own.AnnotationsSchema.safeParse({ lastModified: '2025-01-12' }).success).toBe(true);
    const list = { tools: [{ name: 'n', inputSchema: { type: 'object' }, outputSchema: { type: 'array' } }] };
    expect(official.ListToolsResultSchema.safeParse(list).success).toBe(false);
    expect(own.ListToolsResultSchema.parse(list)).toEqual(list);
    const result = { content: [], structuredContent: [1, 2] };
    expect(official.CallToolResultSchema.safeParse(result).success).toBe(false);
    expect(own.CallToolResultSchema.parse(result)).toEqual(result);
    const question = { mode: 'url', message: 'Open it.', url: 'https://example.com/' };
    expect(official.ElicitRequestParamsSchema.safeParse(question).success).toBe(false);
    expect(own.ElicitRequestURLParamsSchema.parse(question).elicitationId).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('keep the titles that the specification gives to arguments and references of prompts', () => {
    expect(own.PromptArgumentSchema.parse({ name: 'who', title: 'Who' })).toEqual({ name: 'who', title: 'Who' });
    const reference = { type: 'ref/prompt', name: 'greet', title: 'Greet' } as const;
    expect(own.PromptReferenceSchema.parse(reference)).toEqual(reference);
  });
});
