import { Client as OfficialClient, StreamableHTTPClientTransport as OfficialHttp } from '@modelcontextprotocol/client';
import { createTaskSessionFromClient, resultFromTaskOutcome } from '@modelcontextprotocol/ext-tasks/client';
import { InMemoryTaskStore } from '@modelcontextprotocol/sdk/experimental/tasks/stores/in-memory.js';
import { InMemoryTransport as OfficialPair } from '@modelcontextprotocol/sdk/inMemory.js';
import { McpServer as FirstServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { afterEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { Client, createVerdictMemory } from '../../src/client/index.ts';
import { TASKS_EXTENSION_ID } from '../../src/extensions/tasks/tasks-extension.ts';
import { McpServer, text } from '../../src/server/index.ts';
import { tasks } from '../../src/server/tasks/index.ts';
import type { Transport } from '../../src/transports/transport.ts';
import { closeAll, HANDSHAKE, NEWEST, serve } from '../http/serving.ts';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
  await closeAll();
});

function ours(): McpServer {
  const server = new McpServer({ name: 'ours', version: '1' });
  server.use(tasks({ pollIntervalMs: 20 }));
  server.registerTool('double', { inputSchema: { n: z.number() }, task: 'optional' }, async ({ n }) => {
    await new Promise((resolve) => setTimeout(resolve, 30));
    return text(String(n * 2));
  });
  server.registerTool('greet', { task: 'optional' }, async (ctx) => {
    const answer = await ctx.elicit({ message: 'Who?', schema: z.object({ name: z.string() }) });
    return text(answer.action === 'accept' ? `Hello, ${answer.content.name}!` : answer.action);
  });
  return server;
}

describe('the official package for tasks, as requester of our server', () => {
  test('in the handshake family', async () => {
    const at = await serve({}, {}, ours());
    const client = new OfficialClient({ name: 'official', version: '1' }, { capabilities: { elicitation: {} } });
    closing.push(() => client.close());
    await client.connect(new OfficialHttp(new URL(`http://127.0.0.1:${at.port}/mcp`)));
    const { tools } = await client.listTools();
    expect(tools.find(({ name }) => name === 'double')).toMatchObject({ execution: { taskSupport: 'optional' } });
    const session = createTaskSessionFromClient(client, { endpointId: 'ours' });
    closing.push(() => session.close());
    const execution = await session.callTool('double', { n: 21 });
    const { outcome } = await execution.settle();
    expect(resultFromTaskOutcome(outcome)).toMatchObject({ content: [{ type: 'text', text: '42' }] });
  });

  test('in the per-request family, over the way that its host has to bring', async () => {
    const at = await serve({}, {}, ours());
    const url = `http://127.0.0.1:${at.port}/mcp`;
    const client = new OfficialClient(
      { name: 'official', version: '1' },
      { capabilities: { extensions: { [TASKS_EXTENSION_ID]: {} } }, versionNegotiation: { mode: 'auto' } },
    );
    closing.push(() => client.close());
    await client.connect(new OfficialHttp(new URL(url)));
    expect(client.getNegotiatedProtocolVersion()).toBe(NEWEST);
    const kinds = new Set<string>();
    let sent = 0;
    const session = createTaskSessionFromClient(client, {
      endpointId: 'ours',
      v2RequestFraming: {
        protocolVersion: NEWEST,
        clientInfo: { name: 'official', version: '1' },
        clientCapabilities: { extensions: { [TASKS_EXTENSION_ID]: {} } },
      },
      rawDispatch: async (request) => {
        const { method, params } = request as { method: string; params: { name?: string; taskId?: string } };
        kinds.add(method);
        const name = params.taskId ?? params.name;
        const answer = await fetch(url, {
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            accept: 'application/json, text/event-stream',
            'mcp-protocol-version': NEWEST,
            'mcp-method': method,
            ...(name !== undefined && { 'mcp-name': name }),
          },
          body: JSON.stringify({ jsonrpc: '2.0', id: (sent += 1), ...(request as object) }),
        });
        const { result, error } = (await answer.json()) as { result: never; error?: never };
        return error === undefined ? { kind: 'result', result } : { kind: 'error', error };
      },
    });
    closing.push(() => session.close());
    const execution = await session.callTool('double', { n: 21 });
    expect(execution.kind).not.toBe('immediate');
    const { outcome } = await execution.settle();
    expect(resultFromTaskOutcome(outcome)).toMatchObject({ content: [{ type: 'text', text: '42' }] });
    expect([...kinds]).toEqual(expect.arrayContaining(['tools/call', 'tasks/get']));
  });
});

describe('the first official SDK', () => {
  test('as server of our client', async () => {
    const taskStore = new InMemoryTaskStore();
    closing.push(() => taskStore.cleanup());
    const server = new FirstServer(
      { name: 'first', version: '1' },
      { capabilities: { tasks: { requests: { tools: { call: {} } }, cancel: {}, list: {} } }, taskStore },
    );
    server.experimental.tasks.registerToolTask(
      'double',
      { inputSchema: { n: z.number() }, execution: { taskSupport: 'required' } },
      {
        createTask: async ({ n }, { taskStore: store }) => {
          const task = await store.createTask({ ttl: 60_000, pollInterval: 20 });
          setTimeout(() => {
            const done = { content: [{ type: 'text' as const, text: String(n * 2) }] };
            void store.storeTaskResult(task.taskId, 'completed', done);
          }, 30);
          return { task };
        },
        getTask: async (_args, { taskId, taskStore: store }) => store.getTask(taskId),
        getTaskResult: async (_args, { taskId, taskStore: store }) => (await store.getTaskResult(taskId)) as never,
      },
    );
    const [mine, theirs] = OfficialPair.createLinkedPair();
    closing.push(() => server.close());
    await server.connect(theirs);
    const client = new Client({ name: 'ours', version: '1' }, { verdicts: createVerdictMemory() });
    await client.connect(mine as Transport);
    expect(client.getNegotiatedProtocolVersion()).toBe(HANDSHAKE);
    expect(await client.callTool({ name: 'double', arguments: { n: 5 } })).toMatchObject({ content: [{ text: '10' }] });
    const handle = await client.startTask({ name: 'double', arguments: { n: 6 } });
    expect(handle.taskId).toBeDefined();
    expect(await handle.wait()).toMatchObject({ content: [{ text: '12' }] });
    const listed = await client.request({ method: 'tasks/list' });
    expect(listed['tasks']).toMatchObject([{ status: 'completed' }, { status: 'completed' }]);
  });
});
