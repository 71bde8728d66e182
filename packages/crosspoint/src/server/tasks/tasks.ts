import type { JsonObject } from '../../jsonrpc/message.ts';
import type { ServerCapabilities } from '../../protocol/capabilities.ts';
import { mergeCapabilities } from '../../protocol/merge-capabilities.ts';
import { tasksExtension } from '../../extensions/tasks/tasks-extension.ts';
import type { ServerContext } from '../calls/context.ts';
import type { HandledRequest } from '../calls/handler.ts';
import { coreOf, type ServerCore } from '../core.ts';
import { callTool } from '../features/tools.ts';
import type { Registry } from '../offering/registry.ts';
import type { Server } from '../server.ts';
import { ServerExtensions, type ServerFeature } from '../server-extension.ts';
import type { OwnTasks, TaskHost } from './own-tasks.ts';
import { extensionEvents, taskHandlers } from './task-methods.ts';
import { taskRules, type TaskOptions, type ToolTaskOptions } from './task-options.ts';
import { TaskService } from './task-service.ts';
import type { TaskSupport } from './task-support.ts';
import { become, beginTask, callToolOrTask, wishedGeneration } from './tool-tasks.ts';

/** Tasks for one server. */
export interface Tasks extends ServerFeature {
  /** Adds tasks that the program runs and keeps itself, beside those that run on the server. */
  keepOwn<Own extends OwnTasks>(make: (host: TaskHost) => Own): Own;
  /**
   * Declares tasks for the handlers of a low-level `Server`, and returns the function that ends a call of `tools/call` with a task. The handler then runs again
   * in the task, from the top and with `ctx.task`; `steps` are the values that `ctx.step` gives there. Throws `TypeError` for a client that cannot be answered
   * with a task.
   *
   * ```ts
   * const feature = tasks();
   * server.use(feature);
   * const becomeTask = feature.forHandlers();
   * server.setRequestHandler('tools/call', (request, ctx) => (ctx.task ? work(ctx) : becomeTask(ctx)));
   * ```
   */
  forHandlers(): (ctx: ServerContext, how?: HandlerTask) => Promise<JsonObject>;
}

/** A task that a handler of a low-level `Server` becomes. */
interface HandlerTask extends Pick<ToolTaskOptions, 'ttlMs' | 'pollIntervalMs' | 'immediateResponse'> {
  /** Values of steps that were taken before, by name. */
  readonly steps?: Readonly<Record<string, JsonObject>>;
}

/** Handlers of a low-level server say call by call whether they run as a task, and go on by themselves after a crash. */
const BY_HANDLER: ToolTaskOptions = { support: 'optional', resume: true };

/**
 * Lets tools of a server run as tasks: `server.use(tasks())`, before the first of them is registered. Tasks are declared, and their methods
 * answered, once there is such a tool. Throws `TypeError` for options that cannot be.
 */
export function tasks(options: TaskOptions = {}): Tasks {
  taskRules(options);
  let installed: ServerTasks | undefined;
  return {
    install(server) {
      if (installed !== undefined) throw new TypeError('tasks() is for one server: call it again for another.');
      installed = new ServerTasks(server, options);
    },
    keepOwn(make) {
      if (installed === undefined) throw new TypeError('Give the tasks to a server first: server.use(tasks).');
      return installed.keepOwn(make);
    },
    forHandlers() {
      if (installed === undefined) throw new TypeError('Give the tasks to a server first: server.use(tasks).');
      return installed.forHandlers();
    },
  };
}

class ServerTasks implements TaskSupport {
  own: OwnTasks | undefined;
  readonly #server: Server;
  readonly #core: ServerCore;
  readonly #options: TaskOptions;
  /** The methods whose handlers are from here: what the program has replaced stays. */
  readonly #methods = new Set<string>();
  /** The tasks that run on the server; there with the first tool that may run as one. */
  #running: TaskService | undefined;
  #ofHandlers: ToolTaskOptions | undefined;

  constructor(server: Server, options: TaskOptions) {
    this.#server = server;
    this.#core = coreOf(server);
    this.#options = options;
    if (this.#core.tasks !== undefined)
      throw new TypeError('The server has tasks already: call server.use(tasks()) once.');
    this.#core.tasks = this;
  }

  offer(): void {
    if (this.#running !== undefined) return;
    this.#running = new TaskService(this.#core, this.#options, ({ call }) =>
      this.#server.offers === undefined ? this.#ofHandlers : taskOptionsOf(this.#server.offers(), call),
    );
    const offered: ServerCapabilities = {
      tasks: { cancel: {}, requests: { tools: { call: {} } }, ...(this.#options.list === true && { list: {} }) },
    };
    const declared = this.#server.getCapabilities();
    // An author who declared which requests may become tasks has said everything; any other values are kept.
    if (declared.tasks?.requests === undefined) this.#server.registerCapabilities(mergeCapabilities(offered, declared));
    this.#answer();
  }

  keepOwn<Own extends OwnTasks>(make: (host: TaskHost) => Own): Own {
    if (this.own !== undefined)
      throw new TypeError('The program keeps tasks of its own already: give a server one store of them.');
    const own = make(hostOf(this.#core));
    this.own = own;
    if (this.#server.getCapabilities().tasks !== undefined) this.#answer();
    return own;
  }

  forHandlers(): (ctx: ServerContext, how?: HandlerTask) => Promise<JsonObject> {
    this.#ofHandlers = BY_HANDLER;
    this.offer();
    return async (ctx, { steps, ...how } = {}) => {
      const generation = wishedGeneration(ctx);
      return become(this.#running as TaskService, ctx, { ...BY_HANDLER, ...how }, { generation, steps });
    };
  }

  callTool(registry: Registry, request: HandledRequest, ctx: ServerContext): JsonObject | Promise<JsonObject> {
    return this.#running === undefined
      ? callTool(registry, request, ctx)
      : callToolOrTask(this.#running, registry, request, ctx);
  }

  begin(ctx: ServerContext): Promise<void> {
    return beginTask(ctx);
  }

  startSweeping(): void {
    this.#running?.startSweeping();
  }

  async stop(): Promise<void> {
    await this.#running?.stop();
  }

  #answer(): void {
    const running = this.#running && taskHandlers(this.#running);
    const handlers = this.own?.handlers(running) ?? running;
    if (handlers === undefined) return;
    const events = this.#running ? extensionEvents(this.#running) : { granted: () => [] };
    const core = coreOf(this.#server);
    core.extensions ??= new ServerExtensions();
    core.extensions.add({ extension: tasksExtension, handlers: handlers.extension, ...events });
    this.#server.registerCapabilities({ extensions: { [tasksExtension.id]: {} } });
    for (const [method, handler] of Object.entries(handlers.core)) {
      if (this.#server.hasRequestHandler(method) && !this.#methods.has(method)) continue;
      this.#methods.add(method);
      this.#server.setRequestHandler(method, handler);
    }
  }
}

/** How what is called runs as a task; `undefined` when it is not offered as one. */
function taskOptionsOf(registry: Registry, { params }: HandledRequest): ToolTaskOptions | undefined {
  const tool = registry.tools.get(String(params['name']));
  return tool?.enabled === true ? tool.task : undefined;
}

function hostOf({ info, clock, rounds }: ServerCore): TaskHost {
  return {
    info,
    clock,
    askingTtlMs: rounds.ttlMs,
    request: ({ call }, method, params, options) => call.request(method, params, options),
    requestSession: ({ call }, method, params, options) => call.edge.request(undefined, method, params, options),
    notify: ({ call }, method, params) => call.emit(method, params),
    notifySession: ({ call }, method, params) => call.edge.notifySession(method, params),
  };
}
