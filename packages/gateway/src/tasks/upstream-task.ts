import { ProtocolError, isTerminal, type Outcome, type Task } from 'crosspoint/client';
import type { ServerContext } from 'crosspoint/server';
import { LiveCall } from '../calls/live-call.ts';
import { askLive } from '../calls/rounds.ts';
import type { Slot } from '../upstream/upstream-sessions.ts';
import { pause } from '../values/pause.ts';
import { isObject, withoutHop } from '../words/meta.ts';

type JsonObject = Record<string, unknown>;
type DetailedTask = Task & { inputRequests?: unknown; result?: unknown; error?: unknown };
type Exchange = (method: string, params: JsonObject) => Promise<Outcome>;

const POLL_MS = 1000;
const SHORTEST_POLL_MS = 20;
const LONGEST_POLL_MS = 60_000;

export interface FollowedTask {
  readonly slot: Slot;
  readonly task: Task;
  readonly exchange: Exchange;
  /** Called with the words of each status. */
  readonly onstatus: (message: string) => void;
}

/**
 * Follows a task of the server to its end and returns the result of its call; its questions are asked through `ctx`. Rejects with the error of the call. When
 * `ctx` is cancelled, so is the task.
 */
export async function followTask(ctx: ServerContext, followed: FollowedTask): Promise<JsonObject> {
  const { slot, task, exchange } = followed;
  const call = new LiveCall(ctx, { mayBeAsked: false, taskId: task.taskId });
  slot.session.calls.add(call);
  try {
    return slot.session.family === 'handshake' ? await fetchResult(ctx, followed) : await followStatus(ctx, followed);
  } catch (error) {
    if (isCancelled(ctx)) await exchange('tasks/cancel', { taskId: task.taskId }).catch(() => {});
    throw error;
  } finally {
    slot.session.calls.delete(call);
  }
}

/** Whether the task downstream is over: cancelled by its client, or expired. One that only moves to another process is not. */
function isCancelled({ aborted, signal, task }: ServerContext): boolean {
  if (!aborted) return false;
  const { details } = signal.reason as { details?: { isOver?: boolean } };
  return task === undefined || details?.isOver === true;
}

/** Tasks of the older generation: `tasks/result` waits for the end, and brings the questions of the task meanwhile. */
async function fetchResult(ctx: ServerContext, followed: FollowedTask): Promise<JsonObject> {
  const { exchange } = followed;
  let { task } = followed;
  while (task.status === 'working') task = await next(ctx, task, followed);
  const outcome = await exchange('tasks/result', { taskId: task.taskId });
  return withoutHop(completed(outcome));
}

/** Tasks of the newer generation: result and questions are members of the task. */
async function followStatus(ctx: ServerContext, followed: FollowedTask): Promise<JsonObject> {
  const { exchange } = followed;
  const answered = new Set<string>();
  let task: DetailedTask = followed.task;
  for (;;) {
    if (isTerminal(task.status)) return withoutHop(resultOf(task));
    const open = Object.entries(isObject(task.inputRequests) ? task.inputRequests : {}).filter(
      ([key]) => !answered.has(key),
    );
    if (open.length > 0) {
      for (const [key] of open) answered.add(key);
      const asks = Object.fromEntries(open) as Extract<Outcome, { kind: 'input-required' }>['asks'];
      const { answers } = await askLive(ctx, { kind: 'input-required', asks });
      await exchange('tasks/update', { taskId: task.taskId, inputResponses: answers });
    }
    task = await next(ctx, task, followed);
  }
}

function resultOf({ status, statusMessage, result, error, taskId }: DetailedTask): JsonObject {
  if (status === 'completed' && isObject(result)) return result;
  if (isObject(error) && typeof error['code'] === 'number')
    throw new ProtocolError(error['code'], String(error['message']), error['data']);
  throw new ProtocolError('other', statusMessage ?? `The task ${taskId} is ${status}, and has no result.`);
}

async function next(
  ctx: ServerContext,
  { taskId, pollIntervalMs = POLL_MS }: Task,
  { exchange, onstatus }: FollowedTask,
): Promise<DetailedTask> {
  await pause(Math.min(Math.max(pollIntervalMs, SHORTEST_POLL_MS), LONGEST_POLL_MS), ctx.signal);
  const task = completed(await exchange('tasks/get', { taskId })) as object as DetailedTask;
  if (typeof task.statusMessage === 'string') onstatus(task.statusMessage);
  return task;
}

function completed(outcome: Outcome): JsonObject {
  if (outcome.kind === 'complete') return outcome.result;
  throw new ProtocolError('internal', `The server answered a request about a task with ${outcome.kind}.`);
}
