import { InMemoryTaskMessageQueue, InMemoryTaskStore } from '@modelcontextprotocol/sdk/experimental/tasks';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { add, SERVER_INFO } from '../tools.mjs';

const handler = {
  async createTask(args, { taskStore, taskRequestedTtl }) {
    const task = await taskStore.createTask({ ttl: taskRequestedTtl });
    await taskStore.storeTaskResult(task.taskId, 'completed', add.run(args));
    return { task };
  },
  getTask: (_args, { taskStore, taskId }) => taskStore.getTask(taskId),
  getTaskResult: (_args, { taskStore, taskId }) => taskStore.getTaskResult(taskId),
};

/** Tasks are experimental in this library; its store is for demonstrations. */
export function taskServerFactory() {
  return () => {
    const server = new McpServer(SERVER_INFO, {
      capabilities: { tools: {}, tasks: { requests: { tools: { call: {} } } } },
      taskStore: new InMemoryTaskStore(),
      taskMessageQueue: new InMemoryTaskMessageQueue(),
    });
    const { name, description, input, output } = add;
    const config = {
      description,
      inputSchema: input.shape,
      outputSchema: output.shape,
      execution: { taskSupport: 'optional' },
    };
    server.experimental.tasks.registerToolTask(name, config, handler);
    return server;
  };
}
