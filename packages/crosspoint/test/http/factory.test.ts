/** A function that makes servers is code of the program, and a request is all it takes to have it called. */
import { afterEach, describe, expect, test } from 'vitest';
import { createMcpHandler, type McpHandlerOptions, type McpServerFactory } from '../../src/server/index.ts';
import { listen, makeServer, send, stateless, type Answer } from './serving.ts';

const closing: (() => Promise<unknown>)[] = [];
const unhandled: unknown[] = [];
const note = (reason: unknown): number => unhandled.push(reason);
process.on('unhandledRejection', note);

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
  expect(unhandled.splice(0)).toEqual([]);
});

interface Made {
  readonly port: number;
  readonly problems: Error[];
  /** How often a server was asked for. */
  readonly asked: () => number;
}

async function serveMade(factory: McpServerFactory, options: McpHandlerOptions = {}): Promise<Made> {
  const problems: Error[] = [];
  let asked = 0;
  const handler = createMcpHandler(
    (context) => {
      asked += 1;
      return factory(context);
    },
    { onerror: (error) => void problems.push(error), ...options },
  );
  // As programs write it: what it gives is not looked at.
  const { http, port } = await listen((request, response) => void handler.node(request, response));
  closing.push(async () => {
    await handler.close({ grace: 0 });
    http.closeAllConnections();
    await new Promise((resolve) => http.close(resolve));
  });
  return { port, problems, asked: () => asked };
}

const echo = (headers: Record<string, string> = {}): Parameters<typeof send>[1] =>
  stateless('tools/call', { name: 'echo', arguments: { text: 'hi' } }, { headers });
const textOf = async (answer: Answer): Promise<unknown> => (await answer.json()).result;

describe('a factory that fails', () => {
  test.each<[string, McpServerFactory]>([
    [
      'throws',
      () => {
        throw new Error('the secret of the database');
      },
    ],
    ['rejects', async () => Promise.reject(new Error('the secret of the database'))],
    [
      'throws what is no error',
      () => {
        throw Object.create(null);
      },
    ],
    ['gives what is no server', () => ({}) as never],
    ['gives nothing', () => undefined as never],
  ])('%s: the request is refused, the problem reported, and the next one served', async (_name, factory) => {
    let isBroken = true;
    const at = await serveMade((context) => (isBroken ? factory(context) : makeServer()));
    const refused = await send(at, echo());
    expect(refused.status).toBe(500);
    expect(await refused.json()).toEqual({ jsonrpc: '2.0', error: { code: -32603, message: 'Internal error' } });
    expect(at.problems).toHaveLength(1);
    isBroken = false;
    expect(await textOf(await send(at, echo()))).toMatchObject({ content: [{ text: 'hi' }] });
  });

  test('and an onerror that fails as well', async () => {
    const fail = (): never => {
      throw new Error('again');
    };
    const at = await serveMade(fail, { onerror: fail });
    expect((await send(at, echo())).status).toBe(500);
    expect((await send(at, echo())).status).toBe(500);
  });

  test('with a web request', async () => {
    const problems: Error[] = [];
    const handler = createMcpHandler(() => Promise.reject(new Error('no server')), {
      onerror: (error) => void problems.push(error),
    });
    const { headers, body } = echo();
    const answer = await handler.fetch(
      new Request('http://localhost/mcp', {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      }),
    );
    expect(answer.status).toBe(500);
    expect(problems.map(({ message }) => message)).toEqual(['no server']);
    await handler.close();
  });
});

describe('a factory is not asked for a server', () => {
  test('by a request under another name, or from a page of another origin', async () => {
    const at = await serveMade(() => makeServer());
    expect((await send(at, echo({ host: 'evil.example' }))).status).toBe(403);
    expect((await send(at, echo({ origin: 'https://evil.example' }))).status).toBe(403);
    expect(at.asked()).toBe(0);
  });

  test('by a caller that is not let in', async () => {
    const at = await serveMade(() => makeServer(), { authenticate: () => undefined });
    expect((await send(at, echo())).status).toBe(401);
    expect(at.asked()).toBe(0);
  });

  test('by a check of health', async () => {
    const at = await serveMade(() => makeServer(), { healthPath: '/health' });
    expect((await send(at, { method: 'GET', path: '/health' })).status).toBe(200);
    expect(at.asked()).toBe(0);
  });

  test('before it is known who calls', async () => {
    const seen: unknown[] = [];
    const at = await serveMade(
      ({ authInfo }) => {
        seen.push(authInfo?.clientId);
        return makeServer();
      },
      { authenticate: () => ({ token: 't', clientId: 'known', scopes: [] }) },
    );
    expect((await send(at, echo())).status).toBe(200);
    expect(seen).toEqual(['known']);
  });
});
