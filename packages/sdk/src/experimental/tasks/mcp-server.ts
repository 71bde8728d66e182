/** `experimental/tasks/mcp-server.js` of the older SDK. Had from `mcpServer.experimental.tasks`; not to be made by programs. */
export { ExperimentalMcpServerTasks } from '../../internal/tasks/mcp-server-tasks.ts';
