import {
  isJsonObject,
  isRequestId,
  type JSONRPCRequest,
  type JsonObject,
  type RequestId,
} from '../../jsonrpc/message.ts';
import { ProgressReporter } from '../../peer/progress.ts';
import { hasCapability } from '../../protocol/capabilities.ts';
import { META_RELATED_TASK } from '../../protocol/meta.ts';
import { withRelatedTask } from '../../extensions/tasks/tasks-extension.ts';
import { isProtocolError, ProtocolError } from '../../protocol/errors.ts';
import type { Ask, Outcome } from '../../protocol/outcome.ts';
import type { Task } from '../../protocol/tasks.ts';
import { asError } from '../../runtime/guard.ts';
import { isSpecificationMethod } from '../../revisions/specification-methods.ts';
import type { MessageExtraInfo } from '../../transports/transport.ts';
import { askFault, checkedAnswer, misshapenAnswer, getSupportedElicitationModes, unknownMethod } from './ask-checks.ts';
import { metaOf, type ClientConnection } from '../connecting/connection.ts';
import type { Handlers, Message, RequestHandlerExtra } from './handlers.ts';
import type { RequestOptions } from '../calls/request-options.ts';
import type { ResultSchema } from '../calls/result-schema.ts';
import { ReceivedTasks } from '../tasks/received-tasks.ts';
import { UrlElicitations, requiredPages } from '../calls/url-elicitations.ts';
import type { Engine } from '../engine.ts';

interface Asked {
  readonly method: string;
  readonly params: JsonObject;
}

/** Questions that may run as tasks, with the capability that a client declares to allow it. */
const TASKABLE: ReadonlyMap<string, string> = new Map([
  ['sampling/createMessage', 'tasks.requests.sampling.createMessage'],
  ['elicitation/create', 'tasks.requests.elicitation.create'],
]);

/** Most requests of a server that are answered at the same time. */
const MOST_AT_ONCE = 1000;

/** Answers the server's questions with the program's handlers, whether they come as requests or inside a result. */
export class Answering {
  readonly #handlers: Handlers;
  readonly #engine: Engine;
  readonly #running = new Map<RequestId, AbortController>();
  readonly pages: UrlElicitations;
  readonly #tasks: ReceivedTasks;

  constructor(handlers: Handlers, engine: Engine) {
    const { clock, options } = engine;
    this.#handlers = handlers;
    this.#engine = engine;
    this.#tasks = new ReceivedTasks(options.receivedTasks ?? {}, clock);
    this.pages = new UrlElicitations(clock, (id) => engine.guard(() => options.onelicitationcomplete?.(id)));
  }

  onnotification(method: string, params: JsonObject | undefined): void {
    this.pages.onnotification(method, params);
  }

  /** The connection has ended: waits for pages end, received tasks are aborted. */
  onlost(): void {
    this.pages.clear();
    this.#tasks.clear();
  }

  /**
   * Sends the user to the pages that the error names. True once the user has agreed to all of them and the server has reported them
   * finished. False where the client cannot open pages, so that the caller gets the error with its pages.
   */
  async openPages(error: unknown, call: { requestId: RequestId; signal: AbortSignal | undefined }): Promise<boolean> {
    const pages = requiredPages(error);
    const { supportsUrlMode } = getSupportedElicitationModes(this.#engine.facts.capabilities.elicitation);
    const hasHandler = this.#handlers.requestHandler('elicitation/create') !== undefined;
    if (pages === undefined || !supportsUrlMode || !hasHandler) return false;
    for (const params of pages) {
      const { action } = await this.answer({ method: 'elicitation/create', params: { ...params } }, call);
      if (action !== 'accept') return false;
    }
    const done = await Promise.all(pages.map(({ elicitationId }) => this.pages.whenDone(elicitationId, call.signal)));
    return done.every(Boolean);
  }

  onrequest(connection: ClientConnection, request: JSONRPCRequest, extra: MessageExtraInfo | undefined): void {
    if (!connection.answers) {
      connection.peer.drop(request.id);
      this.#engine.onproblem(
        new ProtocolError(
          'invalid-request',
          `The server sent the request ${request.method}, which this protocol revision forbids. It was dropped.`,
        ),
      );
      return;
    }
    if (connection.isOverrun) {
      connection.peer.drop(request.id);
      const message = `The server does not read the answers to its requests: ${request.method} was dropped.`;
      this.#engine.onproblem(new ProtocolError('rate-limited', message));
      return;
    }
    if (connection.peer.inFlight > MOST_AT_ONCE) {
      const message = `The client is already answering ${MOST_AT_ONCE} requests of the server.`;
      this.#engine.onproblem(new ProtocolError('rate-limited', `${message} ${request.method} was refused.`));
      connection.peer.refuse(request.id, new ProtocolError('rate-limited', message));
      return;
    }
    this.#answer(connection, request, extra).catch((error: unknown) => {
      if (!isProtocolError(error)) this.#engine.onproblem(asError(error));
      connection.peer.refuse(request.id, error);
    });
  }

  oncancel(id: RequestId, reason: string | undefined): void {
    this.#running.get(id)?.abort(new ProtocolError('other', reason ?? 'The server cancelled the request.'));
  }

  /** The result for a question that came inside a result. Rejects when there is no handler for it. */
  async answer(ask: Ask, call: { requestId: RequestId; signal: AbortSignal | undefined }): Promise<JsonObject> {
    const signal = call.signal ?? new AbortController().signal;
    const extra = this.#extra(call.requestId, { signal, related: undefined });
    return this.#run(ask, { ...extra, relatedRequestId: call.requestId });
  }

  async #answer(
    connection: ClientConnection,
    request: JSONRPCRequest,
    info: MessageExtraInfo | undefined,
  ): Promise<void> {
    const { id, method, params = {} } = request;
    const needs = connection.revision.methods.get(method)?.needs;
    if (isSpecificationMethod(method) && !connection.revision.methods.has(method)) throw unknownMethod(method);
    if (isTaskMethod(method) && needs !== undefined && !hasCapability(this.#engine.facts.capabilities, needs))
      throw unknownMethod(method);
    const controller = new AbortController();
    this.#running.set(id, controller);
    const meta = metaOf(request);
    const token = meta?.['progressToken'];
    const progress = isRequestId(token)
      ? new ProgressReporter(
          token,
          (value) => connection.peer.notify('notifications/progress', { ...value }, id),
          this.#engine.clock,
        )
      : undefined;
    const { sessionId } = connection.transport;
    const extra: RequestHandlerExtra = {
      ...info,
      ...this.#extra(id, { signal: controller.signal, related: id }),
      ...(meta && { _meta: meta }),
      ...(sessionId !== undefined && { sessionId }),
      reportProgress: (value) => progress?.report(value),
    };
    try {
      const task = this.#asTask(connection, request, { extra, progress });
      if (task !== undefined) return connection.peer.respond(id, writeTask(connection, method, { kind: 'task', task }));
      const result = await this.#run({ method, params }, extra).finally(() => progress?.end());
      connection.peer.respond(
        id,
        isTaskMethod(method) ? writeTask(connection, method, { kind: 'complete', result }) : related(meta, result),
      );
    } catch (error) {
      progress?.end();
      throw error;
    } finally {
      this.#running.delete(id);
    }
  }

  /** Starts a task for a question, where the server asks for one and this client has declared support; `undefined` otherwise. */
  #asTask(
    connection: ClientConnection,
    { method, params = {} }: JSONRPCRequest,
    { extra, progress }: { extra: RequestHandlerExtra; progress: ProgressReporter | undefined },
  ): JsonObject | undefined {
    const declared = TASKABLE.get(method);
    const { task: wish, ...rest } = params;
    if (declared === undefined || !isJsonObject(wish) || !connection.revision.methods.has('tasks/result'))
      return undefined;
    if (!hasCapability(this.#engine.facts.capabilities, declared)) return undefined;
    const fault = askFault(method, rest, this.#engine.facts.capabilities);
    if (fault !== undefined) throw fault;
    const task = this.#tasks.start(
      wish,
      (signal) => this.#run({ method, params: rest }, { ...extra, signal }).finally(() => progress?.end()),
      (ended) => connection.peer.notify('notifications/tasks/status', writeStatus(connection, ended)),
    );
    return { ...task };
  }

  #run(asked: Asked, extra: RequestHandlerExtra): Promise<JsonObject> {
    const { chain } = this.#engine;
    if (chain === undefined) return this.#handle(asked, extra);
    return chain.answer(asked, extra, (params) => this.#handle({ ...asked, params }, extra));
  }

  async #handle({ method, params }: Asked, extra: RequestHandlerExtra): Promise<JsonObject> {
    this.#engine.incoming.admit(method);
    const handler = this.#handlers.requestHandler(method);
    const kept = this.#handlers.hasRequest(method) ? undefined : this.#tasks.answer(method, params);
    if (kept !== undefined) return kept;
    const { facts, options } = this.#engine;
    const isRelayed = options.relayed === true;
    const fault = askFault(method, params, facts.capabilities, isRelayed);
    if (fault !== undefined) throw fault;
    if (handler === undefined) throw unknownMethod(method);
    this.pages.expect(params);
    const result: unknown = await handler({ method, params }, extra);
    if (!isJsonObject(result)) throw misshapenAnswer(method, result);
    return isRelayed ? result : checkedAnswer(method, params, result, facts.capabilities);
  }

  #extra(
    requestId: RequestId,
    { signal, related }: { signal: AbortSignal; related: RequestId | undefined },
  ): RequestHandlerExtra {
    const engine = this.#engine;
    const sendRequest = (request: Message, resultSchema?: ResultSchema, options?: RequestOptions): Promise<unknown> =>
      engine.request(request, resultSchema, { signal, relatedRequestId: related, ...options });
    return {
      signal,
      requestId,
      sendRequest: sendRequest as RequestHandlerExtra['sendRequest'],
      sendNotification: (notification) => engine.notifying.notify(notification, related),
      reportProgress: () => {},
    };
  }
}

function isTaskMethod(method: string): boolean {
  return method.startsWith('tasks/');
}

/** Writes a result with the revision's own names for the members of a task. */
function writeTask({ revision }: ClientConnection, method: string, outcome: Outcome): JsonObject {
  return revision.writeResult(method, outcome, NO_SENDER);
}

function writeStatus({ revision }: ClientConnection, task: Task): JsonObject {
  return revision.writeNotification('notifications/tasks/status', { ...task }) ?? {};
}

/** Passed as the sender: no revision that has these tasks writes the sender into a result. */
const NO_SENDER = { name: '', version: '' };

/** Copies the related-task `_meta` of a question into its answer. */
function related(meta: JsonObject | undefined, result: JsonObject): JsonObject {
  const task = meta?.[META_RELATED_TASK];
  return isJsonObject(task) && typeof task['taskId'] === 'string' ? withRelatedTask(result, task['taskId']) : result;
}
