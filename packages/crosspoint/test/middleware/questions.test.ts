import { afterEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { Client } from '../../src/client/index.ts';
import { logCalls, type CallRecord } from '../../src/middleware/index.ts';
import {
  inputRequired,
  McpServer,
  ProtocolError,
  text,
  type ServerMiddleware,
  type ServerOperation,
} from '../../src/server/index.ts';
import { mount } from '../../src/server/mounting.ts';
import { sessionOf } from '../../src/server/relaying.ts';
import { tasks } from '../../src/server/tasks/index.ts';
import { CELLS, FAMILIES, closeAll, connected, serveOver } from '../relaying/carriers.ts';

afterEach(closeAll);

const NAME = z.object({ name: z.string() });

function shop(...middleware: ServerMiddleware[]): McpServer {
  const server = new McpServer({ name: 'shop', version: '1.0.0' });
  for (const one of middleware) server.use(one);
  server.registerTool('greet', {}, async (ctx) => {
    const answer = await ctx.elicit({ message: 'Who?', schema: NAME });
    return text(answer.action === 'accept' ? `Hello, ${answer.content.name}!` : answer.action);
  });
  server.registerTool('both', {}, async (ctx) => {
    const answers = await Promise.all([
      ctx.elicit({ message: 'One?', schema: NAME }),
      ctx.elicit({ message: 'Two?', schema: NAME }),
    ]);
    return text(answers.map(({ action }) => action).join(' '));
  });
  server.registerTool('explicit', {}, (ctx) =>
    ctx.inputResponses === undefined
      ? (inputRequired({
          inputRequests: { who: inputRequired.elicit({ message: 'Who?', requestedSchema: NAME }) },
        }) as never)
      : text(JSON.stringify(ctx.inputResponses)),
  );
  return server;
}

async function asked(
  server: McpServer,
  { carrier, family }: (typeof CELLS)[number],
): Promise<{ client: Client; messages: unknown[] }> {
  const messages: unknown[] = [];
  const options = { revisions: family, capabilities: { elicitation: { form: {} } } } as const;
  const client = await connected(await serveOver(carrier, server), options, (made) => {
    made.setRequestHandler('elicitation/create', ({ params }) => {
      messages.push(params['message']);
      return { action: 'accept', content: { name: 'Ada' } };
    });
  });
  return { client, messages };
}

const isQuestion = ({ direction }: ServerOperation): boolean => direction === 'outgoing';

describe.each(CELLS)('a question of a server over $carrier, $family', (cell) => {
  it('passes its middleware, with the call that it belongs to', async () => {
    const seen: unknown[] = [];
    const server = shop(async (operation, next) => {
      const outcome = await next();
      if (isQuestion(operation)) {
        const { side, kind, method, requestId, context, during, caller } = operation;
        expect({ side, kind, requestId, context }).toEqual({
          side: 'server',
          kind: 'request',
          requestId: undefined,
          context: undefined,
        });
        seen.push([method, operation.params['message'], during?.params['name'], caller.client?.name, outcome.kind]);
      }
      return outcome;
    });
    const { client } = await asked(server, cell);
    expect(await client.callTool({ name: 'greet' })).toMatchObject(text('Hello, Ada!'));
    const line = (kind: string): unknown[] => ['elicitation/create', 'Who?', 'greet', 'relay', kind];
    // Where clients are asked by ending the call, the handler runs again, and the question passes once more, with its answer.
    expect(seen).toEqual(cell.family === 'handshake' ? [line('complete')] : [line('input-required'), line('complete')]);
  });

  it('is answered, refused or changed by a middleware', async () => {
    const server = shop((operation, next) => {
      if (!isQuestion(operation)) return next();
      const { message } = operation.params;
      if (message === 'One?') return { kind: 'complete', result: { action: 'decline' } };
      if (message === 'Two?') throw new ProtocolError('invalid-request', 'Two is not asked here.');
      return next({ ...operation.params, message: 'Who are you?' });
    });
    const { client, messages } = await asked(server, cell);
    expect(await client.callTool({ name: 'greet' })).toMatchObject(text('Hello, Ada!'));
    expect(messages).toEqual(['Who are you?']);
    await expect(client.callTool({ name: 'both' })).rejects.toThrow('Two is not asked here.');
  });

  it('does not lose those that are asked side by side', async () => {
    const server = shop(async (_operation, next) => next());
    const { client, messages } = await asked(server, cell);
    expect(await client.callTool({ name: 'both' })).toMatchObject(text('accept accept'));
    expect(messages).toEqual(['One?', 'Two?']);
  });

  it('in the explicit style passes as a request where it is sent as one, else in the outcome of its call', async () => {
    const seen: string[] = [];
    const server = shop(async (operation, next) => {
      const outcome = await next();
      if (isQuestion(operation)) seen.push(`asked ${operation.method}`);
      else if (outcome.kind === 'input-required') seen.push(`outcome ${outcome.asks['who']?.method}`);
      return outcome;
    });
    const { client } = await asked(server, cell);
    expect(JSON.stringify(await client.callTool({ name: 'explicit' }))).toContain('Ada');
    expect(seen).toEqual([cell.family === 'handshake' ? 'asked elicitation/create' : 'outcome elicitation/create']);
  });

  it('is logged as what became of it, and not as an error', async () => {
    const records: CallRecord[] = [];
    const server = shop(
      logCalls({ log: (record) => records.push(record), only: ({ direction }) => direction === 'outgoing' }),
    );
    const { client } = await asked(server, cell);
    await client.callTool({ name: 'greet' });
    const outcomes = cell.family === 'handshake' ? ['complete'] : ['input-required', 'complete'];
    expect(records.map(({ outcome }) => outcome)).toEqual(outcomes);
  });

  it('of a mounted server passes the middleware of the server that it is mounted on', async () => {
    const seen: string[] = [];
    const server = new McpServer({ name: 'outer', version: '1.0.0' });
    server.use((operation, next) => {
      if (isQuestion(operation)) seen.push(`${operation.method} during ${String(operation.during?.params['name'])}`);
      return next();
    });
    mount(server, 'shop', shop());
    const { client } = await asked(server, cell);
    expect(await client.callTool({ name: 'shop_greet' })).toMatchObject(text('Hello, Ada!'));
    expect(new Set(seen)).toEqual(new Set(['elicitation/create during shop_greet']));
  });
});

it.each(FAMILIES)(
  'a middleware that asks with the context of an operation does not ask about its own question, %s',
  async (family) => {
    const server = shop(async (operation, next) => {
      if (operation.method === 'initialize' || operation.method === 'server/discover') return next();
      await operation.context?.elicit({ message: 'May I?', schema: NAME });
      return next();
    });
    const { client, messages } = await asked(server, { carrier: 'http', family });
    expect(await client.callTool({ name: 'greet' })).toMatchObject(text('Hello, Ada!'));
    expect(messages).toEqual(['May I?', 'Who?']);
  },
);

it('a question outside of any request passes, too', async () => {
  const seen: unknown[] = [];
  const server = shop((operation, next) => {
    if (isQuestion(operation)) seen.push([operation.method, operation.during, operation.caller.client?.name]);
    return next();
  });
  let ask: (() => Promise<unknown>) | undefined;
  server.registerTool('later', {}, (ctx) => {
    const session = sessionOf(ctx);
    ask = () =>
      session?.request({
        method: 'elicitation/create',
        params: { message: 'Now?', requestedSchema: { type: 'object', properties: {} } },
      }) ?? Promise.resolve();
    return text('Later.');
  });
  const { client, messages } = await asked(server, { carrier: 'stdio', family: 'handshake' });
  await client.callTool({ name: 'later' });
  await ask?.();
  expect(messages).toEqual(['Now?']);
  expect(seen).toEqual([['elicitation/create', undefined, 'relay']]);
});

it('a question inside a task passes, too', async () => {
  const seen: string[] = [];
  const server = new McpServer({ name: 'shop', version: '1.0.0' });
  server.use(tasks());
  server.use((operation, next) => {
    if (isQuestion(operation)) seen.push(operation.method);
    return next();
  });
  server.registerTool('long', { task: 'required' }, async (ctx) => {
    const answer = await ctx.elicit({ message: 'Who?', schema: NAME });
    return text(answer.action);
  });
  const { client } = await asked(server, { carrier: 'http', family: 'per-request' });
  expect(await client.callTool({ name: 'long' })).toMatchObject(text('accept'));
  expect(seen).toEqual(['elicitation/create']);
});

describe.each(FAMILIES)('the lists of a mounted server, %s', (family) => {
  it('pass its own middleware under its own names, and then that of the outer server', async () => {
    const inner = shop(async (operation, next) => {
      const outcome = await next();
      if (operation.method !== 'tools/list' || outcome.kind !== 'complete') return outcome;
      const listed = outcome.result['tools'] as { name: string }[];
      const kept = listed.filter(({ name }) => name !== 'both').map((tool) => ({ ...tool, title: `my ${tool.name}` }));
      return { kind: 'complete', result: { tools: [...kept, { name: 'made up', inputSchema: { type: 'object' } }] } };
    });
    const server = new McpServer({ name: 'outer', version: '1.0.0' }, { pageSize: 1 });
    const seen: string[] = [];
    server.use(async (operation, next) => {
      const outcome = await next();
      if (operation.method === 'tools/list' && outcome.kind === 'complete')
        seen.push(...(outcome.result['tools'] as { name: string }[]).map(({ name }) => name));
      return outcome;
    });
    server.registerTool('own', {}, () => text('own'));
    mount(server, 'shop', inner);
    server.registerTool('last', {}, () => text('last'));
    const { client } = await asked(server, { carrier: 'http', family });
    const { tools: listed } = await client.listTools();
    expect(listed.map(({ name, title }) => [name, title])).toEqual([
      ['own', undefined],
      ['shop_greet', 'my greet'],
      ['shop_explicit', 'my explicit'],
      ['last', undefined],
    ]);
    expect(seen).toEqual(['own', 'shop_greet', 'shop_explicit', 'last']);
    // A list hides nothing from calls, on a server as on the one that it is mounted on.
    expect(await client.callTool({ name: 'shop_both' })).toMatchObject(text('accept accept'));
  });

  it('are left out, and nothing else, when its middleware fails', async () => {
    const inner = shop((operation, next) => {
      if (operation.method.endsWith('/list')) throw new Error('broken');
      return next();
    });
    const server = new McpServer({ name: 'outer', version: '1.0.0' });
    const problems: string[] = [];
    server.server.onerror = ({ message }) => problems.push(message);
    server.registerTool('own', {}, () => text('own'));
    mount(server, 'shop', inner);
    const { client } = await asked(server, { carrier: 'http', family });
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['own']);
    expect(problems[0]).toBe('The source mounted as "shop", for a caller: broken');
    expect(await client.callTool({ name: 'shop_greet' })).toMatchObject(text('Hello, Ada!'));
  });
});
