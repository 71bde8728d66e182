import type { JsonObject } from '../../jsonrpc/message.ts';
import type { AnySchema } from '../../schema/index.ts';
import type { ServerContext } from '../calls/context.ts';
import type { RegisteredTool, ToolCallback, ToolConfig } from '../offering/registrations.ts';
import { storedTasksOf } from './stored-task-registry.ts';
import type { ClassicTask, ToolTaskHandler } from './task-store.ts';

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

const asTask = new WeakSet<ServerContext>();

/** Marks a call that ends with the task that its tool makes. */
export function endWithTask(ctx: ServerContext): void {
  asTask.add(ctx);
}

/** Tools that run their tasks themselves, under the official SDK's names. `registerTool` with `task` does that by itself. */
export class ExperimentalMcpServerTasks {
  readonly #register: Register;

  constructor(register: Register) {
    this.#register = register;
  }

  registerToolTask<In extends AnySchema | undefined = undefined, Out extends AnySchema | undefined = undefined>(
    name: string,
    config: ToolTaskConfig<In, Out>,
    handler: ToolTaskHandler<In>,
  ): RegisteredTool {
    const { execution, ...rest } = config;
    const create = handler.createTask as (...args: unknown[]) => { task: ClassicTask } | Promise<{ task: ClassicTask }>;
    const run = async (...args: unknown[]): Promise<JsonObject> => {
      const ctx = args.at(-1) as ServerContext;
      const { task } = await create(...args);
      if (asTask.has(ctx)) return handOver(ctx, task);
      // A plain call waits for the end of the task.
      await storedTasksOf(ctx)?.ended(task.taskId, ctx);
      return (await ctx.taskStore?.getTaskResult(task.taskId)) ?? {};
    };
    const options = { support: execution?.taskSupport ?? 'optional', isStored: true } as const;
    return this.#register<In, Out>(name, { ...rest, task: options }, run as object as ToolCallback<In>);
  }
}

/** Ends the call with the task; the returned value is not sent. */
function handOver(ctx: ServerContext, { ttl, pollInterval, ...rest }: ClassicTask): JsonObject {
  const task = { ...rest, ttlMs: ttl, ...(pollInterval !== undefined && { pollIntervalMs: pollInterval }) };
  void ctx.call.takeOver({ kind: 'outcome', outcome: { kind: 'task', task } });
  return { content: [] };
}
