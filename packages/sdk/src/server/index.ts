import type { ServerOptions as NewServerOptions } from 'crosspoint/server';
import type { Implementation } from 'crosspoint';
import { OldServer } from '../internal/server/old-server.ts';
import type { Notification, Request, Result } from '../types.ts';
import { ExperimentalServerTasks } from '../internal/tasks/server-tasks.ts';
import { TaskSetup, type TaskStoreOptions } from '../internal/tasks/task-setup.ts';

export type ServerOptions = NewServerOptions &
  TaskStoreOptions & {
    /** Requests for which the client has declared no capability are always refused on this side. */
    enforceStrictCapabilities?: boolean;
    /** Not used: answers to forms are held against them by this library's own validator. */
    jsonSchemaValidator?: object;
  };

/**
 * The server of `crosspoint/server`, which ignores what v1 ignores, with tasks that its program keeps itself where `taskStore` is given. The parameters say what a program adds to
 * the protocol; nothing depends on them.
 */
export class Server<
  _RequestT extends Request = Request,
  _NotificationT extends Notification = Notification,
  _ResultT extends Result = Result,
> extends OldServer {
  constructor(serverInfo: Implementation, options: ServerOptions = {}) {
    super(serverInfo, options);
    if (options.taskStore !== undefined) new TaskSetup(this, options, (error) => this.onerror?.(error)).stored();
  }

  get experimental(): { readonly tasks: ExperimentalServerTasks } {
    return { tasks: new ExperimentalServerTasks(this) };
  }
}
