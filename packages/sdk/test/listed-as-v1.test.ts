import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport as OldPair } from '@modelcontextprotocol/sdk/inMemory.js';
import { McpServer as OldServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { describe, expect, it, vi } from 'vitest';
import * as z3 from 'zod/v3';
import * as z4 from 'zod/v4';
import * as mini from 'zod/v4-mini';
import { McpServer } from '../src/server/mcp.ts';

/** The input of both libraries; their types differ where it does not matter here. */
type Register = (server: OldServer) => void;

const info = { name: 'lists', version: '1.0.0' };
const answer = async () => ({ content: [] });

async function listOf(server: OldServer): Promise<{ tools: object[] }> {
  const client = new OldClient({ name: 'reader', version: '1.0.0' });
  const [near, far] = OldPair.createLinkedPair();
  await server.connect(far);
  await client.connect(near);
  const list = await client.listTools();
  await client.close();
  return list;
}

async function bothLists(register: Register): Promise<[official: object[], ours: object[]]> {
  const [official, ours] = [new OldServer(info), new McpServer(info) as unknown as OldServer];
  for (const server of [official, ours]) register(server);
  return [(await listOf(official)).tools, (await listOf(ours)).tools];
}

const shared = z3.object({ x: z3.number(), y: z3.number() });
interface Tree {
  readonly name: string;
  readonly children: Tree[];
}
const tree: z4.ZodType<Tree> = z4.lazy(() => z4.object({ name: z4.string(), children: z4.array(tree) }));

/** Parameters as people write them, of each version of zod. */
const INPUTS: Readonly<Record<string, object>> = {
  'zod 3: an empty shape': {},
  'zod 3: a shape': { a: z3.string().describe('a text'), b: z3.number().int().min(1).optional() },
  'zod 3: an object': z3.object({ a: z3.string() }),
  'zod 3: a strict object': z3.object({ a: z3.string() }).strict(),
  'zod 3: an open object': z3.object({ a: z3.string() }).passthrough(),
  'zod 3: defaults and enums': {
    level: z3.enum(['low', 'high']).default('low'),
    tags: z3.array(z3.string()).nonempty(),
  },
  'zod 3: unions, literals and null': {
    either: z3.union([z3.string(), z3.number()]),
    only: z3.literal('x'),
    maybe: z3.string().nullable(),
  },
  'zod 3: a tuple and a record': { pair: z3.tuple([z3.string(), z3.number()]), map: z3.record(z3.number()) },
  'zod 3: one schema twice': { from: shared, to: shared },
  'zod 3: a date and a transformation': { day: z3.date(), size: z3.string().transform((text) => text.length) },
  'zod 4: a shape': { a: z4.string().describe('a text'), b: z4.number().int().min(1).optional() },
  'zod 4: an object': z4.object({ a: z4.string(), b: z4.email() }),
  'zod 4: a strict object': z4.strictObject({ a: z4.string() }),
  'zod 4: an open object': z4.looseObject({ a: z4.string() }),
  'zod 4: defaults and enums': {
    level: z4.enum(['low', 'high']).default('low'),
    tags: z4.array(z4.string()).nonempty(),
  },
  'zod 4: unions, literals and null': {
    either: z4.union([z4.string(), z4.number()]),
    only: z4.literal('x'),
    maybe: z4.string().nullable(),
  },
  'zod 4: a tuple and a record': {
    pair: z4.tuple([z4.string(), z4.number()]),
    map: z4.record(z4.string(), z4.number()),
  },
  'zod 4: one that contains itself': { root: tree },
  'zod 4: a transformation': { size: z4.string().transform((text) => text.length) },
  'zod 4: coercion': { count: z4.coerce.number().default(3) },
  'zod 4: a union of objects': z4.union([z4.object({ a: z4.string() }), z4.object({ b: z4.string() })]),
  'zod mini: a shape': { a: mini.string(), b: mini.optional(mini.number()) },
};

describe('tools are listed as v1 lists them', () => {
  it.each(Object.keys(INPUTS))('parameters of %s', async (name) => {
    const inputSchema = INPUTS[name] as z4.ZodObject;
    const [official, ours] = await bothLists((server) => {
      server.registerTool('registered', { description: 'd', inputSchema }, answer);
    });
    expect(ours).toEqual(official);
  });

  it.each(Object.keys(INPUTS).filter((name) => !/transformation|union of objects/.test(name)))(
    'results of %s',
    async (name) => {
      const outputSchema = INPUTS[name] as z4.ZodObject;
      const [official, ours] = await bothLists((server) => {
        server.registerTool('registered', { outputSchema }, answer);
      });
      expect(ours).toEqual(official);
    },
  );

  it('without parameters, with annotations, and registered in the oldest way', async () => {
    const [official, ours] = await bothLists((server) => {
      server.registerTool('none', { title: 'None', annotations: { readOnlyHint: true }, _meta: { a: 1 } }, answer);
      server.tool('bare', answer);
      server.tool('old', 'words', { a: z4.string() }, { title: 'Old' }, answer);
      server.tool('older', { a: z3.string() }, answer);
    });
    expect(ours).toEqual(official);
  });

  it('after they were changed', async () => {
    const [official, ours] = await bothLists((server) => {
      const tool = server.registerTool('changed', {}, answer);
      tool.update({ paramsSchema: { a: z3.string() }, outputSchema: { b: z4.number() } });
      server
        .registerTool('renamed', { inputSchema: { a: z4.string() } }, answer)
        .update({ name: 'other', title: 'New' });
    });
    expect(ours).toEqual(official);
  });

  it('lists a part that JSON Schema has no words for as anything, where v1 lists no tool at all', async () => {
    const server = new McpServer(info);
    server.registerTool('dated', { inputSchema: { day: z4.date(), n: z4.number() } }, answer);
    const { tools } = await listOf(server as unknown as OldServer);
    expect(tools).toMatchObject([{ inputSchema: { properties: { day: {}, n: { type: 'number' } } } }]);
  });

  it.each([OldServer, McpServer])('with those that oninitialized registers, when both come at once', async (Kind) => {
    const server = new Kind(info) as OldServer;
    server.registerTool('first', {}, answer);
    server.server.oninitialized = () => void server.registerTool('second', {}, answer);
    const [near, far] = OldPair.createLinkedPair();
    const answers = new Map<unknown, { [member: string]: unknown }>();
    near.onmessage = (message) => void ('result' in message && answers.set(message.id, message.result));
    await server.connect(far);
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: info };
    await near.send({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
    await vi.waitFor(() => expect(answers.has(1)).toBe(true));
    void near.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    void near.send({ jsonrpc: '2.0', id: 2, method: 'tools/list' });
    await vi.waitFor(() => expect(answers.get(2)?.['tools']).toHaveLength(2));
    await server.close();
  });
});

describe('tools are called as v1 calls them', () => {
  async function call(register: (server: McpServer) => void, args: object | undefined): Promise<unknown> {
    const server = new McpServer(info);
    register(server);
    const client = new OldClient({ name: 'caller', version: '1.0.0' });
    const [near, far] = OldPair.createLinkedPair();
    await server.connect(far as never);
    await client.connect(near);
    const { content } = await client.callTool({
      name: 't',
      ...(args && { arguments: args as Record<string, unknown> }),
    });
    await client.close();
    return content;
  }
  const say = (value: unknown) => ({ content: [{ type: 'text' as const, text: JSON.stringify(value) }] });

  it('gives a tool without parameters the context alone, before and after it was changed', async () => {
    const seen: unknown[] = [];
    const register = (server: McpServer): void => {
      const tool = server.registerTool('t', {}, () => say('first'));
      tool.update({ callback: (ctx: { requestId?: unknown }) => (seen.push(typeof ctx.requestId), say('second')) });
    };
    expect(await call(register, { ignored: 1 })).toEqual(say('second').content);
    expect(seen).toEqual(['number']);
  });

  it('gives it the arguments as soon as it has parameters', async () => {
    const register = (server: McpServer): void => {
      const echo = (args: unknown) => say(args);
      server.registerTool('t', {}, echo as never).update({ paramsSchema: { a: z4.string() } });
    };
    expect(await call(register, { a: 'x', b: 1 })).toEqual(say({ a: 'x' }).content);
  });

  it('takes schemas of zod before 3.24, which know nothing of Standard Schema', async () => {
    const old = {
      _def: {},
      safeParse: () => {},
      safeParseAsync: async (value: unknown) => ({ success: true, data: value }),
    };
    const register = (server: McpServer): void => {
      server.registerTool('t', { inputSchema: old }, (args: unknown) => say(args));
    };
    expect(await call(register, { a: 1 })).toEqual(say({ a: 1 }).content);
  });
});
