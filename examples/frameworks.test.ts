import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { fileURLToPath } from 'node:url';
import { Client } from 'crosspoint/client';
import { McpServer, createMcpHandler, text } from 'crosspoint/server';
import { Hono } from 'hono';
import { afterEach, describe, expect, it } from 'vitest';
import { serve as serveExpress } from './express/serve.ts';
import { serve as serveFastify } from './fastify/serve.ts';
import { serve as serveHono } from './hono/serve.ts';
import { serve as serveNodeHttp } from './node-http/serve.ts';
import { fromJsonSchema } from 'crosspoint/schema';

const FRAMEWORKS = [
  { name: 'node-http', serve: serveNodeHttp },
  { name: 'express', serve: serveExpress },
  { name: 'fastify', serve: serveFastify },
  { name: 'hono', serve: serveHono },
];
const FAMILIES = ['handshake', 'per-request'] as const;
const children: ChildProcess[] = [];
const closers: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  for (const close of closers.splice(0).toReversed()) await close();
});

/** A server with a tool for each thing that a framework can break. */
function createSubject(): { server: McpServer; cancelled: Promise<void>; started: Promise<void> } {
  const server = new McpServer({ name: 'subject', version: '1.0.0' });
  let onstart = (): void => {};
  let oncancel = (): void => {};
  const started = new Promise<void>((resolve) => (onstart = resolve));
  const cancelled = new Promise<void>((resolve) => (oncancel = resolve));
  server.registerTool(
    'echo',
    { inputSchema: fromJsonSchema({ type: 'object', properties: { said: { type: 'string' } } }) },
    ({ said }) => text(String(said)),
  );
  server.registerTool('count', {}, async ({ progress }) => {
    for (const step of [1, 2, 3]) {
      progress(step, 3);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    return text('counted');
  });
  server.registerTool('ask', {}, async ({ elicit }) => {
    const answer = await elicit({
      message: 'Who?',
      requestedSchema: { type: 'object', properties: { name: { type: 'string' } } },
    });
    return text(`${answer.action} ${JSON.stringify(answer.action === 'accept' ? answer.content : {})}`);
  });
  server.registerTool(
    'hang',
    { inputSchema: fromJsonSchema({ type: 'object', properties: { silent: { type: 'boolean' } } }) },
    async ({ silent }, { signal, progress }) => {
      signal.addEventListener('abort', oncancel);
      if (silent !== true) progress(1);
      onstart();
      await cancelled;
      return text('cancelled');
    },
  );
  return { server, started, cancelled };
}

async function connect(url: string, family: (typeof FAMILIES)[number]): Promise<Client> {
  const client = new Client({ name: 'test', version: '1.0.0' }, { capabilities: { elicitation: {} } });
  client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: { name: 'Ada' } }));
  await client.connect({ url, family });
  closers.push(() => client.close());
  return client;
}

/** A request as bytes, since `fetch` chooses its Host itself. */
function post(url: string, headers: Record<string, string>, body: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
    });
    request.on('error', reject).on('response', (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    request.end(body);
  });
}

describe.each(FRAMEWORKS)('$name', ({ name, serve }) => {
  async function start(): Promise<ReturnType<typeof createSubject> & { url: string; close: () => Promise<void> }> {
    const subject = createSubject();
    const running = await serve(subject.server, 0);
    closers.push(() => running.close());
    return { ...subject, ...running };
  }

  it.each(FAMILIES)('lists, calls, streams and asks in the %s family', async (family) => {
    const { url } = await start();
    const client = await connect(url, family);
    expect(client.family).toBe(family);
    expect((await client.listTools()).tools.map((tool) => tool.name)).toEqual(['echo', 'count', 'ask', 'hang']);
    const said = 'ÆØÅ 𝄞 '.repeat(10_000);
    expect(await client.callTool({ name: 'echo', arguments: { said } })).toMatchObject({ content: [{ text: said }] });
    const steps: number[] = [];
    await client.callTool({ name: 'count' }, { onprogress: ({ progress }) => steps.push(progress) });
    expect(steps).toEqual([1, 2, 3]);
    expect(await client.callTool({ name: 'ask' })).toMatchObject({ content: [{ text: 'accept {"name":"Ada"}' }] });
    await client.close();
  });

  it.each(FAMILIES)('cancels in the %s family when the caller gives up', async (family) => {
    const { url, started, cancelled } = await start();
    const client = await connect(url, family);
    const giveUp = new AbortController();
    const call = client.callTool({ name: 'hang' }, { signal: giveUp.signal });
    await started;
    giveUp.abort(new Error('enough'));
    await expect(call).rejects.toThrow();
    await cancelled;
  });

  it.each([{ silent: false }, { silent: true }])(
    'cancels when a caller without a session disconnects, before or while it is told something: %j',
    async (args) => {
      const { url, started, cancelled } = await start();
      const client = await connect(url, 'per-request');
      const call = client.callTool({ name: 'hang', arguments: args });
      const failed = expect(call).rejects.toThrow();
      await started;
      await client.close();
      await Promise.all([failed, cancelled]);
    },
  );

  it('serves the older transport on its own paths', async () => {
    const { url } = await start();
    const client = new Client({ name: 'test', version: '1.0.0' });
    closers.push(() => client.close());
    await client.connect({ url: new URL('/sse', url), transport: 'sse' });
    expect((await client.listTools()).tools).toHaveLength(4);
  });

  it('refuses a name that is merely pointed at this machine', async () => {
    const { url } = await start();
    expect(await post(url, { host: 'evil.example' }, '{"jsonrpc":"2.0","id":1,"method":"ping"}')).toBe(403);
  });

  it('answers a body that is no JSON with 400', async () => {
    const { url } = await start();
    expect(await post(url, {}, '{"jsonrpc":')).toBe(400);
  });

  it('ends while streams are open', async () => {
    const { url, close } = await start();
    const client = await connect(url, 'handshake');
    await client.listTools();
    await close();
  });

  it('starts as the program that it is an example of, and ends when interrupted', { timeout: 60_000 }, async () => {
    const child = spawn(process.execPath, [fileURLToPath(new URL(`./dist/${name}/main.js`, import.meta.url))], {
      env: { ...process.env, PORT: '0' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    children.push(child);
    const [line] = (await once(child.stdout, 'data')) as [Buffer];
    const client = await connect(line.toString().trim(), 'per-request');
    expect(await client.callTool({ name: 'add', arguments: { a: 2, b: 40 } })).toMatchObject({
      structuredContent: { sum: 42 },
    });
    await client.close();
    child.kill('SIGINT');
    const [code] = (await once(child, 'exit')) as [number];
    expect(code).toBe(0);
  });
});

describe('a body that was read before', () => {
  it.each(FAMILIES)('is handed over to fetch in the %s family', async (family) => {
    const handler = createMcpHandler(createSubject().server);
    const app = new Hono();
    app.all('/mcp', async (context) => {
      const extras = context.req.method === 'POST' ? { parsedBody: await context.req.json<unknown>() } : {};
      return handler.fetch(context.req.raw, extras);
    });
    const client = new Client({ name: 'test', version: '1.0.0' });
    await client.connect({
      url: 'http://localhost/mcp',
      family,
      fetch: async (input, init) => app.request(input, init),
    });
    expect(await client.callTool({ name: 'echo', arguments: { said: 'hello' } })).toMatchObject({
      content: [{ text: 'hello' }],
    });
    await client.close();
    await handler.close();
  });
});
