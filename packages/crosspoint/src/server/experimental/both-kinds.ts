import type { JsonObject } from '../../jsonrpc/message.ts';
import { tasksExtension } from '../../extensions/tasks/tasks-extension.ts';
import type { RequestHandler } from '../calls/handler.ts';
import type { ServerExtension } from '../server-extension.ts';
import { coreMethods, tasksHalf } from '../tasks/task-methods.ts';
import type { TaskService } from '../tasks/task-service.ts';
import type { StoredTasks } from './stored-tasks.ts';

type Handlers = Readonly<Record<string, RequestHandler>>;

/** Marks a cursor of the program's own task store, whose tasks come last. */
const MARK = 'store:';

/** The methods of a server with tasks that run here, with tasks that a program runs itself, or with both. */
export function methodsOf(tasks: TaskService | undefined, stored: StoredTasks | undefined): Handlers {
  if (tasks === undefined) return stored?.methods() ?? {};
  const own = coreMethods(tasks);
  if (stored === undefined) return own;
  const others = stored.methods();
  return { ...preferring(stored, others, own), 'tasks/list': lists(own, others) };
}

export function halfOf(tasks: TaskService | undefined, stored: StoredTasks | undefined): ServerExtension {
  if (tasks === undefined) return stored?.half() ?? { extension: tasksExtension };
  const own = tasksHalf(tasks);
  if (stored === undefined) return own;
  return { ...own, handlers: preferring(stored, stored.half().handlers ?? {}, own.handlers ?? {}) };
}

/** Sends each task to the service that has it. */
function preferring(stored: StoredTasks, others: Handlers, own: Handlers): Handlers {
  const entries = Object.entries(own).map(([method, handler]): [string, RequestHandler] => [
    method,
    async (request, ctx) => {
      const isStored = await stored.knows(request.params['taskId'], ctx);
      return ((isStored ? others[method] : undefined) ?? handler)(request, ctx);
    },
  ]);
  return Object.fromEntries(entries);
}

function lists(own: Handlers, others: Handlers): RequestHandler {
  return async ({ method, params }, ctx) => {
    const { cursor } = params;
    const isMarked = typeof cursor === 'string' && cursor.startsWith(MARK);
    const mine = isMarked ? { tasks: [] } : await own['tasks/list']?.({ method, params }, ctx);
    if (mine?.['nextCursor'] !== undefined) return mine;
    const after = isMarked ? { cursor: cursor.slice(MARK.length) } : {};
    const theirs = await others['tasks/list']?.({ method, params: after }, ctx);
    const next = theirs?.['nextCursor'];
    return {
      tasks: [...items(mine), ...items(theirs)],
      ...(typeof next === 'string' && { nextCursor: MARK + next }),
    };
  };
}

function items(page: JsonObject | undefined): readonly unknown[] {
  return (page?.['tasks'] as readonly unknown[] | undefined) ?? [];
}
