import type { JsonObject } from 'crosspoint';
import type { AnySchema } from 'crosspoint/schema';
import type { RegisteredTool, ServerContext, ToolCallback, ToolConfig } from 'crosspoint/server';
import { endWithTask, type ClassicTask } from 'crosspoint/server/tasks';
import type { StoredTasks } from './stored-tasks.ts';
import type { Task } from '../../types.ts';
import type { ToolTaskHandler } from './task-store.ts';

export interface ToolTaskConfig<In extends AnySchema | undefined, Out extends AnySchema | undefined> extends Omit<
  ToolConfig<In, Out>,
  'task' | 'execution'
> {
  execution?: { taskSupport?: 'optional' | 'required' };
}

type Register = <In extends AnySchema | undefined, Out extends AnySchema | undefined>(
  name: string,
  config: ToolConfig<In, Out>,
  callback: ToolCallback<In>,
) => RegisteredTool;

/** The official SDK's names for tools that make their tasks themselves. `registerTool` with `task` does that by itself. */
export class ExperimentalMcpServerTasks {
  readonly #register: Register;
  readonly #stored: () => StoredTasks;

  constructor(register: Register, stored: () => StoredTasks) {
    this.#register = register;
    this.#stored = stored;
  }

  registerToolTask<In extends AnySchema | undefined = undefined, Out extends AnySchema | undefined = undefined>(
    name: string,
    config: ToolTaskConfig<In, Out>,
    handler: ToolTaskHandler<In>,
  ): RegisteredTool {
    const { execution, ...rest } = config;
    const support: string = execution?.taskSupport ?? 'required';
    if (support === 'forbidden')
      throw new Error(
        `Cannot register task-based tool '${name}' with taskSupport 'forbidden'. Use registerTool() instead.`,
      );
    const stored = this.#stored();
    const create = handler.createTask as (...args: unknown[]) => { task: Task } | Promise<{ task: Task }>;
    const run = async (...args: unknown[]): Promise<JsonObject> => {
      const ctx = args.pop() as ServerContext;
      let hasEnded = false;
      const isTask = ctx.family === 'handshake' && ctx.inbound.params['task'] !== undefined;
      const { task } = await create(...args, isTask ? stored.outliving(ctx, () => hasEnded) : ctx);
      hasEnded = endWithTask(ctx, task as ClassicTask);
      if (hasEnded) return { content: [] };
      // A plain call waits for what the task comes to.
      await stored.ended(task.taskId, ctx);
      return stored.storeFor(ctx).getTaskResult(task.taskId);
    };
    const options = { support: support as 'optional' | 'required', isOwn: true };
    return this.#register<In, Out>(name, { ...rest, task: options }, run as object as ToolCallback<In>);
  }
}
