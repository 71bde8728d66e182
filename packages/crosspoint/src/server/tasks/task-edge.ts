import { isJsonObject, type JsonObject } from '../../jsonrpc/message.ts';
import type { Progress } from '../../peer/progress.ts';
import { ProtocolError } from '../../protocol/errors.ts';
import type { LoggingMessage } from '../../protocol/logging.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import { withRelatedTask } from '../../extensions/tasks/tasks-extension.ts';
import type { Asker, AskerPort } from '../asking/asker.ts';
import type { Call } from '../calls/call.ts';
import type { ServerCore } from '../core.ts';
import type { Edge } from '../calls/edge.ts';
import type { Change } from '../changes/listening.ts';
import { LogGate } from '../calls/log-gate.ts';

/** The task of a running handler. */
export interface TaskScope {
  readonly id: string;
  /** Sets the status message that clients see. */
  setStatus(message: string): Promise<void>;
}

/** The owner of a call that runs as a task; it receives the outcome. */
export interface TaskOwner {
  readonly taskId: string;
  openAsker(port: AskerPort): Asker;
  completed(result: JsonObject): void;
  failed(error: unknown): void;
  /** Keeps the progress with the task, for clients that are sent no progress messages. */
  progressed(progress: Progress): void;
  setStatus(message: string): Promise<void>;
}

/**
 * The edge of a call that outlives its request. Its notifications go to the session that began it, as long as there is one and its generation of tasks has
 * them; its result goes into the task.
 */
export class TaskEdge implements Edge {
  readonly core: ServerCore;
  readonly task: TaskScope;
  readonly sessionId: string | undefined;
  /** Made when the task first logs. */
  #logs: LogGate | undefined;
  readonly #owner: TaskOwner;
  /** The session that gets the task's progress; `undefined` where the generation has no such messages. */
  readonly #session: Pick<Edge, 'notifySession'> | undefined;

  constructor(
    core: ServerCore,
    owner: TaskOwner,
    from: { session: Pick<Edge, 'notifySession'> | undefined; sessionId: string | undefined },
  ) {
    this.core = core;
    this.#owner = owner;
    this.#session = from.session;
    this.sessionId = from.sessionId;
    this.task = { id: owner.taskId, setStatus: (message) => owner.setStatus(message) };
  }

  openAsker(call: Call): Asker {
    return this.#owner.openAsker(call);
  }

  request(_call: Call | undefined, method: string): Promise<JsonObject> {
    return Promise.reject(
      new ProtocolError('cannot-ask', `${method}: a task can ask only what the client answers as the task's input.`),
    );
  }

  tell(change: Change): void {
    this.core.tell(change);
  }

  notifySession(method: string, params: JsonObject): void {
    this.#session?.notifySession(method, withRelatedTask(params, this.task.id));
  }

  /** None: tasks are made of calls that have a handler already. */
  builtIn(): undefined {}

  deliver(_call: Call, method: string, params: JsonObject): void {
    if (this.#session !== undefined) this.notifySession(method, params);
    else if (method === 'notifications/progress') {
      const { progressToken: _, ...progress } = params;
      this.#owner.progressed(progress as object as Progress);
    }
  }

  logsFor({ context }: Call, message: LoggingMessage): readonly LoggingMessage[] {
    if (this.#session === undefined) return [];
    this.#logs ??= new LogGate(this.core.clock, this.core.rateOf('notifications/message'));
    return this.#logs.pass(message, context.facts.logLevel ?? 'debug');
  }

  finish(call: Call, outcome: Outcome): void {
    if (!call.isLive) return;
    call.end();
    if (outcome.kind === 'complete' && isJsonObject(outcome.result)) this.#owner.completed(outcome.result);
    else this.#owner.failed(new ProtocolError('internal', 'A task can end only with a result or an error.'));
  }

  fail(call: Call, error: unknown): void {
    if (!call.isLive) return;
    call.end();
    this.#owner.failed(error);
  }

  /** Nothing to do: no connection waits. */
  waits(): void {}
}
