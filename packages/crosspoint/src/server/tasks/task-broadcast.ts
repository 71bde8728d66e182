import type { JsonObject } from '../../jsonrpc/message.ts';
import { isTerminal, type TaskStatus } from '../../protocol/tasks.ts';
import { RenewedMap } from '../../runtime/renewed-map.ts';
import type { ServerCore } from '../core.ts';
import type { Edge } from '../calls/edge.ts';
import { coreView, extensionView } from './generation.ts';
import type { TaskRecord } from './task-record.ts';

interface Follower {
  readonly session: Pick<Edge, 'notifySession'>;
  status: TaskStatus;
  message: string | undefined;
}

/** Notifies clients of their tasks: the session that began one, and the streams that listen for one. */
export class TaskBroadcast {
  readonly #core: ServerCore;
  readonly #followers = new RenewedMap<string, Follower>();
  /** Tasks that some stream on this node was granted, until they end. */
  readonly #listened = new Set<string>();

  constructor(core: ServerCore) {
    this.#core = core;
  }

  follow({ taskId, status, statusMessage }: TaskRecord, session: Pick<Edge, 'notifySession'>): void {
    this.#followers.set(taskId, { session, status, message: statusMessage });
  }

  listenTo(taskId: string): void {
    this.#listened.add(taskId);
  }

  concerns(taskId: string): boolean {
    return this.#followers.get(taskId) !== undefined || this.#listened.has(taskId);
  }

  tell(taskId: string, record: TaskRecord | undefined): void {
    if (record) {
      this.#tellSession(record);
      if (this.#listened.has(taskId)) this.#tellStreams(record);
    }
    if (record && !isTerminal(record.status)) return;
    this.#followers.delete(taskId);
    this.#listened.delete(taskId);
  }

  #tellSession(record: TaskRecord): void {
    const follower = this.#followers.get(record.taskId);
    if (follower === undefined) return;
    const task = coreView(record);
    if (follower.status === task.status && follower.message === task.statusMessage) return;
    follower.status = task.status;
    follower.message = task.statusMessage;
    follower.session.notifySession('notifications/tasks/status', { ...task });
  }

  #tellStreams(record: TaskRecord): void {
    const revision = this.#core.spoken.newest('per-request');
    if (revision === undefined) return;
    const params = extensionView(record, revision, this.#core.info) as object as JsonObject;
    const { taskId } = record;
    this.#core.tell({
      kind: 'extension',
      filter: 'taskIds',
      about: taskId,
      method: 'notifications/tasks',
      params,
      isLocal: true,
    });
  }
}
