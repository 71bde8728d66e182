import { isJsonObject, type JsonObject } from '../../jsonrpc/message.ts';
import { ProtocolError } from '../../protocol/errors.ts';
import type { LoggingLevel } from '../../protocol/logging.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import { withRelatedTask } from '../../extensions/tasks/tasks-extension.ts';
import type { Asker, AskerPort } from '../asking/asker.ts';
import { CallEdge } from '../calls/call-edge.ts';
import type { ServerContext } from '../calls/context.ts';
import type { ServerCore } from '../core.ts';
import type { Edge } from '../calls/edge.ts';
import type { RequestHandler } from '../calls/handler.ts';
import type { Change } from '../changes/listening.ts';
import { LogGate } from '../calls/log-gate.ts';

/** What a handler that runs as a task may do to it. */
export interface TaskScope {
  readonly id: string;
  /** Tells whoever looks what the task is doing. */
  setStatus(message: string): Promise<void>;
}

/** What becomes of a call that runs as a task. */
export interface TaskOwner {
  readonly taskId: string;
  openAsker(port: AskerPort): Asker;
  completed(result: JsonObject): void;
  failed(error: unknown): void;
  setStatus(message: string): Promise<void>;
}

/**
 * The edge of a call that outlives its request. What it sends goes to the session that began it, as long as there is one and its generation
 * of tasks has words for it; its answer goes into the task.
 */
export class TaskEdge extends CallEdge {
  override readonly task: TaskScope;
  readonly sessionId: string | undefined;
  protected readonly logs: LogGate;
  readonly #owner: TaskOwner;
  /** The session that hears of the task's progress; `undefined` where the generation has no such messages. */
  readonly #session: Pick<Edge, 'notifySession'> | undefined;
  #over = false;

  constructor(
    core: ServerCore,
    owner: TaskOwner,
    from: { session: Pick<Edge, 'notifySession'> | undefined; sessionId: string | undefined },
  ) {
    super(core);
    this.logs = new LogGate(core.clock, core.rateOf('notifications/message'));
    this.#owner = owner;
    this.#session = from.session;
    this.sessionId = from.sessionId;
    this.task = { id: owner.taskId, setStatus: (message) => owner.setStatus(message) };
  }

  start(ctx: ServerContext, handler: RequestHandler): void {
    this.around(ctx, () => this.begin(ctx, handler));
  }

  /** Nothing more is sent or kept of the call. */
  end(ctx: ServerContext): void {
    this.#over = true;
    ctx.reporter?.end();
    ctx.end();
  }

  override openAsker(ctx: ServerContext): Asker {
    return this.#owner.openAsker(this.portOf(ctx));
  }

  request(_ctx: ServerContext, method: string): Promise<JsonObject> {
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

  /** Tasks are made of calls that have a handler already. */
  protected builtIn(): undefined {}

  protected isLive(ctx: ServerContext): boolean {
    return !this.#over && !ctx.aborted;
  }

  protected deliver(_ctx: ServerContext, method: string, params: JsonObject): void {
    this.notifySession(method, params);
  }

  protected logThreshold({ facts }: ServerContext): LoggingLevel | undefined {
    return this.#session === undefined ? undefined : (facts.logLevel ?? 'debug');
  }

  protected finish(ctx: ServerContext, outcome: Outcome): void {
    if (!this.isLive(ctx)) return;
    this.end(ctx);
    if (outcome.kind === 'complete' && isJsonObject(outcome.result)) this.#owner.completed(outcome.result);
    else this.#owner.failed(new ProtocolError('internal', 'A task can end only with a result or an error.'));
  }

  protected fail(ctx: ServerContext, error: unknown): void {
    if (!this.isLive(ctx)) return;
    this.end(ctx);
    this.#owner.failed(error);
  }

  /** Nothing to do: nobody holds a line open. */
  protected waits(): void {}
}
