/** `experimental/tasks/stores/in-memory.js` of v1: tasks and their messages in memory. */
export { InMemoryTaskMessageQueue } from '../../../internal/tasks/in-memory-task-queue.ts';
export { InMemoryTaskStore } from '../../../internal/tasks/in-memory-task-store.ts';
