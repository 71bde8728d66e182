import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Outcome } from '../../src/client/index.ts';
import { exchange } from '../../src/client/relaying.ts';
import { fromJsonSchema } from '../../src/schema/index.ts';
import { McpServer } from '../../src/server/index.ts';
import { tasks } from '../../src/server/tasks/index.ts';
import { CELLS, closeAll, connected, serveOver } from './carriers.ts';

afterEach(closeAll);

const INFO = { name: 'upstream', version: '1.0.0' };
const FORM = { type: 'object', properties: { name: { type: 'string' } } } as const;

function upstream(): McpServer {
  const server = new McpServer(INFO);
  server.registerTool('sum', { inputSchema: { a: z.number() }, outputSchema: { sum: z.number() } }, ({ a }) => ({
    content: [],
    structuredContent: { sum: a },
  }));
  server.registerTool('interview', {}, async (ctx) => {
    const first = await ctx.elicit({ message: 'Name?', requestedSchema: FORM });
    return { content: [{ type: 'text', text: JSON.stringify(first) }] };
  });
  server.registerTool(
    'region',
    {
      inputSchema: fromJsonSchema({
        type: 'object',
        properties: { region: { type: 'string', 'x-mcp-header': 'Region' } },
      }),
    },
    (args) => ({ content: [{ type: 'text', text: JSON.stringify(args) }] }),
  );
  return server;
}

const texts = (outcome: Outcome): unknown => (outcome.kind === 'complete' ? outcome.result['content'] : outcome.kind);

describe.each(CELLS)('one exchange over $carrier, $family', ({ carrier, family }) => {
  it('gives a result as it is, unchecked', async () => {
    const server = upstream();
    server.registerTool('liar', { outputSchema: { sum: z.number() } }, () => ({ content: [] }) as never);
    const client = await connected(await serveOver(carrier, server), { revisions: family, outputValidation: 'error' });
    await client.listTools();
    const outcome = await exchange(client, {
      method: 'tools/call',
      params: { name: 'sum', arguments: { a: 1 } },
    });
    expect(outcome).toMatchObject({ kind: 'complete', result: { structuredContent: { sum: 1 } } });
  });

  it('sends any method, without a cache', async () => {
    const server = upstream();
    let reads = 0;
    server.registerResource('r', 'r://r', { cache: { ttlMs: 60_000, cacheScope: 'public' } }, (uri) => ({
      contents: [{ uri: uri.href, text: String((reads += 1)) }],
    }));
    const client = await connected(await serveOver(carrier, server), { revisions: family });
    const read = (): Promise<Outcome> => exchange(client, { method: 'resources/read', params: { uri: 'r://r' } });
    await client.readResource({ uri: 'r://r' });
    await read();
    await read();
    expect(reads).toBe(3);
    await expect(exchange(client, { method: 'acme/unknown' })).rejects.toThrow(/Method not found/);
  });

  it('stops when the signal aborts', async () => {
    const server = upstream();
    let reason: unknown;
    server.registerTool(
      'slow',
      {},
      ({ signal }) =>
        new Promise((resolve) =>
          signal.addEventListener('abort', () => {
            reason = signal.reason;
            resolve({ content: [] });
          }),
        ),
    );
    const client = await connected(await serveOver(carrier, server), { revisions: family });
    const abort = new AbortController();
    const sent: unknown[] = [];
    const call = exchange(
      client,
      { method: 'tools/call', params: { name: 'slow' } },
      { signal: abort.signal, onsent: (id) => void sent.push(id) },
    );
    await new Promise((resolve) => setTimeout(resolve, 30));
    abort.abort();
    await expect(call).rejects.toMatchObject({ code: 'aborted' });
    await expect.poll(() => reason).toBeDefined();
    expect(sent).toHaveLength(1);
  });
});

describe.each(CELLS.filter(({ family }) => family === 'per-request'))('over $carrier, $family', ({ carrier }) => {
  it('questions are an outcome, and go back with their answers', async () => {
    const client = await connected(await serveOver(carrier, upstream()), {
      revisions: 'per-request',
      capabilities: { elicitation: {} },
    });
    const request = { method: 'tools/call', params: { name: 'interview' } };
    const asked = await exchange(client, request);
    if (asked.kind !== 'input-required') throw new Error(asked.kind);
    const [[key, ask] = ['', undefined]] = Object.entries(asked.asks);
    expect(ask).toMatchObject({ method: 'elicitation/create', params: { message: 'Name?' } });
    const answers = { [key]: { action: 'accept', content: { name: 'Ada' } } };
    const ended = await exchange(client, request, { retry: { answers, ...(asked.state && { state: asked.state }) } });
    expect(texts(ended)).toEqual([{ type: 'text', text: JSON.stringify(answers[key]) }]);
  });

  it('a task is an outcome, and is not waited for', async () => {
    const server = upstream();
    server.use(tasks());
    let end: (() => void) | undefined;
    server.registerTool('long', { task: { support: 'required' } }, async () => {
      await new Promise<void>((resolve) => (end = resolve));
      return { content: [] };
    });
    const client = await connected(await serveOver(carrier, server), { revisions: 'per-request' });
    const outcome = await exchange(client, { method: 'tools/call', params: { name: 'long' } });
    expect(outcome).toMatchObject({ kind: 'task', task: { status: 'working', taskId: expect.any(String) } });
    end?.();
  });
});

describe('headers of a tool, over HTTP', () => {
  const call = { method: 'tools/call', params: { name: 'region', arguments: { region: 'eu' } } };
  const text = [{ type: 'text', text: '{"region":"eu"}' }];

  it('are made from the listed definition', async () => {
    const client = await connected(await serveOver('http', upstream()), { revisions: 'per-request' });
    await client.listTools();
    expect(texts(await exchange(client, call))).toEqual(text);
  });

  it('are made after a list, where the tool was never listed', async () => {
    const client = await connected(await serveOver('http', upstream()), { revisions: 'per-request' });
    const sent: unknown[] = [];
    expect(texts(await exchange(client, call, { onsent: (id) => void sent.push(id) }))).toEqual(text);
    expect(sent).toHaveLength(2);
  });

  it('are made from a definition that is given, and a refusal is final then', async () => {
    const client = await connected(await serveOver('http', upstream()), { revisions: 'per-request' });
    const { tools } = await client.listTools();
    const fresh = await connected(await serveOver('http', upstream()), { revisions: 'per-request' });
    const definition = tools.find(({ name }) => name === 'region');
    expect(texts(await exchange(fresh, call, { toolDefinition: definition }))).toEqual(text);
    const wrong = { name: 'region', inputSchema: { type: 'object' as const } };
    await expect(exchange(fresh, call, { toolDefinition: wrong })).rejects.toMatchObject({ kind: 'header-mismatch' });
  });
});

it('something that is no client is refused', () => {
  expect(() => exchange({} as never, { method: 'ping' })).toThrow(/not a client of this library/);
});
