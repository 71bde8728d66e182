import { afterEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import {
  Client,
  createVerdictMemory,
  StreamableHTTPClientTransport,
  type ClientOptions,
} from '../../../src/client/index.ts';
import { McpServer } from '../../../src/server/index.ts';
import { revisions } from '../../../src/revisions/index.ts';
import { LEGACY, MODERN } from '../../client/fake-server.ts';
import { closeAll, serve, until } from './http-server.ts';
import { httpOf } from '../../../src/revisions/http-rules.ts';

afterEach(closeAll);

function echoServer(): McpServer {
  const server = new McpServer({ name: 'own', version: '1' });
  server.registerTool('echo', { inputSchema: z.object({ text: z.string() }) }, ({ text }) => ({
    content: [{ type: 'text', text }],
  }));
  return server;
}

function client(options: ClientOptions = {}): { client: Client; problems: Error[] } {
  const problems: Error[] = [];
  return {
    problems,
    client: new Client(
      { name: 'c', version: '1' },
      { verdicts: createVerdictMemory(), onproblem: (problem) => problems.push(problem), ...options },
    ),
  };
}

describe.each(revisions.map((revision) => ({ ...revision, streamable: httpOf(revision).streamable })))(
  'our own server at $id',
  ({ id, family, streamable }) => {
    test('is met by its address alone', async () => {
      const listening = await serve(echoServer(), { path: '/mcp' }, { path: streamable ? '/mcp' : '/sse' });
      const { client: one, problems } = client({ revisions: [id] });
      await one.connect(listening.url);
      expect(one.family).toBe(family);
      expect(one.getNegotiatedProtocolVersion()).toBe(id);
      expect(await one.callTool({ name: 'echo', arguments: { text: 'hello' } })).toMatchObject({
        content: [{ type: 'text', text: 'hello' }],
      });
      expect((await one.listTools()).tools.map((tool) => tool.name)).toEqual(['echo']);
      await one.close();
      expect(problems).toEqual([]);
    });
  },
);

const FAMILIES = revisions
  .filter(({ id }) => id === MODERN.id || id === LEGACY.id)
  .map(({ id, family }) => ({ id, family }));

describe.each(FAMILIES)('our own server, $family', ({ id }) => {
  test('progress comes while the call runs, and logs', async () => {
    const server = new McpServer({ name: 'own', version: '1' }, { capabilities: { logging: {} } });
    server.registerTool('slow', {}, async (ctx) => {
      for (let progress = 1; progress <= 3; progress += 1) ctx.progress({ progress, total: 3 });
      ctx.log('info', 'half way');
      return { content: [] };
    });
    const listening = await serve(server);
    const logs: unknown[] = [];
    const { client: one, problems } = client({ revisions: [id], onlog: (message) => logs.push(message.data) });
    await one.connect(listening.url);
    await one.setLoggingLevel('debug');
    const seen: number[] = [];
    await one.callTool({ name: 'slow' }, { onprogress: ({ progress }) => seen.push(progress) });
    expect(seen).toEqual([1, 2, 3]);
    await until(() => logs.length === 1);
    await one.close();
    expect(problems).toEqual([]);
  });

  test('a call that is cancelled is cancelled in the handler', async () => {
    const server = new McpServer({ name: 'own', version: '1' });
    let aborted = false;
    let started = false;
    server.registerTool('wait', {}, (ctx) => {
      started = true;
      return new Promise((resolve) =>
        ctx.signal.addEventListener('abort', () => {
          aborted = true;
          resolve({ content: [] });
        }),
      );
    });
    const listening = await serve(server);
    const { client: one } = client({ revisions: [id] });
    await one.connect(listening.url);
    const controller = new AbortController();
    const call = one
      .callTool({ name: 'wait' }, { signal: controller.signal })
      .catch((error: { code: string }) => error.code);
    await until(() => started);
    controller.abort();
    expect(await call).toBe('aborted');
    await until(() => aborted);
    expect(listening.methods().includes('notifications/cancelled')).toBe(id === LEGACY.id);
    expect(await one.ping()).toEqual({});
    await one.close();
  });

  test('changes and updates are told', async () => {
    const server = new McpServer({ name: 'own', version: '1' }, { capabilities: { resources: { subscribe: true } } });
    server.registerResource('note', 'note:1', {}, () => ({ contents: [{ uri: 'note:1', text: 'x' }] }));
    server.registerTool('first', {}, () => ({ content: [] }));
    const listening = await serve(server);
    const names: string[][] = [];
    const updated: unknown[] = [];
    const { client: one, problems } = client({
      revisions: [id],
      listChanged: {
        tools: { debounceMs: 5, onChanged: (_error, tools) => names.push((tools ?? []).map(({ name }) => name)) },
      },
    });
    one.setNotificationHandler('notifications/resources/updated', ({ params }) => void updated.push(params?.['uri']));
    await one.connect(listening.url);
    await one.subscribeResource({ uri: 'note:1' });
    await until(() =>
      listening.methods().some((method) => method === (id === LEGACY.id ? 'GET' : 'subscriptions/listen')),
    );
    await until(() => {
      void server.sendResourceUpdated({ uri: 'note:1' });
      return updated.length > 0;
    });
    server.registerTool('second', {}, () => ({ content: [] }));
    await until(() => names.some((list) => list.includes('second')));
    await one.close();
    expect(problems).toEqual([]);
  });
});

test('a connection that is cut while a call runs: the answer is fetched, and the call is not made again', async () => {
  const server = new McpServer({ name: 'own', version: '1' });
  let runs = 0;
  server.registerTool('later', {}, async () => {
    runs += 1;
    await new Promise((resolve) => setTimeout(resolve, 300));
    return { content: [{ type: 'text', text: 'late' }] };
  });
  const listening = await serve(server);
  const { client: one, problems } = client();
  await one.connect({ url: listening.url, family: 'handshake', reconnectionOptions: { initialReconnectionDelay: 20 } });
  let token = '';
  const call = one.callTool({ name: 'later' }, { onresumptiontoken: (latest) => (token = latest) });
  await until(() => runs === 1 && token !== '');
  listening.cut();
  expect(await call).toMatchObject({ content: [{ text: 'late' }] });
  expect(runs).toBe(1);
  await one.close();
  expect(problems).toEqual([]);
});

test('a session that a program kept is gone on with, and another one is opened when it is over', async () => {
  const listening = await serve(echoServer());
  const first = new StreamableHTTPClientTransport(listening.url);
  const { client: one } = client({ revisions: [LEGACY.id] });
  await one.connect(first);
  const { sessionId } = first;
  await one.close();
  expect(sessionId).toBeDefined();
  const { client: two } = client();
  const second = new StreamableHTTPClientTransport(listening.url, { sessionId, protocolVersion: LEGACY.id });
  await two.connect(second);
  expect((await two.listTools()).tools.length).toBe(1);
  expect(listening.methods().filter((method) => method === 'initialize').length).toBe(1);
  await second.terminateSession();
  await two.close();
  const { client: three } = client();
  await three.connect(new StreamableHTTPClientTransport(listening.url, { sessionId }));
  expect((await three.listTools()).tools.length).toBe(1);
  await three.close();
});

test('a call whose client has gone is gone on with by another, who has the session and the token', async () => {
  const server = new McpServer({ name: 'own', version: '1' });
  let runs = 0;
  server.registerTool('later', {}, async () => {
    runs += 1;
    await new Promise((resolve) => setTimeout(resolve, 300));
    return { content: [{ type: 'text', text: 'late' }] };
  });
  const listening = await serve(server);
  const first = new StreamableHTTPClientTransport(listening.url);
  const { client: one } = client({ revisions: [LEGACY.id] });
  await one.connect(first);
  let token = '';
  void one.callTool({ name: 'later' }, { onresumptiontoken: (latest) => (token = latest) }).catch(() => {});
  await until(() => token !== '' && runs === 1);
  const { sessionId } = first;
  await one.close();
  const { client: two } = client({ revisions: [LEGACY.id] });
  await two.connect(
    new StreamableHTTPClientTransport(listening.url, {
      sessionId,
      reconnectionOptions: { initialReconnectionDelay: 10 },
    }),
  );
  expect(await two.callTool({ name: 'later' }, { resumptionToken: token })).toMatchObject({
    content: [{ text: 'late' }],
  });
  expect(runs).toBe(1);
  await two.close();
});
