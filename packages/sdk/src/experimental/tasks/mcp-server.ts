/** `experimental/tasks/mcp-server.js` of v1. Use `mcpServer.experimental.tasks`; programs do not construct it. */
export { ExperimentalMcpServerTasks } from 'crosspoint/server';
