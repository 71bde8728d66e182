import type { JsonObject } from '../../jsonrpc/message.ts';
import type { Store } from '../../stores/store.ts';
import type { ServerContext } from '../calls/context.ts';
import type { ServerCore } from '../core.ts';
import { LateOwn, type Late } from '../late.ts';
import { TASK_PARTS } from '../late-parts.ts';
import type { ServerOptions } from '../server-options.ts';
import type { StoredTasks } from './stored-tasks.ts';
import type { ClassicTask, RequestTaskStore } from './task-store.ts';

/** What the program said of its own tasks. */
export type OwnTaskStore = {
  readonly [Name in 'taskStore' | 'taskMessageQueue' | 'defaultTaskPollInterval' | 'maxTaskQueueSize']?:
    | ServerOptions[Name]
    | undefined;
};

/** The tasks in a task store of the program, or in one that is made for it: loaded with their first use. */
export class LateStoredTasks {
  readonly tasks: Late<StoredTasks>;

  constructor(core: ServerCore, own: OwnTaskStore, store: Store | undefined) {
    this.tasks = new LateOwn(TASK_PARTS, ({ InMemoryTaskStore, StoredTasks: Tasks }) => {
      const { taskMessageQueue, defaultTaskPollInterval, maxTaskQueueSize } = own;
      return new Tasks(core, {
        taskMessageQueue,
        defaultTaskPollInterval,
        maxTaskQueueSize,
        taskStore: own.taskStore ?? new InMemoryTaskStore(store),
      });
    });
  }

  /** The store of a request: tasks made through it belong to its caller. */
  forRequest(ctx: ServerContext): RequestTaskStore {
    const load = async (): Promise<RequestTaskStore> => (await this.tasks.load()).forRequest(ctx);
    return {
      createTask: async (options) => (await load()).createTask(options),
      getTask: async (taskId) => (await load()).getTask(taskId),
      storeTaskResult: async (taskId, status, result) => (await load()).storeTaskResult(taskId, status, result),
      getTaskResult: async (taskId) => (await load()).getTaskResult(taskId),
      updateTaskStatus: async (taskId, status, message) => (await load()).updateTaskStatus(taskId, status, message),
      listTasks: async (cursor) => (await load()).listTasks(cursor),
    };
  }

  async ended(taskId: string, ctx: ServerContext): Promise<ClassicTask> {
    return (await this.tasks.load()).ended(taskId, ctx);
  }

  async ask(...asked: Parameters<StoredTasks['ask']>): Promise<JsonObject> {
    return (await this.tasks.load()).ask(...asked);
  }
}
