import { afterEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { Client, ClientMiddleware, ClientOperation, Outcome } from '../../src/client/index.ts';
import { revisions } from '../../src/revisions/index.ts';
import { McpServer, ProtocolError, text } from '../../src/server/index.ts';
import { connectLinked, type LinkedOptions } from '../../src/testing/index.ts';
import { until } from '../until.ts';

const IDS = revisions.map(({ id }) => id);
const NEWEST = revisions.find(({ family }) => family === 'per-request')?.id ?? '';
const HANDSHAKE = revisions.find(({ family }) => family === 'handshake')?.id ?? '';

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

interface Seen {
  readonly operation: ClientOperation;
  readonly outcome: Outcome | Error;
}

function watching(seen: Seen[]): ClientMiddleware {
  return async (operation, next) => {
    try {
      const outcome = await next();
      seen.push({ operation, outcome });
      return outcome;
    } catch (error) {
      seen.push({ operation, outcome: error as Error });
      throw error;
    }
  };
}

function makeServer(): McpServer {
  const server = new McpServer({ name: 'asked', version: '1.0.0' }, { capabilities: { logging: {} } });
  server.registerTool('echo', { inputSchema: { said: z.string() } }, ({ said }) => text(said));
  server.registerTool('greet', {}, async (ctx) => {
    const answer = await ctx.elicit({ message: 'Who?', schema: z.object({ name: z.string() }) });
    return text(answer.action === 'accept' ? `Hello, ${answer.content.name}!` : answer.action);
  });
  server.registerTool('logs', {}, (ctx) => {
    ctx.log('error', 'careful');
    return text('logged');
  });
  return server;
}

async function link(middleware: ClientMiddleware, options: LinkedOptions = {}): Promise<Client> {
  const { client, close } = await connectLinked(makeServer(), {
    capabilities: { elicitation: { form: {} } },
    ...options,
    prepare: (made) => {
      made.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: { name: 'Ada' } }));
      made.use(middleware);
      options.prepare?.(made);
    },
  });
  ends.push(close);
  return client;
}

describe.each(IDS)('middleware of a client in %s', (revision) => {
  it('sees every request that is sent, with its id and what came of it', async () => {
    const seen: Seen[] = [];
    const client = await link(watching(seen), { revision });
    await client.listTools();
    await client.callTool({ name: 'echo', arguments: { said: 'hi' } });
    await expect(client.readResource({ uri: 'no://where' })).rejects.toThrow();
    expect(seen.map(({ operation }) => operation.method)).toEqual(['tools/list', 'tools/call', 'resources/read']);
    for (const { operation } of seen) {
      expect(operation).toMatchObject({ side: 'client', direction: 'outgoing', kind: 'request' });
      expect(operation.protocolVersion).toBe(revision);
      expect(operation.requestId).toEqual(expect.anything());
    }
    expect(seen[2]?.outcome).toBeInstanceOf(ProtocolError);
  });

  it('changes params and results, answers by itself, denies, and sends again', async () => {
    let fails = 1;
    const client = await link(
      async (operation, next) => {
        if (operation.method !== 'tools/call') return next();
        const { name } = operation.params;
        if (name === 'mine') return { kind: 'complete', result: { ...text('not sent') } };
        if (name === 'denied') throw new ProtocolError('user-rejected', 'Not today.');
        const send = (): Promise<Outcome> => next({ ...operation.params, arguments: { said: 'changed' } });
        const outcome = await send();
        return fails-- > 0 ? send() : outcome;
      },
      { revision },
    );
    expect((await client.callTool({ name: 'echo', arguments: { said: 'hi' } })).content).toEqual(
      text('changed').content,
    );
    expect((await client.callTool({ name: 'mine' })).content).toEqual(text('not sent').content);
    await expect(client.callTool({ name: 'denied' })).rejects.toThrow('Not today.');
    expect(fails).toBe(0);
  });

  it('stands around notifications', async () => {
    const seen: Seen[] = [];
    const logged: unknown[] = [];
    const client = await link(watching(seen), { revision, onlog: ({ data }) => logged.push(data) });
    await client.setLoggingLevel('debug');
    await client.callTool({ name: 'logs' });
    await until(() => logged.length === 1);
    const told = seen.filter(({ operation }) => operation.kind === 'notification');
    expect(told.map(({ operation }) => operation)).toMatchObject([
      { direction: 'incoming', method: 'notifications/message', params: { data: 'careful' } },
    ]);
  });
});

describe('middleware of a client and questions', () => {
  it.each([
    [HANDSHAKE, ['incoming elicitation/create complete', 'outgoing tools/call complete']],
    [
      NEWEST,
      ['outgoing tools/call input-required', 'incoming elicitation/create complete', 'outgoing tools/call complete'],
    ],
  ])('sees what the server asks, in %s', async (revision, expected) => {
    const seen: Seen[] = [];
    const client = await link(watching(seen), { revision });
    expect(await client.callTool({ name: 'greet' })).toMatchObject(text('Hello, Ada!'));
    const lines = seen.map(
      ({ operation, outcome }) =>
        `${operation.direction} ${operation.method} ${outcome instanceof Error ? 'error' : outcome.kind}`,
    );
    expect(lines).toEqual(expected);
  });

  it.each([HANDSHAKE, NEWEST])('may answer them instead of the program, in %s', async (revision) => {
    const client = await link(
      async (operation, next) =>
        operation.method === 'elicitation/create' ? { kind: 'complete', result: { action: 'decline' } } : next(),
      { revision },
    );
    expect(await client.callTool({ name: 'greet' })).toMatchObject(text('decline'));
  });

  it('is told of connections and their end', async () => {
    const told: string[] = [];
    const middleware: ClientMiddleware = (_operation, next) => next();
    middleware.onconnection = ({ protocolVersion }) => {
      told.push(`opened ${protocolVersion}`);
      return () => told.push('closed');
    };
    const client = await link(middleware, { revision: HANDSHAKE });
    await until(() => told.length === 1);
    await client.close();
    await until(() => told.length === 2);
    expect(told).toEqual([`opened ${HANDSHAKE}`, 'closed']);
  });
});
