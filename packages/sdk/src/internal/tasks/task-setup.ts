import type { ServerFeature } from 'crosspoint/server';
import { tasks, type TaskOptions, type Tasks } from 'crosspoint/server/tasks';
import { InMemoryTaskStore } from './in-memory-task-store.ts';
import { StoredTasks } from './stored-tasks.ts';
import type { TaskMessageQueue, TaskStore } from './task-store.ts';

export interface TaskStoreOptions {
  /** Tasks of a program that runs them itself; with it, declare `tasks` under `capabilities`. `registerTool` with `task` needs none of this. */
  taskStore?: TaskStore;
  /** Where requests wait that such tasks make of their clients. */
  taskMessageQueue?: TaskMessageQueue;
  /** How many of them may wait for one client; any number when absent. */
  maxTaskQueueSize?: number;
  defaultTaskPollInterval?: number;
}

/** Gives a server the tasks of `crosspoint/server/tasks`, and those that its program keeps in a task store, once these are used. */
export class TaskSetup {
  readonly #tasks: Tasks;
  readonly #options: TaskStoreOptions;
  readonly #store: TaskOptions['store'];
  #stored: StoredTasks | undefined;

  constructor(
    server: { use(feature: ServerFeature): void },
    { tasks: taskOptions = {}, ...options }: TaskStoreOptions & { tasks?: TaskOptions },
  ) {
    this.#tasks = tasks(taskOptions);
    this.#options = options;
    this.#store = taskOptions.store;
    server.use(this.#tasks);
  }

  /** The tasks in the store of the program, or in one that is made for it. */
  stored(): StoredTasks {
    this.#stored ??= this.#tasks.keepOwn((host) => {
      const { taskStore = new InMemoryTaskStore(this.#store), ...options } = this.#options;
      return new StoredTasks(host, { ...options, taskStore });
    });
    return this.#stored;
  }
}
