import { isJsonObject, type JsonObject } from '../../jsonrpc/message.ts';
import { ProtocolError, TransportError } from '../../protocol/errors.ts';
import { META_IMMEDIATE_RESPONSE } from '../../protocol/meta.ts';
import type { Task } from '../../protocol/tasks.ts';
import { atOnce } from '../../runtime/guard.ts';
import { TASKS_EXTENSION_ID } from '../../extensions/tasks/tasks-extension.ts';
import { SUSPENDED } from '../asking/suspension.ts';
import type { ServerContext } from '../calls/context.ts';
import type { HandledRequest } from '../calls/handler.ts';
import { refuseWithoutScopes } from '../callers/needed-scopes.ts';
import { isOffered, type Registry } from '../offering/registry.ts';
import { missingExtension } from '../server-extension.ts';
import { callTool } from '../features/tools.ts';
import { generationOf, type Generation } from './generation-of.ts';
import type { ClassicTask } from './own-tasks.ts';
import type { ToolTaskOptions } from './task-options.ts';
import { answerOf, type TaskAnswer } from '../composition/task-answer.ts';
import { toTask } from './task-record.ts';
import type { TaskService } from './task-service.ts';

const PLAIN: ToolTaskOptions = { support: 'forbidden' };
/** Calls whose tool begins as a task `when-told`, and what makes them one. */
const starters = new WeakMap<ServerContext, () => Promise<void>>();
/** Calls that are to end with the task that their handler makes itself. */
const endsWithTask = new WeakSet<ServerContext>();

/** Resolves at once for a call that is a task already, or cannot be one; otherwise the call ends here and its handler runs as a task. */
export async function beginTask(ctx: ServerContext): Promise<void> {
  await starters.get(ctx)?.();
}

/**
 * Ends a call with a task that its handler, of a tool with `task: { isOwn: true }`, has made itself. False for a call that is to be answered with
 * what the task comes to. When it is true, what the handler returns is not sent to anyone.
 */
export function endWithTask(ctx: ServerContext, { ttl, pollInterval, ...rest }: ClassicTask): boolean {
  if (!endsWithTask.has(ctx)) return false;
  const task = { ...rest, ttlMs: ttl, ...(pollInterval !== undefined && { pollIntervalMs: pollInterval }) };
  void ctx.call.takeOver({ kind: 'outcome', outcome: { kind: 'task', task } });
  return true;
}

/**
 * The answer to a call that became a task elsewhere, in the words of the client's revision; the handler of `tools/call` on a low-level `Server` and `callTool` of a mounted source return it. Throws
 * `TypeError` for a client that cannot be answered with a task: it has none, or has not asked for one where clients decide.
 *
 * ```ts
 * const outcome = await exchange(client, request);
 * if (outcome.kind === 'task') return asTask(ctx, outcome.task);
 * ```
 */
export function asTask(ctx: ServerContext, task: Task | JsonObject): TaskAnswer {
  const { inbound, revision, call } = ctx;
  wishedGeneration(ctx);
  const words = revision.writeResult(inbound.method, { kind: 'task', task: { ...task } }, call.core.info);
  return answerOf(words, { ...task });
}

/** The generation in which a call can be answered with a task. Throws `TypeError` where it cannot. */
export function wishedGeneration(ctx: ServerContext): Generation {
  const { method, params } = ctx.inbound;
  const generation = generationOf(ctx);
  if (generation === undefined || (generation === 'core' && params['task'] === undefined))
    throw new TypeError(
      `The client of ${method} cannot be answered with a task: wait for the task, and answer with its result.`,
    );
  return generation;
}

/** Answers `tools/call` on a server with tools that can run as tasks: as a plain call, or by making a task. */
export function callToolOrTask(
  tasks: TaskService,
  registry: Registry,
  request: HandledRequest,
  ctx: ServerContext,
): JsonObject | Promise<JsonObject> {
  const { name, task: wish } = request.params;
  const tool = typeof name === 'string' ? registry.tools.get(name) : undefined;
  if (ctx.task !== undefined || tool === undefined || !isOffered(tool, ctx)) return callTool(registry, request, ctx);
  const options = tool.task ?? PLAIN;
  if (options !== PLAIN) refuseWithoutScopes(tool, ctx);
  const generation = generationOf(ctx);
  const { support } = options;
  const begin = (as: Generation): JsonObject | Promise<JsonObject> => {
    if (options.isOwn !== true) return become(tasks, ctx, options, { generation: as });
    endsWithTask.add(ctx);
    return callTool(registry, request, ctx);
  };
  if (generation === 'core' && wish !== undefined) {
    if (support === 'forbidden')
      throw new ProtocolError('method-not-found', `${tool.definition.name} cannot be called as a task.`);
    return begin(generation);
  }
  if (generation !== 'extension' && support === 'required') {
    if (ctx.family === 'per-request') throw missingExtension(TASKS_EXTENSION_ID);
    throw new ProtocolError('method-not-found', `${tool.definition.name} can only be called as a task.`);
  }
  if (generation !== 'extension' || support === 'forbidden') return callTool(registry, request, ctx);
  if (options.begin !== 'when-told') return begin(generation);
  starters.set(ctx, async () => {
    await become(tasks, ctx, options, { generation });
    throw SUSPENDED;
  });
  return callTool(registry, request, ctx);
}

/** Ends the call with a task, in which the handler runs from the top. The returned value is not sent. */
export async function become(
  tasks: TaskService,
  ctx: ServerContext,
  options: ToolTaskOptions,
  { generation, steps = {} }: { generation: Generation; steps?: Readonly<Record<string, JsonObject>> | undefined },
): Promise<JsonObject> {
  const words = generation === 'core' ? immediateWords(options, ctx) : undefined;
  const given = Object.entries(steps).map(([name, value]) => [`s:${name}`, { v: value }] as const);
  const past = { ...ctx.call.asker?.past?.(), ...Object.fromEntries(given) };
  const made = await tasks.create(ctx, { generation, options, past });
  if (ctx.aborted) {
    await made.discard();
    throw new TransportError('aborted', 'Nobody waits for the task any more.');
  }
  const task: JsonObject = { ...toTask(made.record) };
  if (words !== undefined) task['_meta'] = { [META_IMMEDIATE_RESPONSE]: words };
  const settled = ctx.call.takeOver({ kind: 'outcome', outcome: { kind: 'task', task } });
  if (settled === true || (await settled)) made.launch();
  else await made.discard();
  return {};
}

function immediateWords(
  { immediateResponse }: ToolTaskOptions,
  { inbound: { params } }: ServerContext,
): string | undefined {
  const { arguments: args } = params;
  return typeof immediateResponse === 'function'
    ? atOnce(immediateResponse(isJsonObject(args) ? args : {}), 'immediateResponse')
    : immediateResponse;
}
