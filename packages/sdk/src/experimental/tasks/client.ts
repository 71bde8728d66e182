/** `experimental/tasks/client.js` of the older SDK. Had from `client.experimental.tasks`; not to be made by programs. */
export { ExperimentalClientTasks } from 'crosspoint/client';
