import type { ServerCore } from '../core.ts';
import { LateOwn } from '../late.ts';
import { TASK_PARTS } from '../late-parts.ts';
import { taskRules, type TaskOptions, type ToolTaskOptions } from './task-options.ts';
import type * as TaskParts from './task-parts.ts';
import type { TaskRecord } from './task-record.ts';
import type { TaskService } from './task-service.ts';

/** The tasks that run on a server, before there is one: loaded when the first is made or asked for, or may be waiting in a store. */
export class LateTasks {
  readonly service: LateOwn<typeof TaskParts, TaskService>;
  readonly #core: ServerCore;
  readonly #options: TaskOptions;

  constructor(core: ServerCore, options: TaskOptions, optionsOf: (record: TaskRecord) => ToolTaskOptions | undefined) {
    // Now, so that whoever gave options that cannot be is told.
    taskRules(options);
    this.#core = core;
    this.#options = options;
    this.service = new LateOwn(TASK_PARTS, ({ TaskService: Service }) => new Service(core, options, optionsOf));
    this.startSweeping();
  }

  /** Looks for tasks whose node is gone, once there is a store that others may use too. */
  startSweeping(): void {
    if ((this.#options.store ?? this.#core.store()) === undefined) return;
    const { value } = this.service;
    if (value) return value.startSweeping();
    this.service.load().then(
      (service) => service.startSweeping(),
      (error: Error) => this.#core.onproblem(error),
    );
  }

  async stop(): Promise<void> {
    // Where it could not be loaded, nothing runs.
    const service = await Promise.resolve(this.service.begun).catch(() => undefined);
    await service?.stop();
  }
}
