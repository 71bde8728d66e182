import { isJsonObject, type JsonObject } from '../../jsonrpc/message.ts';
import { hasCapability } from '../../protocol/capabilities.ts';
import { ProtocolError } from '../../protocol/errors.ts';
import type { LoggingLevel, LoggingMessage } from '../../protocol/logging.ts';
import type { Carrier } from '../../protocol/operation.ts';
import type { Outcome, Retry } from '../../protocol/outcome.ts';
import { ProgressReporter, type Progress } from '../../peer/progress.ts';
import { isSpecificationMethod } from '../../revisions/specification-methods.ts';
import type { Asker, AskerPort, Ended, Settlement } from '../asking/asker.ts';
import { InputRequired } from '../asking/input-required.ts';
import { prepareAsk } from '../asking/questions.ts';
import { LiveAsker } from '../asking/live-asker.ts';
import { LateAsker } from '../asking/late-asker.ts';
import { urlsRequired } from '../asking/url-elicitation-required.ts';
import { concernsConnection } from '../features/built-in.ts';
import type { ServerContext } from './context.ts';
import type { ServerCore } from '../core.ts';
import type { AskOptions, Edge } from './edge.ts';
import { completed, isThenable, type RequestHandler } from './handler.ts';
import { keepForm, keptForms } from '../offering/result-memory.ts';
import type { Change } from '../changes/listening.ts';
import type { LogGate } from './log-gate.ts';
import { readChange } from '../../protocol/listing.ts';
import type { TaskScope } from '../tasks/task-edge.ts';

/** What every edge does alike: finds the handler, keeps the rules of progress and logs, writes the outcome. Where it goes is the edge's own. */
export abstract class CallEdge implements Edge {
  readonly core: ServerCore;

  constructor(core: ServerCore) {
    this.core = core;
  }

  /** What decides which log messages leave. */
  protected abstract readonly logs: LogGate;
  abstract readonly sessionId: string | undefined;
  declare readonly task?: TaskScope;
  abstract request(
    ctx: ServerContext,
    method: string,
    params: JsonObject | undefined,
    options: AskOptions,
  ): Promise<JsonObject>;
  abstract tell(change: Change): void;
  abstract notifySession(method: string, params: JsonObject): void;
  /** What carries the messages of this edge, where that is known. */
  get carrier(): Carrier | undefined {
    return undefined;
  }
  /** What this edge answers itself, before any feature. */
  protected abstract builtIn(method: string): RequestHandler | undefined;
  /** Whether the call is still owed an answer. */
  protected abstract isLive(ctx: ServerContext): boolean;
  /** Sends a notification on the channel of this call. */
  protected abstract deliver(ctx: ServerContext, method: string, params: JsonObject): void;
  /** The least severe log messages this caller wants; `undefined` for none. */
  protected abstract logThreshold(ctx: ServerContext): LoggingLevel | undefined;
  /** Who shares what log messages may be sent, where this edge serves several; the edge's own reader when absent. */
  protected logReader(_ctx: ServerContext): string | object | undefined {
    return undefined;
  }
  /** The call has come to something. Does nothing for a call that is over. */
  protected abstract finish(ctx: ServerContext, outcome: Outcome): void;
  protected abstract fail(ctx: ServerContext, error: unknown): void;
  /** The answer will take a while. */
  protected abstract waits(ctx: ServerContext): void;

  emit(ctx: ServerContext, method: string, params: JsonObject): void {
    // What a replay reports was reported before.
    if (!this.isLive(ctx) || ctx.asker?.replaying) return;
    const written = isSpecificationMethod(method) ? ctx.revision.writeNotification(method, params) : params;
    if (written !== undefined) this.deliver(ctx, method, written);
  }

  notify(ctx: ServerContext, method: string, params: JsonObject): void {
    if (method === 'notifications/progress') return this.#relayProgress(ctx, params);
    if (method === 'notifications/message') return this.log(ctx, params as object as LoggingMessage);
    const change = readChange(method, params);
    if (change) return this.tell(change);
    if (ctx.family === 'per-request' && isSpecificationMethod(method)) {
      return this.core.onproblem(
        new ProtocolError('method-not-found', `${method} was not sent: it does not belong to the answer of a request.`),
      );
    }
    this.emit(ctx, method, params);
  }

  #relayProgress(ctx: ServerContext, { progressToken, progress, total, message }: JsonObject): void {
    if (progressToken !== ctx.inbound.progressToken || typeof progress !== 'number') return;
    this.progress(ctx, {
      progress,
      ...(typeof total === 'number' && { total }),
      ...(typeof message === 'string' && { message }),
    });
  }

  progress(ctx: ServerContext, value: Progress): void {
    const token = ctx.inbound.progressToken;
    if (token === undefined || !this.isLive(ctx)) return;
    ctx.reporter ??= new ProgressReporter(
      token,
      (params) => this.emit(ctx, 'notifications/progress', { ...params }),
      this.core.clock,
      this.core.rateOf('notifications/progress') ?? false,
    );
    ctx.reporter.report(value);
  }

  log(ctx: ServerContext, message: LoggingMessage): void {
    if (this.core.capabilities().logging === undefined)
      throw new TypeError('To send log messages, declare capabilities: { logging: {} } on the server.');
    const threshold = this.logThreshold(ctx);
    if (threshold === undefined) return;
    for (const entry of this.logs.pass(message, threshold, this.logReader(ctx)))
      this.emit(ctx, 'notifications/message', { ...entry });
  }

  /** Runs a call to its end. Throws what the caller is to be told when there is no handler, or when it has called too often. */
  protected run(ctx: ServerContext): void {
    if (this.core.chain === undefined) this.#begun(ctx);
    else this.around(ctx, () => this.#begun(ctx));
  }

  /** Begins a call, with what stands around it. */
  protected around(ctx: ServerContext, proceed: () => void): void {
    const { chain } = this.core;
    if (chain === undefined) return proceed();
    const { retry } = ctx.inbound;
    this.waits(ctx);
    chain.serve(ctx, {
      open: retry && (() => this.#openRound(ctx, retry)),
      proceed,
      finish: (outcome) => this.finish(ctx, outcome),
      fail: (error) => this.fail(ctx, error),
    });
  }

  /** The handler of a call. Throws what the caller is to be told when there is none. */
  #handlerOf(ctx: ServerContext): RequestHandler {
    const { method } = ctx.inbound;
    const confirmed = this.core.handlers.confirmed(ctx.revision, method);
    if (confirmed !== undefined) return confirmed;
    const info = ctx.revision.methods.get(method);
    const added = info === undefined ? this.core.extensions.handlerFor(ctx) : undefined;
    if (added !== undefined) return added;
    const mayHandle =
      info === undefined ? !isSpecificationMethod(method) : info.sender !== 'server' && info.kind === 'request';
    const handler = mayHandle ? (this.builtIn(method) ?? this.core.handlerFor(method)) : undefined;
    if (handler === undefined || (info?.needs !== undefined && !hasCapability(this.core.capabilities(), info.needs))) {
      throw new ProtocolError('method-not-found', `Method not found: ${method}`);
    }
    if (info !== undefined && !concernsConnection(method)) this.core.handlers.confirm(ctx.revision, method);
    return handler;
  }

  #begun(ctx: ServerContext): void {
    const handler = this.#handlerOf(ctx);
    const admitted = this.core.admit(ctx);
    if (admitted === undefined) return this.begin(ctx, handler);
    this.waits(ctx);
    admitted.then(
      (known) => (known === undefined ? this.begin(ctx, handler) : this.#settle(ctx, known)),
      (error: unknown) => this.#fail(ctx, error),
    );
  }

  /** The same for a call that has been admitted. A retry first has its state opened, and is told what it came to before. */
  protected begin(ctx: ServerContext, handler: RequestHandler): void {
    ctx.handler = handler;
    const { retry } = ctx.inbound;
    if (retry === undefined) return this.#invoke(ctx);
    this.waits(ctx);
    this.#enterRound(ctx, retry).then(
      (known) => (known === undefined ? this.#invoke(ctx) : this.#settle(ctx, known)),
      (error: unknown) => this.#settle(ctx, { kind: 'failed', error }),
    );
  }

  async #enterRound(ctx: ServerContext, retry: Retry): Promise<Settlement | undefined> {
    if (ctx.asker === undefined) await this.#openRound(ctx, retry);
    return ctx.asker?.enter?.();
  }

  async #openRound(ctx: ServerContext, retry: Retry): Promise<void> {
    const { replays } = this.core;
    ctx.asker = await (replays.value ?? (await replays.load())).resume(ctx, this.portOf(ctx), retry);
  }

  /** A client with a live connection is sent its questions; one without is asked by ending the call with them. */
  openAsker(ctx: ServerContext): Asker {
    return ctx.family === 'handshake' ? this.#liveAsker(ctx) : this.#replayAsker(ctx);
  }

  #liveAsker(ctx: ServerContext): Asker {
    const { maxRounds, store } = this.core.rounds;
    return new LiveAsker({
      ...this.portOf(ctx),
      maxRounds,
      store,
      send: (ask, options) => this.request(ctx, ask.method, ask.params, options),
    });
  }

  #replayAsker(ctx: ServerContext): Asker {
    const { method } = ctx.inbound;
    if (ctx.revision.methods.get(method)?.mayAsk !== true)
      throw new ProtocolError('cannot-ask', `${method} cannot ask the client anything in this protocol revision.`);
    const { replays } = this.core;
    const port = this.portOf(ctx);
    if (replays.value) return replays.value.begin(ctx, port);
    const begun = replays.load().then((loaded) => loaded.begin(ctx, port));
    return new LateAsker(begun, port);
  }

  protected portOf(ctx: ServerContext): AskerPort {
    return {
      settle: (settlement) => this.#settle(ctx, settlement),
      rerun: () => this.#invoke(ctx),
      isOver: () => !this.#isOpen(ctx),
    };
  }

  #invoke(ctx: ServerContext): void {
    const { handler } = ctx;
    if (handler === undefined || !this.#isOpen(ctx)) return this.#endedUnheard(ctx, { ok: false, error: undefined });
    let value: JsonObject | Promise<JsonObject>;
    try {
      value = this.core.enter(ctx, handler);
    } catch (error) {
      return this.#failed(ctx, error);
    }
    if (!isThenable(value)) return this.#returned(ctx, value);
    this.waits(ctx);
    value.then(
      (result) => this.#returned(ctx, result),
      (error: unknown) => this.#failed(ctx, error),
    );
  }

  #returned(ctx: ServerContext, value: JsonObject): void {
    if (!this.#isOpen(ctx))
      return this.#endedUnheard(ctx, value instanceof InputRequired ? value : { ok: true, value });
    if (value instanceof InputRequired) return this.#toAsker(ctx, value);
    if (ctx.asker !== undefined) return this.#toAsker(ctx, { ok: true, value });
    ctx.claim?.keep({ kind: 'ended', ended: { ok: true, value } }, false);
    this.#finish(ctx, completed(value));
  }

  #failed(ctx: ServerContext, error: unknown): void {
    const asks = urlsRequired(ctx, error);
    if (!this.#isOpen(ctx)) return this.#endedUnheard(ctx, asks ?? { ok: false, error });
    if (asks !== undefined) this.#toAsker(ctx, asks);
    else if (ctx.asker === undefined) this.#settle(ctx, { kind: 'failed', error });
    else this.#toAsker(ctx, { ok: false, error });
  }

  /** The handler has ended and nobody waits for it; whoever comes again may be told what became of it. */
  #endedUnheard(ctx: ServerContext, end: Ended | InputRequired): void {
    const ended = end instanceof InputRequired ? inWordsOf(ctx, end) : end;
    if (ctx.asker === undefined) ctx.claim?.keep({ kind: 'ended', ended }, true);
    else ctx.asker.ended(ended);
  }

  /** The asker of a call decides what its end means; a call that has asked nothing so far gets one. */
  #toAsker(ctx: ServerContext, ended: Ended | InputRequired): void {
    try {
      ctx.asker ??= this.openAsker(ctx);
      this.waits(ctx);
      ctx.asker.ended(ended instanceof InputRequired ? inWordsOf(ctx, ended) : ended);
    } catch (error) {
      this.#settle(ctx, { kind: 'failed', error });
    }
  }

  /** What the call comes to, decided by whoever took it over from its handler. False, perhaps later, when it had come to something before. */
  settle(ctx: ServerContext, settlement: Settlement): true | Promise<boolean> {
    if (ctx.asker?.take) return ctx.asker.take(settlement);
    this.#settle(ctx, settlement);
    return true;
  }

  #settle(ctx: ServerContext, settlement: Settlement): void {
    ctx.claim?.keep(settlement, !this.#isOpen(ctx));
    if (settlement.kind === 'failed') return this.#fail(ctx, settlement.error);
    if (settlement.kind === 'outcome') return this.#finish(ctx, settlement.outcome);
    const { ended } = settlement;
    if (ended.ok) this.#finish(ctx, completed(ended.value as JsonObject));
    else this.#fail(ctx, ended.error);
  }

  /** Whether the call has not come to anything yet. */
  #isOpen(ctx: ServerContext): boolean {
    return this.isLive(ctx) && this.core.chain?.hasSettled(ctx) !== true;
  }

  #finish(ctx: ServerContext, outcome: Outcome): void {
    if (this.core.chain?.takes(ctx, { outcome }) !== true) this.finish(ctx, outcome);
  }

  #fail(ctx: ServerContext, error: unknown): void {
    if (this.core.chain?.takes(ctx, { error }) !== true) this.fail(ctx, error);
  }

  protected writeOutcome(ctx: ServerContext, outcome: Outcome): JsonObject {
    const { method } = ctx.inbound;
    const { info } = this.core;
    if (outcome.kind !== 'complete') return ctx.revision.writeResult(method, outcome, info);
    const { result } = outcome;
    if (!isJsonObject(result)) throw new TypeError(`The handler of ${method} returned no result object.`);
    const forms = keptForms(result);
    if (forms === undefined) return ctx.revision.writeResult(method, outcome, info);
    return forms.get(ctx.revision) ?? keepForm(forms, ctx.revision, ctx.revision.writeResult(method, outcome, info));
  }
}

/** The questions of the explicit style, checked against what the client can be asked and written as its revision writes them. */
function inWordsOf(ctx: ServerContext, { asks, state }: InputRequired): Ended {
  try {
    const written = Object.entries(asks).map(([key, ask]) => {
      const words = ctx.revision.writeAsk(prepareAsk(ctx, ask));
      if (words === undefined)
        throw new ProtocolError('cannot-ask', `The client's protocol revision has no words for the question "${key}".`);
      return [key, words] as const;
    });
    return { ok: true, value: new InputRequired(Object.fromEntries(written), state) };
  } catch (error) {
    // As if the handler had thrown it: a round that has closed decides all the same.
    return { ok: false, error };
  }
}
