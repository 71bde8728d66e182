import type { ServerCapabilities } from '../../protocol/capabilities.ts';
import { tasksExtension } from '../../extensions/tasks/tasks-extension.ts';
import { mergeCapabilities } from '../../protocol/merge-capabilities.ts';
import type { ServerCore } from '../core.ts';
import { LateStoredTasks, type OwnTaskStore } from '../experimental/late-stored-tasks.ts';
import { registerStoredTasks } from '../experimental/stored-task-registry.ts';
import type { RequestHandler } from '../calls/handler.ts';
import { LateOwn, type Late } from '../late.ts';
import { TASK_PARTS } from '../late-parts.ts';
import type { ServerExtension } from '../server-extension.ts';
import { LateTasks } from './late-tasks.ts';
import type { TaskOptions, ToolTaskOptions } from './task-options.ts';
import type { TaskRecord } from './task-record.ts';

type Handlers = Readonly<Record<string, RequestHandler>>;

/** What answers for tasks, in both generations. */
interface Answers {
  readonly methods: Handlers;
  readonly half: ServerExtension;
}

interface Offering {
  getCapabilities(): ServerCapabilities;
  registerCapabilities(capabilities: ServerCapabilities): void;
  hasRequestHandler(method: string): boolean;
  setRequestHandler(method: string, handler: RequestHandler): void;
  use(half: ServerExtension): void;
}

const METHODS = ['tasks/get', 'tasks/result', 'tasks/list', 'tasks/cancel'];
const METHODS_OF_EXTENSION = ['tasks/get', 'tasks/update', 'tasks/cancel'];

/** The tasks of one server: those that run on it, those that its program runs itself and keeps in a store, or both. */
export class OfferedTasks {
  /** There with the first tool that may run as a task. */
  running: LateTasks | undefined;
  readonly #server: Offering;
  readonly #core: ServerCore;
  readonly #options: TaskOptions;
  readonly #own: OwnTaskStore;
  readonly #methods = new Set<string>();
  #stored: LateStoredTasks | undefined;

  constructor(server: Offering, core: ServerCore, options: TaskOptions, own: OwnTaskStore) {
    this.#server = server;
    this.#core = core;
    this.#options = options;
    this.#own = own;
  }

  /** Lets calls run as tasks on this server. */
  offer(optionsOf: (record: TaskRecord) => ToolTaskOptions | undefined): void {
    if (this.running !== undefined) return;
    this.running = new LateTasks(this.#core, this.#options, optionsOf);
    const offered: ServerCapabilities = {
      tasks: { cancel: {}, requests: { tools: { call: {} } }, ...(this.#options.list === true && { list: {} }) },
    };
    // What the author declared stands.
    this.#server.registerCapabilities(mergeCapabilities(offered, this.#server.getCapabilities()));
    this.#answer();
  }

  /** Tasks that the program runs itself, in its own store or in one made for it. */
  useStore(): void {
    if (this.#stored !== undefined) return;
    this.#stored = new LateStoredTasks(this.#core, this.#own, this.#options.store);
    registerStoredTasks(this.#core, this.#stored);
    if (this.#server.getCapabilities().tasks !== undefined) this.#answer();
  }

  #answer(): void {
    const [running, stored] = [this.running?.service, this.#stored?.tasks];
    const answers = new LateOwn(TASK_PARTS, ({ halfOf, methodsOf }): Answers => {
      // They are made of the same module, so that they are there when it is.
      const [service, kept] = [running?.value, stored?.value];
      return { methods: methodsOf(service, kept), half: halfOf(service, kept) };
    });
    this.#server.use(this.#halfOf(answers));
    for (const [method, answer] of Object.entries(handlers(METHODS, answers, ({ methods }) => methods))) {
      // What the program has replaced stays.
      if (this.#server.hasRequestHandler(method) && !this.#methods.has(method)) continue;
      this.#methods.add(method);
      this.#server.setRequestHandler(method, answer);
    }
  }

  #halfOf(answers: Late<Answers>): ServerExtension {
    return {
      extension: tasksExtension,
      handlers: handlers(METHODS_OF_EXTENSION, answers, ({ half }) => half.handlers ?? {}),
      granted: async (member, taskIds, ctx) => (await answers.load()).half.granted?.(member, taskIds, ctx) ?? [],
      opened: (member, taskIds) =>
        void answers.load().then(
          ({ half }) => half.opened?.(member, taskIds),
          (error: Error) => this.#core.onproblem(error),
        ),
    };
  }
}

function handlers(names: readonly string[], late: Late<Answers>, among: (answers: Answers) => Handlers): Handlers {
  return Object.fromEntries(
    names.map((name): [string, RequestHandler] => [
      name,
      async (request, ctx) => (await among(late.value ?? (await late.load()))[name]?.(request, ctx)) ?? {},
    ]),
  );
}
