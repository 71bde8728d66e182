import { defineExtension } from '../../src/extensions/define-extension.ts';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { Client, StreamableHTTPClientTransport } from '../../src/client/index.ts';
import { revisions } from '../../src/revisions/index.ts';
import {
  createMcpHandler,
  McpServer,
  ProtocolError,
  Server,
  text,
  type McpServerOptions,
  type Outcome,
  type ServerMiddleware,
  type ServerOperation,
} from '../../src/server/index.ts';
import { tasks } from '../../src/server/tasks/index.ts';
import { connectLinked, type LinkedOptions } from '../../src/testing/index.ts';
import { StdioClientTransport } from '../../src/transports/stdio/client.ts';
import { until } from '../until.ts';

const IDS = revisions.map(({ id }) => id);
const NEWEST = revisions.find(({ family }) => family === 'per-request')?.id ?? '';
const HANDSHAKE = revisions.find(({ family }) => family === 'handshake')?.id ?? '';
const Name = z.object({ name: z.string() });

/** Where the package is found by its name. */
const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

function makeServer(options: McpServerOptions = {}): McpServer {
  const server = new McpServer({ name: 'around', version: '1.0.0' }, options);
  server.registerTool('echo', { inputSchema: { said: z.string() } }, ({ said }) => text(said));
  server.registerTool('greet', {}, async (ctx) => {
    const answer = await ctx.elicit({ message: 'Who?', schema: Name });
    return text(answer.action === 'accept' ? `Hello, ${answer.content.name}!` : answer.action);
  });
  server.use(tasks());
  server.registerTool('long', { task: 'required' }, (ctx) => text(`in ${ctx.task === undefined ? 'no ' : ''}task`));
  return server;
}

async function link(server: McpServer | Server, options: LinkedOptions = {}): Promise<Client> {
  const { client, close } = await connectLinked(server, {
    capabilities: { elicitation: { form: {} } },
    ...options,
    prepare: (made) => {
      made.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: { name: 'Ada' } }));
      options.prepare?.(made);
    },
  });
  ends.push(close);
  return client;
}

async function overHttp(server: McpServer, revision: string): Promise<Client> {
  const handler = createMcpHandler(server, { path: '/mcp' });
  const http = createServer((request, response) => void handler.node(request, response)).listen(0, '127.0.0.1');
  await once(http, 'listening');
  const client = new Client({ name: 'c', version: '1' }, { revisions: [revision] });
  ends.push(async () => {
    await client.close();
    await handler.close({ grace: 0 });
    http.closeAllConnections();
    http.close();
  });
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`)),
  );
  return client;
}

/** Writes down what it sees of one method. */
function watching(method: string, seen: { operation: ServerOperation; outcome: Outcome | string }[]): ServerMiddleware {
  return async (operation, next) => {
    if (operation.method !== method) return next();
    try {
      const outcome = await next();
      seen.push({ operation, outcome });
      return outcome;
    } catch (error) {
      seen.push({ operation, outcome: error instanceof Error ? error.message : 'nothing' });
      throw error;
    }
  };
}

describe.each(IDS)('middleware of a server in %s', (revision) => {
  it('sees request, context and outcome, the first used outermost', async () => {
    const server = makeServer();
    const order: string[] = [];
    const named = (name: string): ServerMiddleware => {
      return async (operation, next) => {
        if (operation.method !== 'tools/call') return next();
        order.push(`${name} in`);
        const outcome = await next();
        order.push(`${name} out ${outcome.kind}`);
        expect(operation).toMatchObject({ side: 'server', direction: 'incoming', kind: 'request' });
        expect(operation.protocolVersion).toBe(revision);
        expect(operation.context?.requestId).toBe(operation.requestId);
        expect(operation.params).toMatchObject({ name: 'echo', arguments: { said: 'hi' } });
        return outcome;
      };
    };
    server.use(named('a'));
    server.use(named('b'));
    const client = await link(server, { revision });
    expect(await client.callTool({ name: 'echo', arguments: { said: 'hi' } })).toMatchObject(text('hi'));
    expect(order).toEqual(['a in', 'b in', 'b out complete', 'a out complete']);
  });

  it('changes params and results, and answers by itself', async () => {
    const server = makeServer();
    server.use(async (operation, next) => {
      if (operation.method !== 'tools/call') return next();
      if (operation.params['name'] === 'made-up') return { kind: 'complete', result: { ...text('mine') } };
      const outcome = await next({ ...operation.params, arguments: { said: 'changed' } });
      return outcome.kind === 'complete'
        ? { kind: 'complete', result: { ...outcome.result, _meta: { seen: 1 } } }
        : outcome;
    });
    const client = await link(server, { revision });
    const result = await client.callTool({ name: 'echo', arguments: { said: 'hi' } });
    expect(result.content).toEqual(text('changed').content);
    expect(result._meta).toMatchObject({ seen: 1 });
    expect((await client.callTool({ name: 'made-up' })).content).toEqual(text('mine').content);
  });

  it('denies with words of its own, and hides what breaks inside it', async () => {
    const server = makeServer();
    server.registerTool('twice', {}, () => text('once'));
    const problems: Error[] = [];
    server.server.onerror = (problem) => problems.push(problem);
    server.use(async (operation, next) => {
      const name = operation.params['name'];
      if (name === 'secret') throw new ProtocolError('invalid-request', 'Not for you.');
      if (name === 'broken') throw new Error('password=hunter2 in /etc/passwd');
      if (name === 'nothing') return undefined as never;
      if (name === 'twice') await next();
      return next();
    });
    const client = await link(server, { revision });
    await expect(client.callTool({ name: 'secret' })).rejects.toMatchObject({
      kind: 'invalid-request',
      message: expect.stringContaining('Not for you.') as string,
    });
    for (const name of ['broken', 'nothing', 'twice']) {
      const refused = client.callTool({ name });
      await expect(refused).rejects.toThrow('Internal error');
      await expect(refused).rejects.not.toThrow('hunter2');
    }
    expect(problems.map(({ message }) => message)).toContain('password=hunter2 in /etc/passwd');
    expect(await client.callTool({ name: 'echo', arguments: { said: 'still here' } })).toMatchObject(
      text('still here'),
    );
  });

  it('sees lists as objects, changes them for one caller, and leaves the kept ones alone', async () => {
    const server = makeServer();
    let hides = false;
    let spoils = false;
    server.use(async (operation, next) => {
      const outcome = await next();
      if (operation.method !== 'tools/list' || outcome.kind !== 'complete') return outcome;
      const { tools } = outcome.result as { tools: { name: string }[] };
      if (spoils) tools.push({ name: 'spoilt' });
      return hides
        ? { kind: 'complete', result: { ...outcome.result, tools: tools.filter(({ name }) => name !== 'long') } }
        : outcome;
    });
    const client = await link(server, { revision });
    const names = async (): Promise<string[]> =>
      (await client.listTools({}, { cacheMode: 'bypass' })).tools.map(({ name }) => name);
    expect(await names()).toEqual(['echo', 'greet', 'long']);
    hides = true;
    expect(await names()).toEqual(['echo', 'greet']);
    hides = false;
    spoils = true;
    await expect(names()).rejects.toThrow('Internal error');
    spoils = false;
    expect(await names()).toEqual(['echo', 'greet', 'long']);
  });

  it('sees what was refused: unknown methods and calls beyond a limit', async () => {
    const server = makeServer({ limits: { 'tools/call': { perSecond: 0.001, burst: 1 } } });
    const seen: { operation: ServerOperation; outcome: Outcome | string }[] = [];
    server.use(watching('tools/call', seen));
    server.use(watching('no/such', seen));
    const client = await link(server, { revision });
    await client.callTool({ name: 'echo', arguments: { said: 'hi' } });
    await expect(client.callTool({ name: 'echo', arguments: { said: 'hi' } })).rejects.toMatchObject({
      kind: 'rate-limited',
    });
    await expect(client.request({ method: 'no/such' })).rejects.toMatchObject({ kind: 'method-not-found' });
    expect(seen.map(({ outcome }) => (typeof outcome === 'string' ? outcome.slice(0, 16) : outcome.kind))).toEqual([
      'complete',
      'tools/call is li',
      'Method not found',
    ]);
  });
});

describe('middleware of a server and a call that asks', () => {
  it('waits while a live client is asked', async () => {
    const server = makeServer();
    const seen: { operation: ServerOperation; outcome: Outcome | string }[] = [];
    server.use(watching('tools/call', seen));
    const client = await link(server, { revision: HANDSHAKE });
    expect(await client.callTool({ name: 'greet' })).toMatchObject(text('Hello, Ada!'));
    expect(seen.map(({ outcome }) => (outcome as Outcome).kind)).toEqual(['complete']);
  });

  it('sees questions as an outcome, and runs again with the answers', async () => {
    const server = makeServer();
    const seen: { operation: ServerOperation; outcome: Outcome | string }[] = [];
    server.use(watching('tools/call', seen));
    const client = await link(server, { revision: NEWEST });
    expect(await client.callTool({ name: 'greet' })).toMatchObject(text('Hello, Ada!'));
    expect(seen.map(({ outcome }) => (outcome as Outcome).kind)).toEqual(['input-required', 'complete']);
  });

  it.each([HANDSHAKE, NEWEST])('may ask before it goes on, in %s', async (revision) => {
    const server = makeServer();
    server.use(async (operation, next) => {
      if (operation.method !== 'tools/call' || operation.context === undefined) return next();
      const answer = await operation.context.elicit({ message: 'Really?', schema: Name });
      return answer.action === 'accept' ? next() : { kind: 'complete', result: { ...text('stopped') } };
    });
    const asked: string[] = [];
    const client = await link(server, {
      revision,
      prepare: (made) =>
        made.setRequestHandler('elicitation/create', ({ params }) => {
          asked.push(params.message);
          return { action: 'accept', content: { name: 'Ada' } };
        }),
    });
    expect(await client.callTool({ name: 'greet' })).toMatchObject(text('Hello, Ada!'));
    expect(asked).toEqual(['Really?', 'Who?']);
  });

  it.each([HANDSHAKE, NEWEST])(
    'is refused a question once the call has come to its result, in %s',
    async (revision) => {
      const server = makeServer();
      const refused: unknown[] = [];
      server.use(async (operation, next) => {
        const outcome = await next();
        const { context, method } = operation;
        if (method !== 'tools/call' || context === undefined || outcome.kind !== 'complete') return outcome;
        refused.push(await context.elicit({ message: 'And now?', schema: Name }).catch((error: unknown) => error));
        refused.push(await context.step('late', () => 1).catch((error: unknown) => error));
        return outcome;
      });
      const client = await link(server, { revision });
      expect(await client.callTool({ name: 'greet' })).toMatchObject(text('Hello, Ada!'));
      expect(await client.callTool({ name: 'echo', arguments: { said: 'hi' } })).toMatchObject(text('hi'));
      expect(refused).toHaveLength(4);
      for (const error of refused)
        expect(error).toMatchObject({ message: expect.stringContaining('before next()') as string });
    },
  );

  it('refuses questions that a middleware made up', async () => {
    const server = makeServer();
    server.use(async (operation, next) =>
      operation.method === 'tools/call' ? { kind: 'input-required', asks: {} } : next(),
    );
    const client = await link(server, { revision: NEWEST });
    await expect(client.callTool({ name: 'echo', arguments: { said: 'hi' } })).rejects.toThrow('Internal error');
  });
});

describe('middleware of a server and a call that runs as a task', () => {
  it.each([HANDSHAKE, NEWEST])('sees the task, and then the work in it, in %s', async (revision) => {
    const server = makeServer();
    const seen: { operation: ServerOperation; outcome: Outcome | string }[] = [];
    server.use(watching('tools/call', seen));
    const client = await link(server, { revision });
    expect(await client.callTool({ name: 'long' })).toMatchObject(text('in task'));
    await until(() => seen.length === 2);
    const kinds = seen.map(
      ({ operation, outcome }) =>
        `${(outcome as Outcome).kind} ${operation.context?.task === undefined ? '-' : 'in task'}`,
    );
    expect(kinds.toSorted()).toEqual(['complete in task', 'task -']);
  });
});

describe('middleware of a server and what surrounds it', () => {
  it('is told when nobody waits any more', async () => {
    const server = makeServer();
    server.registerTool('never', {}, () => new Promise<never>(() => {}));
    const seen: { operation: ServerOperation; outcome: Outcome | string }[] = [];
    const begun: string[] = [];
    server.use(watching('tools/call', seen));
    server.use((operation, next) => {
      begun.push(operation.method);
      return next();
    });
    const client = await link(server, { revision: HANDSHAKE });
    const abort = new AbortController();
    const called = client.callTool({ name: 'never' }, { signal: abort.signal });
    called.catch(() => {});
    await until(() => begun.includes('tools/call'));
    abort.abort();
    await until(() => seen.length === 1);
    expect(seen[0]?.outcome).toEqual(expect.any(String));
  });

  it('stands around notifications, and may drop them', async () => {
    const server = new Server({ name: 'low', version: '1' });
    const heard: unknown[] = [];
    const seen: string[] = [];
    server.setNotificationHandler('my/news', (notification) => void heard.push(notification));
    server.use(async (operation, next) => {
      if (operation.kind === 'notification') seen.push(operation.method);
      if (operation.params['drop'] === true) return { kind: 'complete', result: {} };
      return operation.method === 'my/news' ? next({ ...operation.params, more: 1 }) : next();
    });
    const client = await link(server, { revision: HANDSHAKE });
    await client.notification({ method: 'my/news', params: { drop: true } });
    await client.notification({ method: 'my/news', params: { a: 1 } });
    await until(() => heard.length === 1);
    expect(heard).toMatchObject([{ method: 'my/news', params: { a: 1, more: 1 } }]);
    expect(seen).toEqual(['notifications/initialized', 'my/news', 'my/news']);
  });

  it.each(IDS.slice(0, -1))('knows that HTTP carries it, in %s', async (revision) => {
    const server = makeServer();
    const seen: { operation: ServerOperation; outcome: Outcome | string }[] = [];
    server.use(watching('tools/call', seen));
    const client = await overHttp(server, revision);
    await client.callTool({ name: 'echo', arguments: { said: 'hi' } });
    expect(seen).toHaveLength(1);
    expect(seen[0]?.operation.carrier).toBe('http');
    expect(seen[0]?.operation.sessionId === undefined).toBe(revision === NEWEST);
  });

  it('may refuse a handshake over HTTP, and take its time with it', async () => {
    const server = makeServer();
    let refuses = true;
    server.use(async (operation, next) => {
      if (operation.method !== 'initialize') return next();
      await new Promise((resolve) => setImmediate(resolve));
      if (refuses) throw new ProtocolError('invalid-request', 'Not now.');
      return next();
    });
    await expect(overHttp(server, HANDSHAKE)).rejects.toThrow('Not now.');
    refuses = false;
    const client = await overHttp(server, HANDSHAKE);
    expect(await client.callTool({ name: 'echo', arguments: { said: 'hi' } })).toMatchObject(text('hi'));
  });

  it.each([HANDSHAKE, NEWEST])('stands around calls over stdio, on both sides, in %s', async (revision) => {
    const program = `
      import { McpServer, text } from 'crosspoint/server';
      import { serveStdio } from 'crosspoint/server/stdio';
      const server = new McpServer({ name: 'child', version: '1.0.0' });
      server.registerTool('hello', {}, () => text('hello'));
      server.use(async (operation, next) => {
        const outcome = await next();
        return operation.method === 'tools/call' ? { kind: 'complete', result: { ...outcome.result, _meta: { via: operation.carrier } } } : outcome;
      });
      await serveStdio(server);`;
    const client = new Client({ name: 'c', version: '1' }, { revisions: [revision] });
    const carriers: unknown[] = [];
    client.use((operation, next) => {
      carriers.push(operation.carrier);
      return next();
    });
    const args = ['--input-type=module', '--eval', program];
    await client.connect(new StdioClientTransport({ command: process.execPath, args, cwd: ROOT, stderr: 'inherit' }));
    ends.push(() => client.close());
    expect(await client.callTool({ name: 'hello' })).toMatchObject({ ...text('hello'), _meta: { via: 'stdio' } });
    expect(carriers).toEqual(['stdio']);
  });

  it('leaves extensions to their own `use`, and tells of connections', async () => {
    const server = makeServer();
    const told: string[] = [];
    const middleware: ServerMiddleware = (_operation, next) => next();
    middleware.onconnection = (connection) => {
      told.push('opened');
      return () => told.push(`closed ${connection.protocolVersion}`);
    };
    server.use(middleware);
    const plain = { extension: { id: 'test.example/thing' }, settings: { on: true } };
    expect(() => server.use(plain)).toThrow('Make the extension test.example/thing with defineExtension()');
    server.use({ ...plain, extension: defineExtension(plain.extension) });
    const client = await link(server, { revision: HANDSHAKE });
    expect(server.server.getCapabilities().extensions).toMatchObject({ 'test.example/thing': { on: true } });
    await client.close();
    await until(() => told.length === 2);
    expect(told).toEqual(['opened', `closed ${HANDSHAKE}`]);
  });
});
