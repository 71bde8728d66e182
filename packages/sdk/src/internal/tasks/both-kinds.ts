import type { JsonObject } from 'crosspoint';
import type { TaskHandlers } from 'crosspoint/server/tasks';
import type { StoredTasks } from './stored-tasks.ts';

type Handlers = TaskHandlers['core'];
type RequestHandler = Handlers[string];

/** Marks a cursor of the program's own task store, whose tasks come last. */
const MARK = 'store:';

/** The handlers for tasks that run on the server (`running`) and for those in a task store of the program (`kept`). */
export function bothKinds(stored: StoredTasks, kept: TaskHandlers, running: TaskHandlers): TaskHandlers {
  return {
    core: { ...preferring(stored, kept.core, running.core), 'tasks/list': lists(running.core, kept.core) },
    extension: preferring(stored, kept.extension, running.extension),
  };
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
