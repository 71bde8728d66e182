import { isJsonObject, type JsonObject } from '../../jsonrpc/message.ts';
import { isProtocolError, ProtocolError, TransportError } from '../../protocol/errors.ts';
import { mirroredText, readMirroredParams } from '../../protocol/mirrored-params.ts';
import type { Task } from '../../protocol/tasks.ts';
import type { CallToolParams, ListToolsResult, Tool } from '../../protocol/tools.ts';
import { writeHeaderValue } from '../../wire/header-value.ts';
import { follow } from './abort.ts';
import type { CallDetails } from './call.ts';
import type { OutputCheck, OutputChecks } from './output-checks.ts';
import type { CallToolOptions, ListRequestOptions } from './request-options.ts';
import { taskSupport } from '../tasks/generation.ts';
import { AnsweredCall, StartedTask, type TaskHandle } from '../tasks/task-handle.ts';
import { TaskProgress } from '../tasks/task-progress.ts';
import { readTask } from '../tasks/waiting.ts';
import type { Engine } from '../engine.ts';
import { httpOf } from '../../revisions/http-rules.ts';

type Options = CallToolOptions | undefined;
type Known = Tool | undefined;

/** Lists and calls tools, using the listed definitions: output schemas, arguments mirrored into headers, hints. */
export class ToolCalls {
  readonly #engine: Engine;
  readonly #outputs: OutputChecks;
  readonly #warned = new Set<string>();

  constructor(engine: Engine, outputs: OutputChecks) {
    this.#engine = engine;
    this.#outputs = outputs;
  }

  async list(params: JsonObject | undefined, options?: ListRequestOptions): Promise<ListToolsResult> {
    const listed = (await this.#engine.calls.list('tools/list', params, options)) as object as ListToolsResult;
    const usable = this.#mirrors() ? { ...listed, tools: listed.tools.filter((tool) => this.#isUsable(tool)) } : listed;
    this.#outputs.learn(usable.tools, params?.['cursor'] === undefined && listed.nextCursor === undefined);
    return usable;
  }

  /** Adds the definitions of one page of a list that somebody else reads. */
  learn({ tools, nextCursor }: JsonObject, isFirst: boolean): void {
    if (!Array.isArray(tools)) return;
    const usable = (tools as Tool[]).filter((tool) => this.#isUsable(tool));
    this.#outputs.learn(usable, isFirst && nextCursor === undefined);
  }

  call(params: CallToolParams, options: CallToolOptions | undefined): Promise<JsonObject> {
    try {
      const tool = this.#known(params, options);
      // The tool's `taskSupport` must be known first where clients decide about tasks, its schema where results are refused by it.
      if (tool === undefined && (this.#engine.tasks.mayAsk || this.#outputs.needsTools))
        return this.#inTime(options, (own) =>
          this.#learn(own).then(() => this.#callNow(params, own, this.#known(params, own))),
        );
      return this.#callNow(params, options, tool);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /** Starts a call as a task. Where the two sides have no tasks, or the tool does not support them, it is an ordinary call. */
  async start(params: CallToolParams, options: CallToolOptions = {}): Promise<TaskHandle> {
    const { link, tasks } = this.#engine;
    await this.#inTime(options, async (own) => {
      await link.connection(own.signal);
      if (tasks.mayAsk && this.#known(params, own) === undefined) await this.#learn(own);
    });
    const tool = this.#known(params, options);
    const asTask = tasks.mayAsk && taskSupport(tool) !== 'forbidden';
    const abort = new AbortController();
    const unfollow = follow(abort, options.signal);
    if (!asTask && tasks.generation !== 'extension') {
      const { task: _, ...plain } = params;
      const { task: __, ...others } = options;
      const called = this.#callNow(plain, { ...others, signal: abort.signal }, tool);
      return new AnsweredCall(called.finally(unfollow), abort, this.#engine.clock);
    }
    const check = this.#outputs.checkFor(params.name, tool);
    const own = this.#withTaskProgress(options, asTask);
    const started = await this.#engine.calls.start(bodyOf(params, asTask ? wishOf(params, options) : undefined), {
      ...this.details(params, own, tool),
      asTask,
    });
    if (started.kind === 'task') {
      const side = { check, over: started.over, onstatus: own.onstatus };
      return new StartedTask(tasks, readTask('tools/call', started.task), side);
    }
    started.over();
    check(started.result);
    return new AnsweredCall(Promise.resolve(started.result), abort, this.#engine.clock);
  }

  #callNow(params: CallToolParams, options: Options, tool: Known): Promise<JsonObject> {
    try {
      // Read before sending: a list that changes meanwhile must not change what the result is checked against.
      const check = this.#outputs.checkFor(params.name, tool);
      if (this.#mirrors()) return this.#sendMirrored(params, options, tool, check);
      return this.#send(params, options, tool, check);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  #sendMirrored(params: CallToolParams, options: Options, tool: Known, check: OutputCheck): Promise<JsonObject> {
    const startedAt = this.#engine.calls.now();
    return this.#send(params, options, tool, check).catch((error: unknown) => {
      if (isProtocolError(error) && error.kind === 'header-mismatch')
        return this.#inTime(options, (own) => this.#again(params, own, check), startedAt);
      throw error;
    });
  }

  #known(params: CallToolParams, options: CallToolOptions | undefined): Tool | undefined {
    return options?.toolDefinition ?? this.#outputs.toolNamed(params.name);
  }

  #learn(options: CallToolOptions | undefined): Promise<unknown> {
    return this.list(undefined, { signal: options?.signal });
  }

  /** Runs several requests under the total timeout of one call. */
  #inTime<T>(
    options: Options,
    work: (options: CallToolOptions) => Promise<T>,
    startedAt: number = this.#engine.calls.now(),
  ): Promise<T> {
    return this.#engine.calls.inTime({ method: 'tools/call', options: options ?? {}, startedAt }, work);
  }

  /**
   * Repeats a call that was refused with `header-mismatch`, before anything ran: its headers were made from an outdated definition, or from
   * none.
   */
  async #again(params: CallToolParams, options: CallToolOptions, check: OutputCheck): Promise<JsonObject> {
    await this.list(undefined, { cacheMode: 'refresh', signal: options.signal });
    return this.#send(params, options, this.#outputs.toolNamed(params.name), check);
  }

  forget(): void {
    this.#warned.clear();
    this.#outputs.forget();
  }

  #send(params: CallToolParams, options: Options, tool: Known, check: OutputCheck): Promise<JsonObject> {
    const asTask = this.#asksForTask(params, options, tool);
    const details = this.details(params, this.#withTaskProgress(options, asTask), tool, check);
    if (!asTask) return this.#engine.calls.callTool(bodyOf(params, undefined), details);
    return this.#engine.calls.callTool(bodyOf(params, wishOf(params, options)), { ...details, asTask });
  }

  /** Lets `onprogress` hear the task that the call becomes, too. */
  #withTaskProgress<T extends CallToolOptions | undefined>(options: T, asTask: boolean): T {
    if (options?.onprogress === undefined || (!asTask && this.#engine.tasks.generation !== 'extension')) return options;
    const { onstatus } = options;
    const progress = new TaskProgress(options.onprogress);
    const hear = (task: Task): void => {
      this.#engine.guard(() => progress.status(task));
      onstatus?.(task);
    };
    return { ...options, onprogress: progress.report, onstatus: hear };
  }

  /** The details with which a call is sent: headers from the definition of its tool, its key. */
  details(
    params: CallToolParams,
    options: Options,
    tool: Known = this.#known(params, options),
    check?: OutputCheck,
  ): CallDetails {
    const headers =
      this.#mirrors() && tool !== undefined
        ? { ...options?.headers, ...mirroredHeaders(tool, params) }
        : options?.headers;
    return { options, tool, headers, idempotencyKey: options?.idempotencyKey, asTask: undefined, check };
  }

  /** Whether the call asks to become a task, in revisions where clients decide. Throws when the tool does not support it. */
  #asksForTask(params: CallToolParams, options: Options, tool: Known): boolean {
    const isWished = params.task !== undefined || options?.task !== undefined;
    if (!isWished && tool?.execution?.taskSupport !== 'required') return false;
    if (!this.#engine.tasks.mayAsk) return false;
    if (taskSupport(tool) === 'forbidden')
      throw new ProtocolError('method-not-found', `The tool "${params.name}" cannot be run as a task.`);
    return true;
  }

  // A method, because V8 enters the runtime for a private getter (docs/performance.md).
  #mirrors(): boolean {
    const { link } = this.#engine;
    return link.transport?.hasHeaders === true && link.revision !== undefined && httpOf(link.revision).mirrorsBody;
  }

  /** A tool with invalid `x-mcp-header` annotations is left out of the list; the others stay. */
  #isUsable(tool: Tool): boolean {
    const read = readMirroredParams(isJsonObject(tool) ? tool.inputSchema : undefined);
    if (read.ok) return true;
    const message = `The tool "${tool.name}" is left out, because its x-mcp-header annotations are not valid: ${read.fault}.`;
    if (!this.#warned.has(message))
      this.#engine.onproblem(new TransportError('invalid-result', message, { tool: tool.name, fault: read.fault }));
    this.#warned.add(message);
    return false;
  }
}

/**
 * Copies the params for sending; `task` is included only where the server knows it. Plain params all get one shape, with a place for the
 * `_meta` that every revision adds: one of four changes that took a call from 1.60 to 1.36 µs.
 */
function bodyOf(params: CallToolParams, task: JsonObject | undefined): JsonObject {
  if (task === undefined && isPlain(params))
    return { name: params.name, arguments: params.arguments, _meta: params._meta };
  if (params.task === undefined && task === undefined) return { ...params };
  const { task: _, ...rest } = params;
  return task === undefined ? rest : { ...rest, task };
}

function isPlain(params: CallToolParams): boolean {
  for (const key in params) if (key !== 'name' && key !== 'arguments' && key !== '_meta') return false;
  return true;
}

function wishOf(params: CallToolParams, options: CallToolOptions | undefined): JsonObject {
  return { ...(options?.task ?? params.task) };
}

function mirroredHeaders(tool: Tool, params: CallToolParams): Record<string, string> {
  const read = readMirroredParams(tool.inputSchema);
  const args = isJsonObject(params.arguments) ? params.arguments : {};
  const headers: Record<string, string> = {};
  for (const param of read.ok ? read.params : []) {
    const text = mirroredText(param, args);
    if (text !== undefined) headers[param.header] = writeHeaderValue(text);
  }
  return headers;
}
