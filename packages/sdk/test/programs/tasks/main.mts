// Tools that go on after their call has been answered.
import * as z from 'zod/v4';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTaskMessageQueue, InMemoryTaskStore, isTerminal } from '@modelcontextprotocol/sdk/experimental/tasks';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { takeResult, toArrayAsync } from '@modelcontextprotocol/sdk/shared/responseMessage.js';
import { CallToolResultSchema, ElicitRequestSchema, type Task } from '@modelcontextprotocol/sdk/types.js';
import { say, refusal } from '../say.mjs';

const taskStore = new InMemoryTaskStore();
const server = new McpServer(
  { name: 'laundry', version: '1.0.0' },
  {
    capabilities: { tools: {}, tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } },
    taskStore,
    taskMessageQueue: new InMemoryTaskMessageQueue(),
  },
);

server.experimental.tasks.registerToolTask(
  'wash',
  {
    title: 'Wash',
    description: 'Takes a while',
    inputSchema: { shirts: z.number() },
    execution: { taskSupport: 'required' },
  },
  {
    async createTask({ shirts }, { taskStore: store, taskRequestedTtl }) {
      const task = await store.createTask({ ttl: taskRequestedTtl ?? null, pollInterval: 20 });
      setTimeout(() => {
        void (async () => {
          if (shirts < 0)
            await store.storeTaskResult(task.taskId, 'failed', {
              content: [{ type: 'text', text: 'no shirts' }],
              isError: true,
            });
          else
            await store.storeTaskResult(task.taskId, 'completed', {
              content: [{ type: 'text', text: `${shirts} clean` }],
            });
        })();
      }, 60);
      return { task };
    },
    getTask: async (_args, { taskId, taskStore: store }) => store.getTask(taskId),
    getTaskResult: async (_args, { taskId, taskStore: store }) =>
      CallToolResultSchema.parse(await store.getTaskResult(taskId)),
  },
);
server.experimental.tasks.registerToolTask(
  'soak',
  { description: 'Until somebody comes', execution: { taskSupport: 'optional' } },
  {
    createTask: async ({ taskStore: store }) => ({ task: await store.createTask({ ttl: 60_000, pollInterval: 20 }) }),
    getTask: async ({ taskId, taskStore: store }) => store.getTask(taskId),
    getTaskResult: async ({ taskId, taskStore: store }) =>
      CallToolResultSchema.parse(await store.getTaskResult(taskId)),
  },
);
server.registerTool('fold', {}, () => ({ content: [{ type: 'text', text: 'folded' }] }));

const client = new Client({ name: 'guest', version: '1.0.0' }, { capabilities: { elicitation: {}, tasks: {} } });
client.setRequestHandler(ElicitRequestSchema, () => ({ action: 'decline' }));
const [near, far] = InMemoryTransport.createLinkedPair();
await Promise.all([server.connect(near), client.connect(far)]);

say('capability', client.getServerCapabilities()?.tasks);
const { tools } = await client.listTools();
say(
  'tools',
  tools.map(({ name, execution }) => ({ name, taskSupport: execution?.taskSupport ?? 'forbidden' })),
);

const shown = ({ status, ttl, pollInterval }: Task): unknown => ({
  status,
  ttl,
  pollInterval,
  over: isTerminal(status),
});
const messages = await toArrayAsync(
  client.experimental.tasks.callToolStream({ name: 'wash', arguments: { shirts: 4 } }, CallToolResultSchema, {
    task: { ttl: 30_000 },
  }),
);
say('kinds', [...new Set(messages.map(({ type }) => type))]);
let washed = '';
for (const message of messages) {
  if (message.type === 'taskCreated') {
    washed = message.task.taskId;
    say('created', shown(message.task));
  }
  if (message.type === 'result') say('result', message.result.content);
}
say('task', shown(await client.experimental.tasks.getTask(washed)));
say('result again', (await client.experimental.tasks.getTaskResult(washed, CallToolResultSchema)).content);

const failed = await takeResult(
  client.experimental.tasks.callToolStream({ name: 'wash', arguments: { shirts: -1 } }, CallToolResultSchema, {
    task: {},
  }),
).catch((error: unknown) => ({ isError: true, known: error instanceof Error }));
say('failed', { isError: failed.isError });

let soaking = '';
for await (const message of client.experimental.tasks.callToolStream(
  { name: 'soak', arguments: {} },
  CallToolResultSchema,
  { task: { ttl: 60_000 } },
))
  if (message.type === 'taskCreated') {
    soaking = message.task.taskId;
    break;
  }
say('cancelled', shown(await client.experimental.tasks.cancelTask(soaking)));
say('cancelled twice', ((await refusal(client.experimental.tasks.cancelTask(soaking))) as { code: number }).code);
const listed = await client.experimental.tasks.listTasks();
say('listed', listed.tasks.map(({ status }) => status).sort());
say('no such task', ((await refusal(client.experimental.tasks.getTask('nothing'))) as { code: number }).code);
say('at once', (await client.callTool({ name: 'fold' })).content);
await client.close();
taskStore.cleanup();
say('done');
