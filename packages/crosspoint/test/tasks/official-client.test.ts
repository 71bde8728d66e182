import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { CallToolResultSchema, ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterEach, describe, expect, test } from 'vitest';
import { closeAll, serve } from '../http/serving.ts';
import { text } from '../../src/server/index.ts';
import { until } from '../until.ts';
import { Bench } from './bench.ts';

const clients: Client[] = [];
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
  await closeAll();
});

async function connected(bench: Bench): Promise<Client> {
  const { port } = await serve({}, {}, bench.server);
  const client = new Client({ name: 'official', version: '1.0' }, { capabilities: { elicitation: {} } });
  client.setRequestHandler(ElicitRequestSchema, () => ({ action: 'accept' as const, content: { name: 'Ada' } }));
  await client.connect(new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${port}/mcp`)) as never);
  clients.push(client);
  return client;
}

async function streamed(client: Client, name: string, args = {}): Promise<any[]> {
  const messages: any[] = [];
  const options = { task: { ttl: 60_000 } };
  const stream = client.experimental.tasks.callToolStream({ name, arguments: args }, CallToolResultSchema, options);
  for await (const message of stream) messages.push(message);
  return messages;
}

describe('the official client, whose tasks are those of the core', () => {
  test('sees a task from its creation to its result', async () => {
    const bench = new Bench({ tasks: { pollIntervalMs: 20 } });
    const client = await connected(bench);
    await client.listTools();
    const messages = streamed(client, 'slow', { key: 'a' });
    await until(() => bench.did.includes('began:a'));
    bench.gate('a').open('official');
    const seen = await messages;
    expect(seen[0]).toMatchObject({ type: 'taskCreated', task: { status: 'working', ttl: 60_000, pollInterval: 20 } });
    expect(seen.at(-1)).toMatchObject({ type: 'result', result: text('slow a official') });
  });

  test('is asked inside a task, and answers', async () => {
    const client = await connected(new Bench({ tasks: { pollIntervalMs: 20 } }));
    await client.listTools();
    const seen = await streamed(client, 'asks');
    expect(seen.at(-1)).toMatchObject({ type: 'result', result: text('Hello, Ada!') });
  });

  test('looks at tasks, lists and cancels them', async () => {
    const bench = new Bench({ tasks: { list: true, pollIntervalMs: 20 } });
    const client = await connected(bench);
    await client.listTools();
    const { tasks } = client.experimental;
    const stream = tasks.callToolStream({ name: 'slow', arguments: { key: 'a' } }, CallToolResultSchema, { task: {} });
    const created: any = (await stream.next()).value;
    const { taskId } = created.task;
    expect(await tasks.getTask(taskId)).toMatchObject({ taskId, status: 'working' });
    expect((await tasks.listTasks()).tasks.map((task) => task.taskId)).toEqual([taskId]);
    expect(await tasks.cancelTask(taskId)).toMatchObject({ taskId, status: 'cancelled' });
    await stream.return();
    expect(bench.did).toContain('aborted:a');
  });
});
