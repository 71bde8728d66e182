import type { ServerOptions as NewServerOptions } from 'crosspoint/server';
import type { Implementation, JsonObject } from 'crosspoint';
import { AskingServer, type AskingOptions } from '../internal/server/asking-server.ts';
import type { Notification, Request, Result } from '../types.ts';
import type { NotificationOptions, RequestOptions, SchemaLike } from '../internal/shared/protocol-options.ts';
import { ExperimentalServerTasks } from '../internal/tasks/experimental-server-tasks.ts';
import type { StoredTasks } from '../internal/tasks/stored-tasks.ts';
import { TaskSetup, type TaskStoreOptions } from '../internal/tasks/task-setup.ts';

export type ServerOptions = NewServerOptions & TaskStoreOptions & AskingOptions;

/** A request as programs write it. */
type AnyRequest = { method: string; params?: object | undefined };

/**
 * The server of `crosspoint/server`, which ignores what v1 ignores and asks as v1 asks, with tasks that its program keeps itself where `taskStore` is given. The parameters say what a program adds to
 * the protocol; nothing depends on them.
 */
export class Server<
  _RequestT extends Request = Request,
  _NotificationT extends Notification = Notification,
  _ResultT extends Result = Result,
> extends AskingServer {
  readonly #experimental: { readonly tasks: ExperimentalServerTasks };
  /** The tasks of the program, where it keeps any. */
  #stored: StoredTasks | undefined;

  constructor(serverInfo: Implementation, options: ServerOptions = {}) {
    super(serverInfo, options);
    if (options.taskStore !== undefined)
      this.keepTasks(new TaskSetup(this, options, (error) => this.onerror?.(error)).stored());
    this.#experimental = { tasks: new ExperimentalServerTasks(this, options.defaultTaskPollInterval) };
  }

  get experimental(): { readonly tasks: ExperimentalServerTasks } {
    return this.#experimental;
  }

  /** @internal Notes the tasks of the program, whose messages wait until the client asks for them. */
  keepTasks(stored: StoredTasks): void {
    this.#stored = stored;
  }

  /** Sends any request to the client. With the option `task` it asks to become a task, with which it then resolves. */
  override async request<T = JsonObject>(
    request: AnyRequest,
    resultSchema?: SchemaLike<T>,
    { task, ...options }: RequestOptions = {},
  ): Promise<T> {
    const params = (task === undefined ? request.params : { ...request.params, task }) as JsonObject | undefined;
    const wanted = { method: request.method, ...(params && { params }) };
    return super.request(wanted, resultSchema, options);
  }

  /** Sends any notification. One that belongs to a task waits until the client asks for the result of the task. */
  override async notification(
    notification: Parameters<AskingServer['notification']>[0],
    options: NotificationOptions = {},
  ): Promise<void> {
    const { relatedTask } = options;
    if (relatedTask === undefined || this.#stored === undefined) await super.notification(notification, options);
    else await this.#stored.notifyLater(relatedTask.taskId, notification);
  }
}
