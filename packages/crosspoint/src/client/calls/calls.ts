import { isJsonObject, type JsonObject } from '../../jsonrpc/message.ts';
import { pause, runningClock, type Clock } from '../../peer/clock.ts';
import type { OutgoingOptions } from '../../peer/outgoing.ts';
import { hasCapability, type ClientCapabilities } from '../../protocol/capabilities.ts';
import { ProtocolError, TransportError } from '../../protocol/errors.ts';
import { IDEMPOTENCY_CAPABILITY, META_FIRST_SENT_AGO, META_IDEMPOTENCY_KEY } from '../../protocol/meta.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import { asError } from '../../runtime/guard.ts';
import { isSpecificationMethod } from '../../revisions/specification-methods.ts';
import type { Revision } from '../../revisions/revision.ts';
import { ClientCall, NO_OPTIONS, type CallDetails, type Continuation } from './call.ts';
import { ClientConnection } from '../connecting/connection.ts';
import { within } from './deadline.ts';
import { backoff } from '../connecting/healing.ts';
import { runRounds, type Ended, type RoundsPort } from './input-rounds.ts';
import { gatherPages, itemsIn, LIST_MEMBERS, type ListMethod } from './listing.ts';
import { failureKind, isForgotten, isHarmless, isRepeatable, unrepeated } from './replay.ts';
import type { ServerFacts } from '../connecting/server-facts.ts';
import { readTask } from '../tasks/waiting.ts';
import {
  toOutgoing,
  toSendOptions,
  type CacheableRequestOptions,
  type ListRequestOptions,
  type RequestOptions,
} from './request-options.ts';
import { rememberLast } from '../../runtime/remember-last.ts';
import type { Engine } from '../engine.ts';

/** The end of a call, or the task it became; `over` is called when that task has ended. */
export type Started = Ended & { readonly over: () => void };

/** The requests of a client: checks and sends them, answers questions, repeats lost ones, caches results. */
export class Calls implements Continuation {
  readonly #engine: Engine;
  /** The same clock as the link's, because each passes times it has read to the other. */
  readonly #clock: Clock;
  /** Limits of a call without options, made once. */
  readonly #usual: OutgoingOptions;

  constructor(engine: Engine) {
    const { idleMs, totalMs } = engine.timers;
    this.#engine = engine;
    this.#clock = engine.options.clock ?? runningClock;
    this.#usual = toOutgoing(NO_OPTIONS, { idleMs, remainingMs: totalMs }, engine);
  }

  request(method: string, params: JsonObject, options?: RequestOptions): Promise<JsonObject> {
    return this.#complete(new ClientCall(this, method, params, { options }));
  }

  /** Sends `tools/call`, with the details of the tool. */
  callTool(params: JsonObject, details: CallDetails): Promise<JsonObject> {
    return this.#complete(new ClientCall(this, 'tools/call', params, details));
  }

  /** Like `callTool`, but resolves with the task that the call becomes instead of waiting for it. */
  async start(params: JsonObject, details: CallDetails): Promise<Started> {
    const call = new ClientCall(this, 'tools/call', params, details);
    const ended = await this.#inTime(call, () => this.#rounds(call, undefined));
    return { ...ended, over: () => over(call) };
  }

  /** Sends a request once and resolves with its answer, whatever it is. Repeated only where it was not carried out, or may be repeated. */
  exchange(method: string, params: JsonObject, details: CallDetails): Promise<Outcome> {
    const call = new ClientCall(this, method, params, details);
    return this.#inTime(call, () => this.#sendUntilAnswered(call, this.#send(call)));
  }

  /** Runs several requests under the total timeout of one. `work` gets the options to send them with. */
  inTime<T, Options extends RequestOptions>(
    what: { readonly method: string; readonly options: Options; readonly startedAt: number },
    work: (options: Options) => Promise<T>,
  ): Promise<T> {
    const clock = this.#clock;
    const { timers } = this.#engine;
    const { method, options, startedAt } = what;
    const totalMs = options.maxTotalTimeout ?? timers.totalMs;
    if (!(totalMs > 0)) return work(options);
    return within({ clock, what: method, totalMs, startedAt, signal: options.signal }, (signal) =>
      work({ ...options, signal, maxTotalTimeout: 0 }),
    );
  }

  /** Applies the total timeout to the rest of a call: rounds, repeats, reconnects, and its task. */
  #inTime<T>(call: ClientCall, work: () => Promise<T>): Promise<T> {
    return this.inTime(call, (options) => {
      call.options = options;
      return work();
    });
  }

  now(): number {
    return this.#clock.now();
  }

  /** Like `request`, but answers from the cache where the revision has cache hints for the method and they allow it. */
  async cached(method: string, params: JsonObject, options: CacheableRequestOptions = {}): Promise<JsonObject> {
    const { cache, link } = this.#engine;
    const mode = options.cacheMode ?? 'use';
    if (
      cache === undefined ||
      mode === 'bypass' ||
      options.retry !== undefined ||
      link.revision?.methods.get(method)?.cacheable !== true
    ) {
      return this.request(method, params, options);
    }
    const found = mode === 'use' ? cache.find(method, params) : undefined;
    if (found !== undefined) return found;
    const generation = cache.generation(method);
    const call = new ClientCall(this, method, params, { options });
    const result = await this.#complete(call);
    if (!call.asked) cache.keep(method, params, { result, generation });
    return result;
  }

  /** Lists items. A server without the capability has an empty list; with `enforceStrictCapabilities` the call rejects. */
  async list(method: ListMethod, params: JsonObject = {}, options: ListRequestOptions = {}): Promise<JsonObject> {
    if (this.#engine.options.enforceStrictCapabilities !== true && this.#lacks(method) !== undefined)
      return { [LIST_MEMBERS[method]]: [] };
    if (options.pages === 1 || params['cursor'] !== undefined) return this.#page(method, params, options);
    return this.inTime({ method, options, startedAt: this.now() }, (own) => this.#allPages(method, params, own));
  }

  async #page(method: ListMethod, params: JsonObject, options: ListRequestOptions): Promise<JsonObject> {
    const result = await this.cached(method, params, options);
    itemsIn(method, result);
    return result;
  }

  async #allPages(method: ListMethod, params: JsonObject, options: ListRequestOptions): Promise<JsonObject> {
    const gather = (mode = options.cacheMode): Promise<JsonObject> =>
      gatherPages(
        method,
        {
          fetchPage: (cursor) =>
            this.#page(method, cursor === undefined ? params : { ...params, cursor }, { ...options, cacheMode: mode }),
          onproblem: this.#engine.onproblem,
        },
        this.#engine.options.lists,
      );
    try {
      return await gather();
    } catch (error) {
      // A cursor from cached pages may be invalid by now: the list is read again, once.
      if (
        !(error instanceof ProtocolError) ||
        error.kind !== 'invalid-params' ||
        (options.cacheMode ?? 'use') !== 'use' ||
        this.#engine.cache?.find(method, params) === undefined
      )
        throw error;
      this.#engine.cache.invalidate(method);
      return gather('refresh');
    }
  }

  /** Why the server cannot be sent this method; `undefined` when it can. */
  #lacks(method: string): ProtocolError | undefined {
    const { server, revision } = this.#engine.link;
    const needs = revision?.methods.get(method)?.needs;
    if (needs === undefined || server === undefined || hasCapability(server.capabilities, needs)) return undefined;
    return new ProtocolError(
      'method-not-found',
      `The server does not offer ${method}: it has not declared the capability "${needs}".`,
    );
  }

  /** The reader for the answers to a method. Throws when the server has no such method. The last is kept: 250 ns, a fifth of a call in one process. */
  readonly #readerFor = rememberLast(
    (method: string, revision: Revision, server: ServerFacts | undefined, capabilities: ClientCapabilities) => {
      const { extensions, options } = this.#engine;
      if (!extensions.admits(method, revision.family, server)) {
        if (isSpecificationMethod(method) && !revision.methods.has(method))
          throw new ProtocolError(
            'method-not-found',
            `${method} is not part of the protocol revision in use, ${revision.id}.`,
          );
        const lacking = options.enforceStrictCapabilities === true ? this.#lacks(method) : undefined;
        if (lacking !== undefined) throw lacking;
      }
      return extensions.reader(revision, capabilities);
    },
  );

  /**
   * Sends a call on the short way: its first answer is a plain result. Every other answer, and any state but a ready connection, goes
   * through `run`.
   */
  #complete(call: ClientCall): Promise<JsonObject> {
    const { chain, link } = this.#engine;
    const connection = chain ? undefined : link.ready;
    if (!connection) return this.run(call, undefined);
    try {
      return this.#sendOn(connection, call, call.params, true) as Promise<JsonObject>;
    } catch (error) {
      return this.run(call, Promise.reject(error));
    }
  }

  /** Sends one request, with an id of its own. */
  #send(call: ClientCall): Promise<Outcome> {
    try {
      const found = this.#engine.link.connection(call.options.signal);
      if (!(found instanceof ClientConnection)) return found.then((connection) => this.#sendLater(connection, call));
      return this.#sendLater(found, call);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  #sendLater(connection: ClientConnection, call: ClientCall): Promise<Outcome> {
    call.sentAt = this.#clock.now();
    const chain = this.#engine.chain;
    if (chain === undefined) return this.#sendOn(connection, call, call.params) as Promise<Outcome>;
    // Async, so that what a middleware throws becomes a rejection.
    return chain.send(call, async (params) => this.#sendOn(connection, call, params) as Promise<Outcome>);
  }

  /** Resolves with the outcome, or on the short way with the result, which the call itself reads. */
  #sendOn(connection: ClientConnection, call: ClientCall, params: JsonObject, isShort?: true): Promise<unknown> {
    const { method, options, details, retry, sentAt } = call;
    const facts = details.facts ?? this.#engine.facts;
    call.reader = this.#readerFor(method, connection.revision, this.#engine.link.server, facts.capabilities);
    const progressToken = (call.id = connection.peer.outgoing.reserveId());
    call.connection = connection;
    const { onsent } = options;
    if (onsent !== undefined) this.#engine.guard(() => onsent(progressToken));
    return connection.call(
      {
        method,
        params: paramsOf(call, params),
        facts,
        retry,
        progressToken,
        sentAt,
        send: toSendOptions(options, details.headers),
      },
      this.#limitsOf(call),
      isShort ? call : call.reader,
    );
  }

  #limitsOf({ options, details, startedAt, sentAt }: ClientCall): OutgoingOptions {
    if (options === NO_OPTIONS && sentAt === startedAt && details.asTask === undefined) return this.#usual;
    const { idleMs, totalMs } = this.#engine.timers;
    const total = options.maxTotalTimeout ?? totalMs;
    const remainingMs = total > 0 ? Math.max(1, total - (sentAt - startedAt)) : 0;
    return toOutgoing(options, { idleMs, remainingMs, progressOutlives: details.asTask }, this.#engine);
  }

  /** `first`: the pending answer to a request that was already sent; `undefined` when it is still to be sent. */
  async run(call: ClientCall, first: Promise<Outcome> | undefined): Promise<JsonObject> {
    const result = await this.#inTime(call, () => this.#finish(call, first));
    call.details.check?.(result);
    return result;
  }

  /** Runs all rounds, and waits for the task where the call became one. */
  async #finish(call: ClientCall, first: Promise<Outcome> | undefined): Promise<JsonObject> {
    const ended = await this.#rounds(call, first);
    call.asked = ended.asked;
    if (ended.kind === 'complete') return ended.result;
    try {
      return await this.#engine.tasks.finish(readTask(call.method, ended.task), call.options);
    } finally {
      over(call);
    }
  }

  /** Answers questions, opens pages, and repeats the request where that is allowed. */
  #rounds(call: ClientCall, first: Promise<Outcome> | undefined): Promise<Ended> {
    const { answering, options: usual } = this.#engine;
    const { method, options } = call;
    let sent = first;
    const port: RoundsPort = {
      clock: this.#clock,
      send: (retry) => {
        call.firstSentAt = undefined;
        call.retry = retry;
        const begun = sent ?? this.#send(call);
        sent = undefined;
        return this.#sendUntilAnswered(call, begun);
      },
      answer: (ask) => answering.answer(ask, { requestId: call.id, signal: options.signal }),
      openPages: (error) => answering.openPages(error, { requestId: call.id, signal: options.signal }),
    };
    const { signal, retry } = options;
    return runRounds(port, {
      method,
      maxRounds: usual.maxRounds ?? 10,
      mode: options.inputRequired ?? usual.inputRequired ?? 'auto',
      signal,
      retry,
    });
  }

  async #sendUntilAnswered(call: ClientCall, first: Promise<Outcome>): Promise<Outcome> {
    let begun = first;
    let lost: Error | undefined;
    for (let repeated = 0; ; repeated += 1) {
      try {
        return await begun;
      } catch (error) {
        if (lost !== undefined && isForgotten(error)) throw unrepeated(call.method, lost);
        const failure = error instanceof Error ? error : new TransportError('invalid-result', asError(error).message);
        await this.#prepareRepeat(call, repeated, failure);
        lost ??= failure;
        call.firstSentAt ??= call.sentAt;
        begun = this.#send(call);
      }
    }
  }

  /** Whether the server has promised to carry out calls with a key only once. */
  #isRemembered({ idempotencyKey }: CallDetails): boolean {
    const { experimental } = this.#engine.link.server?.capabilities ?? {};
    return idempotencyKey !== undefined && isJsonObject(experimental?.[IDEMPOTENCY_CAPABILITY]);
  }

  /** Resolves when the request may be sent again; rejects with the error for the caller when it may not. */
  async #prepareRepeat(
    { method, options, details, startedAt }: ClientCall,
    repeated: number,
    error: unknown,
  ): Promise<void> {
    const clock = this.#clock;
    const { link, timers } = this.#engine;
    const kind = failureKind(error);
    const policy = link.renewal;
    const isRemembered = this.#isRemembered(details);
    // A restarted server knows nothing of earlier requests: only calls with an idempotency key may be repeated there.
    if (kind === 'final' || !(link.canRenew || (link.isHealing && isRemembered))) throw error;
    const isSafe = kind === 'refused' || isRepeatable(details.tool) || isHarmless(method) || isRemembered;
    const mayRepeat = options.replay ?? isSafe;
    if (policy === undefined || !mayRepeat) throw unrepeated(method, error);
    const idleMs = options.timeout ?? timers.idleMs;
    if (repeated >= policy.attempts || (idleMs > 0 && clock.now() - startedAt > idleMs)) throw error;
    if (kind === 'away' || repeated > 0) await pause(backoff(repeated, policy, Math.random()), clock, options.signal);
  }
}

function over({ connection, id, details }: ClientCall): void {
  if (details.asTask === true) connection?.peer.outgoing.endProgress(id);
}

/** The params to send. A call with an idempotency key carries it and, when repeated, how long ago it was first sent. */
function paramsOf({ details, firstSentAt, sentAt }: ClientCall, params: JsonObject): JsonObject {
  const { idempotencyKey } = details;
  if (idempotencyKey === undefined) return params;
  const meta: JsonObject = isJsonObject(params['_meta']) ? { ...params['_meta'] } : {};
  meta[META_IDEMPOTENCY_KEY] = idempotencyKey;
  if (firstSentAt !== undefined) meta[META_FIRST_SENT_AGO] = Math.max(0, sentAt - firstSentAt);
  return { ...params, _meta: meta };
}
