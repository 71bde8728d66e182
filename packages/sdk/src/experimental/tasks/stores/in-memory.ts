/**
 * `experimental/tasks/stores/in-memory.js` of v1: tasks in memory, or in any store of `crosspoint/stores`. There is no `getAllTasks`: read
 * a store page by page with `listTasks`. `cleanup` returns a promise.
 */
export { InMemoryTaskMessageQueue, InMemoryTaskStore } from '../../../internal/tasks/in-memory-task-store.ts';
