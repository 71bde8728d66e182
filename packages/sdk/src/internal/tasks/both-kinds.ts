import type { JsonObject } from 'crosspoint';
import type { ServerContext } from 'crosspoint/server';
import type { TaskHandlers } from 'crosspoint/server/tasks';
import type { StoredTasks } from './stored-tasks.ts';

type Handlers = TaskHandlers['core'];
type RequestHandler = Handlers[string];
type HandledRequest = Parameters<RequestHandler>[0];

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
      const other = others[method] ?? handler;
      if (await stored.knows(request.params['taskId'], ctx)) return other(request, ctx);
      // A task that neither has is refused in the words of the program's own.
      return (await has(own, request, ctx)) ? handler(request, ctx) : other(request, ctx);
    },
  ]);
  return Object.fromEntries(entries);
}

async function has(own: Handlers, { params }: HandledRequest, ctx: ServerContext): Promise<boolean> {
  try {
    await own['tasks/get']?.({ method: 'tasks/get', params }, ctx);
    return true;
  } catch {
    return false;
  }
}

/** Lists the tasks that run on the server, and then those in the store of the program. */
function lists(own: Handlers, others: Handlers): RequestHandler {
  return async ({ method, params }, ctx) => {
    const { cursor } = params;
    const isMarked = typeof cursor === 'string' && cursor.startsWith(MARK);
    const after = isMarked ? { cursor: cursor.slice(MARK.length) } : params;
    const theirs = (): JsonObject | Promise<JsonObject> => others['tasks/list']?.({ method, params: after }, ctx) ?? {};
    if (isMarked) return marked(await theirs());
    const mine = await Promise.resolve(own['tasks/list']?.({ method, params }, ctx)).catch(theirs);
    if (mine?.['nextCursor'] !== undefined) return mine;
    const rest = await theirs();
    return marked({ ...rest, tasks: [...items(mine), ...items(rest)] });
  };
}

function marked({ nextCursor, ...page }: JsonObject): JsonObject {
  return typeof nextCursor === 'string' ? { ...page, nextCursor: MARK + nextCursor } : page;
}

function items(page: JsonObject | undefined): readonly unknown[] {
  return (page?.['tasks'] as readonly unknown[] | undefined) ?? [];
}
