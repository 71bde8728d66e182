// oxlint-disable no-async-endpoint-handlers -- Express 5 waits for them, and this is how such programs are written
import { randomUUID } from 'node:crypto';
import express, { type Express } from 'express';
import { afterEach, describe, expect, test } from 'vitest';
import { Client } from '../src/client/index.ts';
import { applyMiddlewares, createMiddleware, withLogging, type Middleware } from '../src/client/middleware.ts';
import { SSEClientTransport, SseError } from '../src/client/sse.ts';
import { StreamableHTTPClientTransport, StreamableHTTPError } from '../src/client/streamableHttp.ts';
import { createMcpExpressApp } from '../src/server/express.ts';
import { McpServer } from '../src/server/mcp.ts';
import { SSEServerTransport } from '../src/server/sse.ts';
import {
  StreamableHTTPServerTransport,
  type EventStore,
  type StreamableHTTPServerTransportOptions,
} from '../src/server/streamableHttp.ts';
import { isInitializeRequest } from '../src/types.ts';
import type { JSONRPCMessage } from 'crosspoint';
import { until } from '../../crosspoint/test/until.ts';
import { listen, type Listening } from './listening.ts';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).toReversed()) await each.close();
});

async function serve(app: Express): Promise<Listening> {
  const listening = await listen(app);
  open.push(listening);
  return listening;
}

function makeClient(): Client {
  const client = new Client({ name: 'old', version: '1.0.0' });
  open.push(client);
  return client;
}

/** Events in the way that programs keep them. */
class MemoryEvents implements EventStore {
  readonly #events: { id: string; streamId: string; message: JSONRPCMessage }[] = [];

  async storeEvent(streamId: string, message: JSONRPCMessage): Promise<string> {
    const id = `${streamId}_${this.#events.length}`;
    this.#events.push({ id, streamId, message });
    return id;
  }

  async replayEventsAfter(
    lastEventId: string,
    { send }: { send: (id: string, message: JSONRPCMessage) => Promise<void> },
  ): Promise<string> {
    const at = this.#events.findIndex(({ id }) => id === lastEventId);
    const streamId = this.#events[at]?.streamId ?? '';
    for (const event of this.#events.slice(at + 1))
      if (event.streamId === streamId) await send(event.id, event.message);
    return streamId;
  }
}

/** A server with a session for each client, in the way that programs wrote it. */
function sessionApp(
  register: (server: McpServer) => void,
  options: StreamableHTTPServerTransportOptions = {},
): { app: Express; told: string[] } {
  const app = createMcpExpressApp();
  const told: string[] = [];
  const transports: Record<string, StreamableHTTPServerTransport> = {};
  app.post('/mcp', async (req, res) => {
    const sessionId = req.headers['mcp-session-id'] as string | undefined;
    let transport = sessionId === undefined ? undefined : transports[sessionId];
    if (transport === undefined && sessionId === undefined && isInitializeRequest(req.body)) {
      const made = new StreamableHTTPServerTransport({
        ...options,
        sessionIdGenerator: () => randomUUID(),
        onsessioninitialized: (id) => {
          told.push('initialized');
          transports[id] = made;
        },
        onsessionclosed: () => void told.push('ended'),
      });
      made.onclose = () => {
        told.push('closed');
        delete transports[made.sessionId ?? ''];
      };
      const server = new McpServer({ name: 'sessions', version: '1.0.0' });
      register(server);
      await server.connect(made);
      transport = made;
    }
    if (transport === undefined) {
      res.status(404).json({ jsonrpc: '2.0', error: { code: -32001, message: 'No such session' }, id: null });
      return;
    }
    await transport.handleRequest(req, res, req.body);
  });
  const further = async (req: express.Request, res: express.Response): Promise<void> => {
    const transport = transports[String(req.headers['mcp-session-id'])];
    if (transport === undefined) res.status(400).send('Invalid or missing session ID');
    else await transport.handleRequest(req, res);
  };
  app.get('/mcp', (req, res) => {
    told.push('stream');
    return further(req, res);
  });
  app.delete('/mcp', further);
  return { app, told };
}

describe('over Streamable HTTP with sessions', () => {
  test('handlers are told of the request, and can send notifications on its behalf', async () => {
    const seen: Record<string, unknown> = {};
    const { app, told } = sessionApp((server) => {
      server.registerTool('look', { description: 'Looks around' }, async (extra) => {
        Object.assign(seen, {
          session: extra.sessionId,
          header: extra.requestInfo?.headers['x-mark'],
          token: extra._meta?.['progressToken'] !== undefined,
          aborted: extra.signal.aborted,
          auth: extra.authInfo,
          id: typeof extra.requestId,
          tasks: [extra.taskId, extra.taskStore, extra.taskRequestedTtl],
          // There is nothing to come back for without a store of events.
          closes: [extra.closeSSEStream, extra.closeStandaloneSSEStream],
        });
        const progressToken = extra._meta?.['progressToken'] as string;
        await extra.sendNotification({
          method: 'notifications/progress',
          params: { progressToken, progress: 1, total: 2 },
        });
        return { content: [{ type: 'text', text: 'seen' }] };
      });
    });
    const { url } = await serve(app);
    const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp`), {
      requestInit: { headers: { 'x-mark': 'here' } },
    });
    const client = makeClient();
    await client.connect(transport);
    const progress: number[] = [];
    await client.callTool({ name: 'look' }, undefined, { onprogress: (step) => void progress.push(step.progress) });
    expect(progress).toEqual([1]);
    expect(seen).toEqual({
      session: transport.sessionId,
      header: 'here',
      token: true,
      aborted: false,
      auth: undefined,
      id: expect.stringMatching(/^(?:number|string)$/),
      tasks: [undefined, undefined, undefined],
      closes: [undefined, undefined],
    });
    expect(transport.sessionId).toMatch(/^[\da-f-]{36}$/);
    await transport.terminateSession();
    await client.close();
    expect(told.filter((each) => each !== 'stream')).toEqual(['initialized', 'ended', 'closed']);
  });

  test('with a store of events, handlers can end streams that the client then comes back to', async () => {
    const { app, told } = sessionApp(
      (server) => {
        server.registerTool('leave', {}, async (extra) => {
          extra.closeStandaloneSSEStream?.();
          await until(
            () => told.filter((each) => each === 'stream').length >= 2,
            'the standing stream is opened again',
          );
          extra.closeSSEStream?.();
          await until(() => told.filter((each) => each === 'stream').length >= 3, 'the answer is asked for again');
          return { content: [{ type: 'text', text: typeof extra.closeSSEStream }] };
        });
      },
      { eventStore: new MemoryEvents(), retryInterval: 10 },
    );
    const { url } = await serve(app);
    const client = makeClient();
    await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`)));
    await until(() => told.includes('stream'));
    expect((await client.callTool({ name: 'leave' })).content).toEqual([{ type: 'text', text: 'function' }]);
  });

  test('an HTTP failure is a StreamableHTTPError with its status', async () => {
    const app = express();
    app.post('/teapot', (_req, res) => void res.status(418).send('short and stout'));
    app.post('/login', (_req, res) => void res.status(401).set('WWW-Authenticate', 'Bearer').end());
    const { url } = await serve(app);
    const failure = (path: string) =>
      makeClient()
        .connect(new StreamableHTTPClientTransport(new URL(path, url)))
        .catch((error: unknown) => error);
    const teapot = await failure('/teapot');
    expect(teapot).toBeInstanceOf(StreamableHTTPError);
    expect(teapot).toMatchObject({ code: 418, message: expect.stringContaining('short and stout') });
    const login = await failure('/login');
    expect(login).toBeInstanceOf(StreamableHTTPError);
    expect(login).toMatchObject({ code: 401 });
  });
});

describe('over the older transport', () => {
  test('a program with two endpoints serves a client of that time', async () => {
    const app = express();
    const transports: Record<string, SSEServerTransport> = {};
    app.get('/sse', async (_req, res) => {
      const transport = new SSEServerTransport('/messages', res);
      transports[transport.sessionId] = transport;
      res.on('close', () => delete transports[transport.sessionId]);
      const server = new McpServer({ name: 'sse', version: '1.0.0' });
      server.tool('hello', () => ({ content: [{ type: 'text', text: 'hello' }] }));
      await server.connect(transport);
    });
    app.post('/messages', express.json(), async (req, res) => {
      await transports[req.query['sessionId'] as string]?.handlePostMessage(req, res, req.body);
    });
    const { url } = await serve(app);
    const client = makeClient();
    await client.connect(new SSEClientTransport(new URL('/sse', url)));
    expect((await client.callTool({ name: 'hello' })).content).toEqual([{ type: 'text', text: 'hello' }]);
  });

  test('a stream that is refused is an SseError with its status', async () => {
    const app = express();
    app.get('/sse', (_req, res) => void res.status(503).send('later'));
    const { url } = await serve(app);
    const transport = new SSEClientTransport(new URL('/sse', url));
    const error: unknown = await makeClient()
      .connect(transport)
      .catch((failure: unknown) => failure);
    expect(error).toBeInstanceOf(SseError);
    expect(error).toMatchObject({ code: 503, event: { code: 503 } });
  });
});

describe('createMcpExpressApp', () => {
  const ask = (url: string, host: string) =>
    new Promise<number>((resolve, reject) => {
      void import('node:http').then(({ request }) =>
        request(url, { headers: { host } }, (response) => {
          response.resume();
          resolve(response.statusCode ?? 0);
        })
          .on('error', reject)
          .end(),
      );
    });

  test('lets in requests to this machine or to the names that are allowed, and reads JSON', async () => {
    for (const [options, allowed, refused] of [
      [{}, ['localhost', '127.0.0.1:80', '[::1]:3000'], ['evil.example', 'localhost.evil.example', 'a b']],
      [{ allowedHosts: ['mcp.example'] }, ['mcp.example', 'mcp.example:8080'], ['localhost', 'example']],
    ] as const) {
      const app = createMcpExpressApp(options as { allowedHosts?: string[] });
      app.get('/', (_req, res) => void res.end('ok'));
      app.post('/', (req, res) => void res.json(req.body));
      const { url } = await serve(app);
      for (const host of allowed) expect([host, await ask(url, host)]).toEqual([host, 200]);
      for (const host of refused) expect([host, await ask(url, host)]).toEqual([host, 403]);
    }
  });
});

describe('middleware around fetch', () => {
  const mark = (name: string, order: string[]): Middleware =>
    createMiddleware(async (next, input, init) => {
      order.push(`${name} in`);
      const response = await next(input, init);
      order.push(`${name} out`);
      return response;
    });

  test('is applied in order, the last one outermost', async () => {
    const order: string[] = [];
    const fetched = applyMiddlewares(mark('first', order), mark('second', order))(async () => new Response('ok'));
    expect(await (await fetched('http://localhost/')).text()).toBe('ok');
    expect(order).toEqual(['second in', 'first in', 'first out', 'second out']);
    expect(applyMiddlewares()(fetch)).toBe(fetch);
  });

  test('tells of requests: of those above a status, with headers when asked, and of failures always', async () => {
    const lines: unknown[] = [];
    const logging = withLogging({
      logger: (line) => void lines.push(line),
      statusLevel: 400,
      includeRequestHeaders: true,
      includeResponseHeaders: true,
    });
    const answers: Record<string, Response> = {
      'http://a/': new Response('', { status: 200 }),
      'http://b/': new Response('', { status: 404, statusText: 'Not Found', headers: { 'x-b': '1' } }),
    };
    const fetched = logging(async (url) => {
      const answer = answers[String(url)];
      if (answer) return answer;
      throw new Error('unreachable');
    });
    await fetched('http://a/');
    await fetched('http://b/', { method: 'POST', headers: { 'x-a': '1' } });
    await expect(fetched('http://c/')).rejects.toThrow('unreachable');
    expect(lines).toMatchObject([
      { method: 'POST', url: 'http://b/', status: 404, statusText: 'Not Found', duration: expect.any(Number) },
      { method: 'GET', url: 'http://c/', status: 0, error: { message: 'unreachable' } },
    ]);
    const [{ requestHeaders, responseHeaders }] = lines as [{ requestHeaders: Headers; responseHeaders: Headers }];
    expect([requestHeaders.get('x-a'), responseHeaders.get('x-b')]).toEqual(['1', '1']);
  });
});
