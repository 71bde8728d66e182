/** Tools that run as tasks: `server.use(tasks())`. A server that does without loads nothing of it. */
export { tasks, type Tasks } from './tasks.ts';
export { asTask, endWithTask } from './tool-tasks.ts';
export type { TaskEvent, TaskOptions, ToolTaskOptions } from './task-options.ts';
export type { ClassicTask, OwnTasks, RequestTaskStore, TaskHandlers, TaskHost } from './own-tasks.ts';
