import { described } from '../../runtime/described.ts';
import { isJsonObject, type JsonObject } from '../../jsonrpc/message.ts';
import { ProgressReporter, type Progress } from '../../peer/progress.ts';
import { hasCapability } from '../../protocol/capabilities.ts';
import { ProtocolError } from '../../protocol/errors.ts';
import type { LoggingMessage } from '../../protocol/logging.ts';
import type { Outcome, Retry } from '../../protocol/outcome.ts';
import { isSpecificationMethod } from '../../revisions/specification-methods.ts';
import type { Asker, AskerPort, Ended, Settlement } from '../asking/asker.ts';
import { InputRequired } from '../asking/input-required.ts';
import { LiveAsker } from '../asking/live-asker.ts';
import { inWords, prepareAsk, UndeclaredQuestion } from '../asking/questions.ts';
import { urlsRequired } from '../asking/url-elicitation-required.ts';
import { readChange } from '../../protocol/listing.ts';
import type { ServerCore } from '../core.ts';
import { concernsConnection } from '../features/built-in.ts';
import { failure } from '../features/tool-result.ts';
import type { Claim } from '../idempotency/claim.ts';
import { keepForm, keptForms } from '../offering/result-memory.ts';
import type { ServerContext } from './context.ts';
import type { AskOptions, Edge } from './edge.ts';
import { completed, isThenable, type HandledRequest, type RequestHandler } from './handler.ts';
import type { ChainedCall } from './middleware.ts';

/**
 * One request being carried out: finds its handler, asks whether it may begin, runs it, and hands the outcome to the edge. The same for every
 * family and transport. Handlers see the context of the call, not the call itself.
 */
export class Call implements AskerPort {
  // Declared without a value, since every request makes one of these: a field that is defined and then assigned costs twice, and a private name more.
  declare readonly edge: Edge;
  declare readonly context: ServerContext;
  /** The handler of the request. A call that has one before `run` was admitted with another request, as that of a task was. */
  declare handler: RequestHandler | undefined;
  /** Made when the handler first asks or takes a step, or when a retry arrives. */
  declare asker: Asker | undefined;
  /** Only of a call with a key: keeps the outcome for a repeat of the call. */
  declare claim: Claim | undefined;
  /** The call's position in the middleware chain; absent without middleware. */
  declare chained: ChainedCall | undefined;
  /** Whether the request has been answered: code that the handler left running is not part of it. */
  declare over: boolean;
  declare private reporter: ProgressReporter | undefined;
  declare private controller: AbortController | undefined;
  declare private abortion: { readonly reason: unknown } | undefined;

  constructor(edge: Edge, context: ServerContext) {
    this.edge = edge;
    this.context = context;
    this.handler = undefined;
    this.asker = undefined;
    this.claim = undefined;
    this.chained = undefined;
    this.over = false;
    this.reporter = undefined;
    this.controller = undefined;
    this.abortion = undefined;
    context.call = this;
  }

  get core(): ServerCore {
    return this.edge.core;
  }

  // ---- its life

  /** Whether the call is still owed an answer. */
  get isLive(): boolean {
    return !this.over && this.abortion === undefined;
  }

  get aborted(): boolean {
    return this.abortion !== undefined;
  }

  get signal(): AbortSignal {
    // Made on first use: an AbortController costs more than most calls.
    if (this.controller === undefined) {
      this.controller = new AbortController();
      if (this.abortion) this.controller.abort(this.abortion.reason);
    }
    return this.controller.signal;
  }

  /** The client has cancelled or gone, or the server closes: no answer is owed any more. */
  abort(reason: unknown): void {
    this.abortion ??= { reason };
    this.controller?.abort(reason);
    this.chained?.left(this.abortion.reason);
  }

  /** Nothing more is sent for this call. */
  end(): void {
    this.reporter?.end();
    this.over = true;
  }

  // ---- to the client, while the call runs

  emit(method: string, params: JsonObject): void {
    // Everything that a replay emits was emitted in an earlier run.
    if (!this.isLive || this.asker?.replaying) return;
    const written = isSpecificationMethod(method) ? this.context.revision.writeNotification(method, params) : params;
    if (written !== undefined) this.edge.deliver(this, method, written);
  }

  /** Sends a notification that the program wrote by hand. Progress, logs and changes are sent by the methods that keep their rules. */
  notify(method: string, params: JsonObject): void {
    if (method === 'notifications/progress') return this.#relayProgress(params);
    if (method === 'notifications/message') return this.log(params as object as LoggingMessage);
    const isOwn = this.core.lenient && this.context.family === 'handshake';
    const change = isOwn ? undefined : readChange(method, params);
    if (change) return this.edge.tell(change);
    if (this.context.family === 'per-request' && isSpecificationMethod(method)) {
      return this.core.onproblem(
        new ProtocolError('method-not-found', `${method} was not sent: it does not belong to the answer of a request.`),
      );
    }
    this.emit(method, params);
  }

  #relayProgress({ progressToken, progress, total, message }: JsonObject): void {
    if (progressToken !== this.context.inbound.progressToken || typeof progress !== 'number') return;
    this.progress({
      progress,
      ...(typeof total === 'number' && { total }),
      ...(typeof message === 'string' && { message }),
    });
  }

  progress(value: Progress): void {
    const token = this.context.inbound.progressToken;
    if (token === undefined || !this.isLive) return;
    this.reporter ??= new ProgressReporter(
      token,
      (params) => this.emit('notifications/progress', { ...params }),
      this.core.clock,
      this.core.rateOf('notifications/progress') ?? false,
    );
    this.reporter.report(value);
  }

  log(message: LoggingMessage): void {
    if (this.core.capabilities().logging === undefined)
      throw new TypeError('To send log messages, declare capabilities: { logging: {} } on the server.');
    for (const entry of this.edge.logsFor(this, message)) this.emit('notifications/message', { ...entry });
  }

  request(method: string, params: JsonObject | undefined, options: AskOptions): Promise<JsonObject> {
    return this.edge.request(this, method, params, options);
  }

  /** Passes a request to the client through the middleware, on its way to `last`. */
  through(asked: HandledRequest, last: (params: JsonObject) => Promise<JsonObject>): Promise<JsonObject> {
    const { chain } = this.core;
    return chain === undefined ? last(asked.params) : chain.ask(this.context, asked, last);
  }

  // ---- from its beginning to its handler

  /** Runs the call to its end, through the middleware if there is any. */
  run(): void {
    try {
      if (this.core.chain === undefined) this.begin();
      else this.core.chain.serve(this);
    } catch (error) {
      this.edge.fail(this, error);
    }
  }

  /** Begins the call. Throws the error for the caller when there is no handler, or when it has called too often. */
  begin(): void {
    if (this.handler === undefined) {
      this.handler = this.#findHandler();
      const admitted = this.core.admission.admit(this.context);
      if (admitted !== undefined) return this.#beginAfter(admitted);
    }
    if (this.context.inbound.retry === undefined) this.#invoke();
    else void this.#enterRound(this.context.inbound.retry);
  }

  /** A method of its own, like `#returnAfter`, so that V8 can make one piece of `begin` and `#invoke`: 3 % of 64 calls in flight in one process. */
  #beginAfter(admitted: Promise<Settlement | undefined>): void {
    this.edge.waits();
    admitted.then(
      (known) => (known === undefined ? this.begin() : this.settle(known)),
      (error: unknown) => this.#fail(error),
    );
  }

  #findHandler(): RequestHandler {
    const { core } = this;
    const { inbound, revision } = this.context;
    const { method } = inbound;
    const confirmed = core.handlers.confirmed(revision, method);
    if (confirmed !== undefined) return confirmed;
    const info = revision.methods.get(method);
    const added = info === undefined ? core.extensions?.handlerFor(this.context) : undefined;
    if (added !== undefined) return added;
    const mayHandle =
      info === undefined ? !isSpecificationMethod(method) : info.sender !== 'server' && info.kind === 'request';
    const handler = mayHandle ? (this.edge.builtIn(method) ?? core.handlerFor(method)) : undefined;
    const isDeclared =
      info?.needs === undefined ||
      hasCapability(core.capabilities(), info.needs) ||
      (core.lenient && core.handlerFor(method) !== undefined);
    if (handler === undefined || !isDeclared) {
      throw new ProtocolError('method-not-found', `Method not found: ${method}`);
    }
    if (info !== undefined && !concernsConnection(method)) core.handlers.confirm(revision, method);
    return handler;
  }

  /** Runs the handler once the state of a retry is open; a recorded outcome of its round is repeated in place of that. */
  async #enterRound(retry: Retry): Promise<void> {
    this.edge.waits();
    let known: Settlement | undefined;
    try {
      if (this.asker === undefined) await this.openRound(retry);
      known = await this.asker?.enter?.();
    } catch (error) {
      known = { kind: 'failed', error };
    }
    return known === undefined ? this.#invoke() : this.settle(known);
  }

  /** Opens the state of a retry. Rejects with `state-refused` for a state that is not its own. */
  async openRound(retry: Retry): Promise<void> {
    this.asker = await this.core.replays.resume(this.context, this, retry);
  }

  /** Runs the handler once more, as after a round of questions in the explicit style. */
  rerun(): void {
    this.#invoke();
  }

  #invoke(): void {
    const { handler, context } = this;
    if (handler === undefined || this.isOver()) return this.#endedUnheard({ ok: false, error: undefined });
    let value: JsonObject | Promise<JsonObject>;
    try {
      value = this.core.asyncContext.run(this, handler, context.inbound, context);
    } catch (error) {
      return this.#failed(error);
    }
    return isThenable(value) ? this.#returnAfter(value) : this.#returned(value);
  }

  #returnAfter(value: PromiseLike<JsonObject>): void {
    this.edge.waits();
    value.then(
      (result) => this.#returned(result),
      (error: unknown) => this.#failed(error),
    );
  }

  // ---- from its handler to its end

  #returned(value: JsonObject): void {
    if (this.isOver()) return this.#endedUnheard(value instanceof InputRequired ? value : { ok: true, value });
    if (value instanceof InputRequired) return this.#toAsker(value);
    if (this.asker !== undefined) return this.#toAsker({ ok: true, value });
    this.claim?.keep({ kind: 'ended', ended: { ok: true, value } }, false);
    this.#finish(completed(value));
  }

  #failed(error: unknown): void {
    const asks = urlsRequired(this.context, error);
    if (this.isOver()) return this.#endedUnheard(asks ?? { ok: false, error });
    if (asks !== undefined) this.#toAsker(asks);
    else if (this.asker === undefined) this.settle({ kind: 'failed', error });
    else this.#toAsker({ ok: false, error });
  }

  /** The handler has ended after its call was over. The outcome is kept all the same: a client that comes again may be given it. */
  #endedUnheard(end: Ended | InputRequired): void {
    const ended = end instanceof InputRequired ? inWordsOf(this.context, end) : end;
    if (this.asker === undefined) this.claim?.keep({ kind: 'ended', ended }, true);
    else this.asker.ended(ended);
  }

  /** Hands the end of the handler to the asker, which decides; a call that has asked nothing so far gets one. */
  #toAsker(ended: Ended | InputRequired): void {
    try {
      const asker = this.openAsker();
      this.edge.waits();
      asker.ended(ended instanceof InputRequired ? inWordsOf(this.context, ended) : ended);
    } catch (error) {
      this.settle({ kind: 'failed', error });
    }
  }

  /** How this call asks: over its live connection, by ending with its questions, or as its task does. Throws `cannot-ask` where it can do neither. */
  openAsker(): Asker {
    this.asker ??= this.edge.openAsker?.(this) ?? this.#ownAsker();
    return this.asker;
  }

  #ownAsker(): Asker {
    const { context, core } = this;
    if (context.family === 'handshake') return new LiveAsker(this, core.rounds);
    const { method } = context.inbound;
    if (context.revision.methods.get(method)?.mayAsk !== true)
      throw new ProtocolError('cannot-ask', `${method} cannot ask the client anything in this protocol revision.`);
    return core.replays.begin(context, this);
  }

  /** Settles the call with a task in place of its handler's result. False, perhaps later, when the call had been settled before. */
  takeOver(settlement: Settlement): true | Promise<boolean> {
    if (this.asker?.take) return this.asker.take(settlement);
    this.settle(settlement);
    return true;
  }

  settle(settlement: Settlement): void {
    this.claim?.keep(settlement, this.isOver());
    if (settlement.kind === 'failed') return this.#fail(settlement.error);
    if (settlement.kind === 'outcome') return this.#finish(settlement.outcome);
    const { ended } = settlement;
    if (ended.ok) this.#finish(completed(ended.value as JsonObject));
    else this.#fail(ended.error);
  }

  /** Whether the call has been settled, or no answer is owed any more. */
  isOver(): boolean {
    return !this.isLive || this.chained?.hasSettled === true;
  }

  #finish(outcome: Outcome): void {
    if (this.chained?.takes({ outcome }) !== true) this.edge.finish(this, outcome);
  }

  #fail(error: unknown): void {
    if (this.chained?.takes({ error }) !== true) this.edge.fail(this, error);
  }

  /** An outcome in the words of the revision. Lists are kept, results of tools never: looking for one takes 60 ns, 5 % of a call in one process. */
  written(outcome: Outcome): JsonObject {
    const { inbound, revision } = this.context;
    const { method } = inbound;
    const { info } = this.core;
    if (outcome.kind !== 'complete') return revision.writeResult(method, outcome, info);
    const { result } = outcome;
    if (!isJsonObject(result))
      throw new TypeError(`The handler of ${method} returned ${described(result)}. Return an object, which may be {}.`);
    const forms = method === 'tools/call' ? undefined : keptForms(result);
    if (forms === undefined) return revision.writeResult(method, outcome, info);
    return forms.get(revision) ?? keepForm(forms, revision, revision.writeResult(method, outcome, info));
  }
}

/** Checks the questions of the explicit style against the client's capabilities, and writes them as its revision does. */
function inWordsOf(ctx: ServerContext, { asks, state, relayed }: InputRequired): Ended {
  try {
    const written = Object.entries(asks).map(
      ([key, ask]) => [key, inWords(ctx.revision, prepareAsk(ctx, ask, relayed), `The question "${key}"`)] as const,
    );
    return { ok: true, value: new InputRequired(Object.fromEntries(written), state) };
  } catch (error) {
    if (error instanceof UndeclaredQuestion && ctx.inbound.method === 'tools/call')
      return { ok: true, value: failure(error.message) };
    // Treated like an error of the handler: a closed round decides all the same.
    return { ok: false, error };
  }
}
