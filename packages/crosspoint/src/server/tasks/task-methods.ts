import { isJsonObject, type JsonObject } from '../../jsonrpc/message.ts';
import { ProtocolError, isProtocolError } from '../../protocol/errors.ts';
import { isTerminal } from '../../protocol/tasks.ts';
import { withRelatedTask } from '../../extensions/tasks/tasks-extension.ts';
import type { ServerContext } from '../calls/context.ts';
import type { ServerExtension } from '../server-extension.ts';
import { coreView, extensionView, outcomeOf } from './generation.ts';
import { outstanding, type KeptQuestion, type TaskRecord } from './task-record.ts';
import type { TaskHandlers } from './own-tasks.ts';
import type { TaskService } from './task-service.ts';

const PAGE = 50;

export function taskHandlers(tasks: TaskService): TaskHandlers {
  return { core: coreMethods(tasks), extension: extensionMethods(tasks) };
}

/** The handlers of the older generation, whose methods are part of its revision. */
function coreMethods(tasks: TaskService): TaskHandlers['core'] {
  const turns = new QuestionTurns();
  return {
    'tasks/get': async ({ params }, ctx) => ({ ...coreView(await tasks.read(params['taskId'], ctx)) }),
    'tasks/result': ({ params }, ctx) => result({ tasks, turns }, params['taskId'], ctx),
    'tasks/list': ({ params }, ctx) => list(tasks, params['cursor'], ctx),
    'tasks/cancel': async ({ params }, ctx) => {
      const { taskId, status } = await tasks.read(params['taskId'], ctx);
      const cancelled = await tasks.cancel(taskId);
      if (cancelled === undefined)
        throw new ProtocolError('invalid-params', `The task cannot be cancelled: it is ${status} already.`);
      return { ...coreView(cancelled) };
    },
  };
}

/** The handlers of the newer generation, which is an extension. */
function extensionMethods(tasks: TaskService): TaskHandlers['extension'] {
  return {
    'tasks/get': async ({ params }, ctx) => {
      const record = await tasks.read(params['taskId'], ctx);
      return { ...extensionView(record, ctx.revision, tasks.core.info) };
    },
    'tasks/update': async ({ params }, ctx) => {
      const { taskId } = await tasks.read(params['taskId'], ctx);
      const { inputResponses } = params;
      if (!isJsonObject(inputResponses))
        throw new ProtocolError('invalid-params', 'tasks/update needs inputResponses, an object.');
      await tasks.answer(taskId, inputResponses);
      return {};
    },
    'tasks/cancel': async ({ params }, ctx) => {
      const { taskId } = await tasks.read(params['taskId'], ctx);
      await tasks.cancel(taskId);
      return {};
    },
  };
}

/** Whom the newer generation tells of changes unasked: callers that listen for their own tasks. */
export function extensionEvents(tasks: TaskService): Pick<ServerExtension, 'granted' | 'opened'> {
  return {
    granted: (_member, taskIds, ctx) => tasks.known(taskIds, ctx),
    opened: (_member, taskIds) => void tasks.push(taskIds).catch((error: Error) => tasks.core.onproblem(error)),
  };
}

interface Asking {
  readonly tasks: TaskService;
  readonly turns: QuestionTurns;
}

/** Waits for the end of the task. Meanwhile the task's questions are sent to the caller. */
async function result({ tasks, turns }: Asking, id: unknown, ctx: ServerContext): Promise<JsonObject> {
  const found = await tasks.read(id, ctx);
  if (isTerminal(found.status)) return resultOf(tasks, found, ctx);
  const { taskId } = found;
  const watch = await tasks.follow(taskId);
  const asking = new Set<string>();
  try {
    for (;;) {
      const record = await tasks.read(taskId, ctx);
      if (isTerminal(record.status)) return resultOf(tasks, record, ctx);
      for (const [key, question] of outstanding(record)) {
        if (asking.has(key)) continue;
        asking.add(key);
        void ask({ tasks, turns }, record, [key, question], ctx)
          .catch((error: Error) => tasks.core.onproblem(error))
          .then((isTaken) => isTaken === true || asking.delete(key));
      }
      await watch.changed(ctx.signal);
    }
  } finally {
    watch.close();
  }
}

/** The result of the call. Throws its error. */
function resultOf(tasks: TaskService, record: TaskRecord, { revision }: ServerContext): JsonObject {
  const outcome = outcomeOf(record, revision, tasks.core.info);
  if (outcome instanceof Error) throw outcome;
  return withRelatedTask(outcome, record.taskId);
}

/**
 * Sends one question to the client, unless another request of the same session or another node does already. A client that disconnects has not answered. Returns
 * whether a request of another session has taken the question over.
 */
async function ask(
  { tasks, turns }: Asking,
  { taskId, createdAt, ttlMs }: TaskRecord,
  [
    key,
    {
      ask: { method, params },
    },
  ]: readonly [string, KeptQuestion],
  ctx: ServerContext,
): Promise<boolean> {
  const turn = turns.take(`${taskId} ${key}`, ctx.sessionId);
  await turn.before;
  const claim = await tasks.claimQuestion(taskId, key).catch(() => undefined);
  if (claim === undefined) return turn.end();
  try {
    const totalTimeoutMs = Math.max(1, createdAt + ttlMs - tasks.core.clock.now());
    const options = { signal: AbortSignal.any([ctx.signal, turn.signal]), totalTimeoutMs };
    const answer = await ctx.call.request(method, withRelatedTask(params, taskId), options);
    await tasks.answer(taskId, { [key]: answer });
  } catch (error) {
    if (isProtocolError(error) && !turn.signal.aborted) await tasks.refuse(taskId, key, ctx.revision.writeError(error));
  } finally {
    await claim.release();
    turn.end();
  }
  return turn.signal.aborted;
}

async function list(tasks: TaskService, cursor: unknown, ctx: ServerContext): Promise<JsonObject> {
  const { records, next } = await tasks.list(ctx, readCursor(cursor), PAGE);
  return { tasks: records.map(coreView), ...(next !== undefined && { nextCursor: btoa(next) }) };
}

const PLACE = /^\d{16}:[0-9a-f-]{36}$/;

function readCursor(cursor: unknown): string | undefined {
  if (cursor === undefined) return undefined;
  let place = '';
  try {
    if (typeof cursor === 'string' && cursor.length < 200) place = atob(cursor);
  } catch {
    // Not a cursor of this server.
  }
  if (!PLACE.test(place)) throw new ProtocolError('invalid-params', 'The cursor was not made by tasks/list.');
  return place;
}

/** The turn of one waiting request to put a question to its client. */
interface QuestionTurn {
  /** Resolves when the request that had the turn before has given it up. */
  readonly before: Promise<unknown> | undefined;
  /** Aborts when a request of another session takes the turn. */
  readonly signal: AbortSignal;
  /** Ends the turn. Returns false. */
  end(): false;
}

interface Held {
  readonly sessionId: string | undefined;
  readonly over: Promise<void>;
  leave(): void;
}

/**
 * The requests of this node that put questions of tasks to their clients. A question is put once in a session; a later session takes it over, since the client of
 * an earlier one may be gone without a word, and a session outlives its connection.
 */
class QuestionTurns {
  readonly #held = new Map<string, Held>();

  take(question: string, sessionId: string | undefined): QuestionTurn {
    const earlier = this.#held.get(question);
    const isOther = earlier !== undefined && earlier.sessionId !== sessionId;
    const taken = new AbortController();
    let finish = (): void => {};
    const over = new Promise<void>((resolve) => (finish = resolve));
    const held: Held = { sessionId, over, leave: () => taken.abort(new Error('Another session is asked.')) };
    if (earlier === undefined || isOther) this.#held.set(question, held);
    if (isOther) earlier.leave();
    const end = (): false => {
      if (this.#held.get(question) === held) this.#held.delete(question);
      finish();
      return false;
    };
    return { before: isOther ? earlier.over : undefined, signal: taken.signal, end };
  }
}
