/** What makes and answers for tasks: loaded together, by the first who needs any of it. */
export { InMemoryTaskStore } from '../experimental/in-memory-task-store.ts';
export { StoredTasks } from '../experimental/stored-tasks.ts';
export { halfOf, methodsOf } from '../experimental/both-kinds.ts';
export { TaskService } from './task-service.ts';
