/**
 * `experimental/tasks/stores/in-memory.js` of the older SDK: tasks in this process, or in any store of `crosspoint/stores` that is given.
 * There is no `getAllTasks`: a store is asked page by page, with `listTasks`. `cleanup` is a promise.
 */
export { InMemoryTaskMessageQueue, InMemoryTaskStore } from 'crosspoint/server';
