import type { ServerFeature } from 'crosspoint/server';
import { tasks, type TaskOptions, type Tasks } from 'crosspoint/server/tasks';
import { KeptTaskStore } from './kept-task-store.ts';
import { StoredTasks } from './stored-tasks.ts';
import type { TaskMessageQueue, TaskStore } from './task-store.ts';

export interface TaskStoreOptions {
  /** Tasks of a program that runs them itself; with it, declare `tasks` under `capabilities`. */
  taskStore?: TaskStore;
  /** Where the messages wait that such tasks send. */
  taskMessageQueue?: TaskMessageQueue;
  /** How many of them may wait for one task; any number when absent. */
  maxTaskQueueSize?: number;
  /** Poll interval in milliseconds for tasks that name none; 1000 when absent. */
  defaultTaskPollInterval?: number;
}

/** Gives a server the tasks of `crosspoint/server/tasks`, and those that its program keeps in a task store, once these are used. */
export class TaskSetup {
  readonly #tasks: Tasks;
  readonly #options: TaskStoreOptions;
  readonly #store: TaskOptions['store'];
  readonly #onerror: (error: Error) => void;
  #stored: StoredTasks | undefined;

  constructor(
    server: { use(feature: ServerFeature): void },
    { tasks: taskOptions = {}, ...options }: TaskStoreOptions & { tasks?: TaskOptions },
    onerror: (error: Error) => void,
  ) {
    this.#tasks = tasks(taskOptions);
    this.#options = options;
    this.#store = taskOptions.store;
    this.#onerror = onerror;
    server.use(this.#tasks);
  }

  /** The tasks in the store of the program, or in one that is made for it. */
  stored(): StoredTasks {
    this.#stored ??= this.#tasks.keepOwn((host) => {
      const { taskStore = new KeptTaskStore(this.#store), ...options } = this.#options;
      return new StoredTasks(host, { ...options, taskStore }, this.#onerror);
    });
    return this.#stored;
  }
}
