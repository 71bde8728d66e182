/** `experimental/tasks/server.js` of the older SDK. Had from `server.experimental.tasks`. */
export { ExperimentalServerTasks } from '../../internal/tasks/server-tasks.ts';
