/** `experimental/tasks/client.js` of v1. Use `client.experimental.tasks`; programs do not construct it. */
export { ExperimentalClientTasks } from '../../internal/tasks/client-tasks.ts';
