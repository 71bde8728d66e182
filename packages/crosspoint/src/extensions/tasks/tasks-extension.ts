import type { JsonObject } from '../../jsonrpc/message.ts';
import { META_RELATED_TASK } from '../../protocol/meta.ts';
import type { Extension } from '../extension.ts';

export const TASKS_EXTENSION_ID = 'io.modelcontextprotocol/tasks';

/**
 * Tasks as an extension: the server may answer a call with `resultType: "task"`, if the client declared the extension in that request. The older
 * generation of tasks is not an extension but part of its revision (`tasks/result` and the others in its vocabulary); there the client asks
 * for each task. Authors and users of tasks need not know which generation is in use.
 *
 * The client's side:
 *
 * - Declare `TASKS_EXTENSION_ID: {}` under `extensions`, give `resultTypes(extensions, 'tools/call', capabilities)` to `readResult`, and an
 *   outcome of kind `task` comes back from either generation in the same neutral names (`protocol/tasks.ts`). `Mcp-Name` is
 *   `ExtensionSet.namedBy(method)`.
 * - Which generation a connection has: the older one where the revision's vocabulary has `tasks/result`, which also needs
 *   `tasks.requests.tools.call` of the server (and the tool's own `execution.taskSupport`) for the `task` member in the params of a call;
 *   the extension where the server declared it; otherwise none, and calls simply answer.
 * - Newer generation: poll `tasks/get` (complete; `inputRequests`, `result` or `error` inside), answer with `tasks/update`
 *   (`{ taskId, inputResponses }`), each key once; or listen with `taskIds` and read `notifications/tasks`, whose params equal the
 *   result of `tasks/get`. `tasks/cancel` is acknowledged; the task may end otherwise.
 * - Older generation: poll `tasks/get` (no payload); on `input_required` or an end call `tasks/result`, which waits, brings the task's
 *   questions as requests with `related-task` in their `_meta` (answer with the same `_meta`: `withRelatedTask`), and gives the
 *   call's own result or error; an `isError` result is a `failed` task here and a `completed` one there. `tasks/cancel` gives the task, and
 *   is refused for one that has ended. Progress comes under the token of the call until the task has ended.
 *
 * Not made with `defineExtension`: a test checks this object, so that no program has to when it starts.
 */
export const tasksExtension: Extension = /* @__PURE__ */ Object.freeze<Extension>({
  id: TASKS_EXTENSION_ID,
  methods: {
    'tasks/get': { sender: 'client', kind: 'request', namedBy: 'taskId' },
    'tasks/update': { sender: 'client', kind: 'request', namedBy: 'taskId' },
    'tasks/cancel': { sender: 'client', kind: 'request', namedBy: 'taskId' },
    'notifications/tasks': { sender: 'server', kind: 'notification' },
  },
  results: { task: ['tools/call'] },
  filters: { taskIds: { notification: 'notifications/tasks', about: 'taskId' } },
});

/** A copy of params or a result that names its task in `_meta`, as the older generation requires. */
export function withRelatedTask(value: JsonObject, taskId: string): JsonObject {
  return { ...value, _meta: { ...(value['_meta'] as JsonObject | undefined), [META_RELATED_TASK]: { taskId } } };
}
