/** `experimental/tasks/server.js` of v1. Use `server.experimental.tasks`. */
export { ExperimentalServerTasks } from 'crosspoint/server';
