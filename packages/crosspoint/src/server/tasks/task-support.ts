import type { JsonObject } from '../../jsonrpc/message.ts';
import type { ServerContext } from '../calls/context.ts';
import type { HandledRequest } from '../calls/handler.ts';
import type { ServerCore } from '../core.ts';
import type { Registry } from '../offering/registry.ts';
import type { OwnTasks } from './own-tasks.ts';

/** The part that `tasks()` adds to a server. The server knows tasks by this contract alone, and imports nothing else of them. */
export interface TaskSupport {
  /** Tasks that the program keeps itself, where it does. */
  readonly own: OwnTasks | undefined;
  /** A tool that may run as a task is there: declares tasks and answers their methods. Does nothing the second time. */
  offer(): void;
  /** Answers `tools/call`: as a plain call, or with a task. */
  callTool(registry: Registry, request: HandledRequest, ctx: ServerContext): JsonObject | Promise<JsonObject>;
  /** Goes on as a task, for `ctx.beginTask()`. */
  begin(ctx: ServerContext): Promise<void>;
  /** Looks for tasks whose node is gone, once there is a shared store. */
  startSweeping(): void;
  /** Stops what runs here. */
  stop(): Promise<void>;
}

/** The tasks of a server with a tool that may run as one. Throws where the server was given none. */
export function requireTasks({ tasks }: ServerCore, tool: string): TaskSupport {
  if (tasks !== undefined) return tasks;
  throw new TypeError(
    `The tool "${tool}" may run as a task, and this server has no tasks. Add them before it is registered: ` +
      "import { tasks } from 'crosspoint/server/tasks'; server.use(tasks());",
  );
}
