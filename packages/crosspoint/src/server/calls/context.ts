import type { JsonObject, RequestId } from '../../jsonrpc/message.ts';
import type { ClientCapabilities } from '../../protocol/capabilities.ts';
import type { ElicitResult } from '../../protocol/elicitation/elicitation.ts';
import type { Implementation } from '../../protocol/implementation.ts';
import type { LoggingLevel } from '../../protocol/logging.ts';
import { isAskMethod, type Ask, type Facts, type Inbound } from '../../protocol/outcome.ts';
import type { Root } from '../../protocol/roots.ts';
import type { CreateMessageParams, CreateMessageResult } from '../../protocol/sampling.ts';
import { parseWith, type MessageSchema } from '../../peer/method-of.ts';
import type { Progress } from '../../peer/progress.ts';
import type { Family, Revision } from '../../revisions/revision.ts';
import type { AuthInfo, MessageExtraInfo } from '../../transports/transport.ts';
import type { AnySchema, SchemaOutput } from '../../schema/index.ts';
import { quiet, type StepFacts, type StepOptions } from '../asking/asker.ts';
import {
  askCreateMessage,
  askElicit,
  askForm,
  askListRoots,
  inWords,
  prepareAsk,
  type FormAnswer,
  type FormQuestion,
  type RawQuestion,
} from '../asking/questions.ts';
import { ownerIn, principalIn } from '../callers/caller.ts';
import { groupOf } from '../changes/groups.ts';
import type { Call } from './call.ts';
import type { AskOptions } from './edge.ts';
import { McpRequestView, httpViewOf, type HttpView } from './mcp-request-view.ts';
import { toOutgoingOptions, type CallOptions } from './call-options.ts';
import type { RequestTaskStore } from '../tasks/own-tasks.ts';
import type { TaskScope } from '../tasks/task-edge.ts';

/** The facts about a caller by which entries are shown or hidden: the verified token, and what the client declares of itself. */
export interface Caller {
  /** The verified token; `undefined` without one. */
  readonly authInfo: AuthInfo | undefined;
  /** The name of the caller; `undefined` for a caller without one. */
  readonly principal: string | undefined;
  /** Name and version of the client program, as it says; `undefined` where it has not said. */
  readonly client: Implementation | undefined;
  /** The capabilities that the client declares, such as `elicitation`. */
  readonly capabilities: ClientCapabilities;
  /** `handshake` or `per-request`. */
  readonly family: Family;
  /** Id of the session; `undefined` where there is none. */
  readonly sessionId: string | undefined;
  /** Group of its session or stream, as `groupOf` of `byCaller` named it; `undefined` without one. */
  readonly group?: string | undefined;
}

/** Asks with a schema, or in the protocol's own shape. */
export interface Elicit {
  <S extends AnySchema>(question: FormQuestion<S>, options?: CallOptions): Promise<FormAnswer<SchemaOutput<S>>>;
  (question: RawQuestion, options?: CallOptions): Promise<ElicitResult>;
}

interface Message {
  method: string;
  params?: JsonObject | undefined;
}

type SendRequest = <T = JsonObject>(
  request: Message,
  resultSchema?: MessageSchema<T>,
  options?: CallOptions,
) => Promise<T>;

/**
 * The context of one request: the same for every family and transport. Members are getters that return bound functions, so that `({ signal, log })` works and
 * unused members cost nothing.
 *
 * ```ts
 * server.registerTool('copy', { inputSchema: { files: z.array(z.string()) } }, async ({ files }, { signal, progress }) => {
 *   for (const [done, file] of files.entries()) {
 *     await copy(file, { signal });
 *     progress(done + 1, files.length);
 *   }
 *   return text('Copied.');
 * });
 * ```
 */
export class ServerContext implements Caller {
  // Declared without a value, since every request makes one of these: a field that is defined and then assigned costs twice, and a private name more.
  /** The request as it came: method, params and id. */
  declare readonly inbound: Inbound;
  /** Everything known of the client. */
  declare readonly facts: Facts;
  /** The protocol revision in use. */
  declare readonly revision: Revision;
  declare private readonly extra: MessageExtraInfo | undefined;
  /** @internal The call that carries the request out. The call sets it. */
  declare call: Call;

  constructor(inbound: Inbound, facts: Facts, revision: Revision, extra: MessageExtraInfo | undefined) {
    this.inbound = inbound;
    this.facts = facts;
    this.revision = revision;
    this.extra = extra;
  }

  /** Id of the request, unique in its connection while it runs. */
  get requestId(): RequestId {
    return this.inbound.id;
  }
  /** `handshake` or `per-request`. */
  get family(): Family {
    return this.revision.family;
  }
  /** Date of the protocol revision in use, as a text. */
  get protocolVersion(): string {
    return this.revision.id;
  }
  /** Name and version of the client program, as it says; `undefined` where it has not said. */
  get client(): Implementation | undefined {
    return this.facts.client;
  }
  /** The capabilities that the client declares: `if (ctx.capabilities.elicitation) …` before asking. */
  get capabilities(): ClientCapabilities {
    return this.facts.capabilities;
  }
  /** Id of the session; `undefined` where there is none, as in the newest revision. */
  get sessionId(): string | undefined {
    return this.call.edge.sessionId;
  }
  /** Group of the session or stream, as `groupOf` of `byCaller` named it; `undefined` without one. */
  get group(): string | undefined {
    return groupOf(this)?.group ?? this.call.edge.group;
  }
  /** The verified token of the caller: `ctx.authInfo?.scopes.includes('write')`; `undefined` without one. */
  get authInfo(): AuthInfo | undefined {
    return this.extra?.authInfo;
  }
  /**
   * The name of the caller: from `principal` of the HTTP handler, or else the verified client, its user and their issuer. Sessions, tasks, keys, states and
   * limits belong to this name. `undefined` for a caller without one.
   */
  get principal(): string | undefined {
    return principalIn(this.extra);
  }
  /** The network address of the caller, for IPv6 its network of 64 bits; `undefined` where it is not known. */
  get clientAddress(): string | undefined {
    return this.extra?.address || undefined;
  }
  /** @internal The owner that data and calls are counted for: the caller by name or address, or its connection. `ownerKey` makes a text of it. */
  get owner(): string | object {
    return ownerIn(this.extra) ?? this.call.edge;
  }
  /** The HTTP request that carried this one; its headers. `undefined` over stdio. */
  get requestInfo(): MessageExtraInfo['requestInfo'] {
    return this.extra?.requestInfo;
  }
  /** The `_meta` of the params, such as a trace context. */
  get _meta(): (JsonObject & { progressToken?: RequestId }) | undefined {
    return this.inbound.params['_meta'] as (JsonObject & { progressToken?: RequestId }) | undefined;
  }

  /** Aborts when the client cancels, the connection ends or the server closes. */
  get signal(): AbortSignal {
    return this.call.signal;
  }
  /** Whether `signal` is aborted; cheaper than `signal` itself, which is made on first use. */
  get aborted(): boolean {
    return this.call.aborted;
  }

  /** Reports progress to a client that asked for it; values that do not grow are ignored: `ctx.progress(3, 10, 'three of ten')`. */
  get progress(): (progress: number | Progress, total?: number, message?: string) => void {
    return (progress, total, message) => {
      if (typeof progress !== 'number') return this.call.progress(progress);
      const value: Progress = { progress };
      if (total !== undefined) value.total = total;
      if (message !== undefined) value.message = message;
      this.call.progress(value);
    };
  }

  /**
   * Sends a log message to the client whose request this is, if it wants messages of this level.
   * @deprecated Logging is deprecated by SEP-2577; the earliest revision without it is the first on or after 2027-07-28.
   */
  get log(): (level: LoggingLevel, data: unknown, logger?: string) => void {
    return (level, data, logger) => this.call.log(logger === undefined ? { level, data } : { level, data, logger });
  }

  /**
   * Asks the user. With a `schema` the answer is typed and checked; with `mode: 'url'` the user is sent to a page of yours. Rejects at once for a client that
   * cannot be asked. A client without a live connection is asked by ending the call, and the handler then runs again from the top: put every action that must
   * not happen twice into `step`.
   *
   * ```ts
   * const answer = await ctx.elicit({ message: 'Which size?', schema: z.object({ size: z.enum(['S', 'M', 'L']) }) });
   * if (answer.action !== 'accept') return text('Nothing was ordered.');
   * order(answer.content.size);
   * ```
   */
  get elicit(): Elicit {
    return ((question: FormQuestion<AnySchema> | RawQuestion, options?: CallOptions) => {
      if ('schema' in question) return quiet(askForm(this, question, toOutgoingOptions(options)));
      const { key, ...params } = question;
      return quiet(askElicit(this, params, toOutgoingOptions(options), key));
    }) as Elicit;
  }
  /**
   * Runs a function once, however often the handler runs: its value, as JSON, is remembered across rounds of questions. The table "When a state comes back
   * twice" of the guide to asking (`docs/guide/asking.md`) says what several processes need for that, and when a step may run again with the same
   * `idempotencyKey`.
   *
   * ```ts
   * const order = await ctx.step('order', ({ idempotencyKey }) => shop.order(item, { idempotencyKey }));
   * ```
   */
  get step(): <T>(name: string, run: (facts: StepFacts) => T | Promise<T>, options?: StepOptions) => Promise<T> {
    return (name, run, options) => this.call.openAsker().step(name, run, options);
  }
  /** The task that this call runs as, if it does. */
  get task(): TaskScope | undefined {
    return this.call.edge.task;
  }
  /**
   * Continues as a task, for a tool with `begin: 'when-told'`: the call ends with the task, and the handler runs again from the top in it; answers and finished
   * steps are remembered. Resolves at once in the task itself, and for a client without tasks.
   */
  get beginTask(): () => Promise<void> {
    return () => quiet(this.call.core.tasks?.begin(this) ?? Promise.resolve());
  }
  /** The caller's tasks, of a program that keeps its tasks itself. */
  get taskStore(): RequestTaskStore | undefined {
    return this.call.core.tasks?.own?.storeFor(this);
  }
  /** The id of the task that this call runs as. */
  get taskId(): string | undefined {
    return this.task?.id;
  }
  /** The lifetime in milliseconds that the client asked for with its task. */
  get taskRequestedTtl(): number | undefined {
    const wish = this.inbound.params['task'] as { ttl?: unknown } | null | undefined;
    return typeof wish?.ttl === 'number' ? wish.ttl : undefined;
  }
  /** The client's answers to the questions of `inputRequired`, by name; `undefined` on the first run. */
  get inputResponses(): JsonObject | undefined {
    return this.call.asker?.answers;
  }
  /** The state given to `inputRequired` in the previous round, unsealed. */
  get requestState(): string | undefined {
    return this.call.asker?.authorState;
  }
  /**
   * Asks the model of the client. Rejects at once for a client that has not declared `sampling`.
   *
   * ```ts
   * const { content } = await ctx.sample({ messages: [{ role: 'user', content: { type: 'text', text: 'Summarise: …' } }], maxTokens: 200 });
   * ```
   *
   * @deprecated Sampling is deprecated by SEP-2577; the earliest revision without it is the first on or after 2027-07-28.
   */
  get sample(): (params: CreateMessageParams, options?: CallOptions) => Promise<CreateMessageResult> {
    return (params, options) => quiet(askCreateMessage(this, params, toOutgoingOptions(options)));
  }
  /**
   * The folders that the client shows: `for (const { uri } of await ctx.listRoots()) …`. Rejects at once for a client that has not declared `roots`.
   * @deprecated Roots are deprecated by SEP-2577; the earliest revision without them is the first on or after 2027-07-28.
   */
  get listRoots(): (options?: CallOptions) => Promise<Root[]> {
    return (options) => quiet(askListRoots(this, toOutgoingOptions(options)));
  }

  /** Closes the connection that carries the answer; the client reconnects to get it. Absent where it cannot. */
  get closeSSEStream(): (() => void) | undefined {
    return this.extra?.closeSSEStream;
  }

  /** Closes the connection of the standing stream, where there is one; the client may reconnect to it. */
  get closeStandaloneSSEStream(): (() => void) | undefined {
    return this.extra?.closeStandaloneSSEStream;
  }

  /** The request under the names of v2 of the official SDK. */
  get mcpReq(): McpRequestView {
    return new McpRequestView(this);
  }
  /** The HTTP request under the names of v2 of the official SDK; `undefined` over stdio. */
  get http(): HttpView | undefined {
    return httpViewOf(this);
  }

  /**
   * Returns a function to be called when the page of an elicitation by URL is done, also after this request has ended. It notifies only the client that was
   * asked, and does nothing in the family without such a notification.
   */
  get pageCompletion(): (elicitationId: string) => () => void {
    const edge = this.family === 'handshake' ? this.call.edge : undefined;
    return (elicitationId) => () => edge?.notifySession('notifications/elicitation/complete', { elicitationId });
  }

  /** Sends a notification that belongs to this request. */
  get sendNotification(): (notification: Message) => Promise<void> {
    return async (notification) => this.call.notify(notification.method, notification.params ?? {});
  }
  /** Sends a request to the client on behalf of this one; the result is parsed by the schema, or returned as it came. */
  get sendRequest(): SendRequest {
    return async (request, resultSchema, options) =>
      parseWith(resultSchema, await this.#send(request, options)) as never;
  }

  async #send(request: Message, options: CallOptions | undefined): Promise<JsonObject> {
    const { method, params = {} } = request;
    const related = options?.relatedTask;
    const own = related && this.call.core.tasks?.own;
    if (own) return own.ask(related.taskId, request, this, toOutgoingOptions(options));
    if (!isAskMethod(method)) return this.call.request(method, request.params, toOutgoingOptions(options));
    return this.ask(prepareAsk(this, { method, params }, options?.relayed), toOutgoingOptions(options));
  }

  /** @internal */
  ask(ask: Ask, options: AskOptions, key?: string): Promise<JsonObject> {
    return this.call.through(ask, async (params) =>
      this.call.openAsker().ask({ ask: inWords(this.revision, { ...ask, params }), key, options }),
    );
  }
}
