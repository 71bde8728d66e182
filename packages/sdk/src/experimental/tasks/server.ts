/** `experimental/tasks/server.js` of the older SDK. Had from `server.experimental.tasks`. */
export { ExperimentalServerTasks } from '../../internal/tasks/experimental-server-tasks.ts';
