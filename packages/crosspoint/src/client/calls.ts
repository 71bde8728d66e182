import type { JsonObject, RequestId } from '../jsonrpc/message.ts';
import type { Clock } from '../peer/clock.ts';
import { hasCapability } from '../protocol/capabilities.ts';
import { ProtocolError, TransportError } from '../protocol/errors.ts';
import type { Ask, Facts, Outcome, Retry } from '../protocol/outcome.ts';
import { isSpecificationMethod } from '../revisions/specification-methods.ts';
import type { Revision } from '../revisions/revision.ts';
import type { ResultCache } from './cache.ts';
import { backoff, pause } from './healing.ts';
import { runRounds, type Completed } from './input-rounds.ts';
import type { Link } from './link.ts';
import { gatherPages, itemsIn, LIST_MEMBERS, type ListMethod } from './listing.ts';
import { failureKind, isReplaySafe, unrepeated } from './replay.ts';
import {
  toOutgoing,
  toSendOptions,
  type CacheableRequestOptions,
  type DefaultTimers,
  type InputMode,
  type ListRequestOptions,
  type RequestOptions,
} from './request-options.ts';

export interface CallsSetup {
  readonly link: Link;
  readonly cache: ResultCache | undefined;
  readonly clock: Clock;
  readonly timers: DefaultTimers;
  readonly inputRequired: InputMode;
  readonly maxRounds: number;
  readonly strict: boolean;
  facts(): Facts;
  answer(ask: Ask, call: { requestId: RequestId; signal: AbortSignal | undefined }): Promise<JsonObject>;
  openPages(error: unknown, call: { requestId: RequestId; signal: AbortSignal | undefined }): Promise<boolean>;
  onproblem(problem: Error): void;
}

/** The requests of a client: checked, sent, asked back, remembered. */
export class Calls {
  readonly #setup: CallsSetup;

  constructor(setup: CallsSetup) {
    this.#setup = setup;
  }

  async request(method: string, params: JsonObject, options: RequestOptions = {}): Promise<JsonObject> {
    return (await this.#complete(method, params, options)).result;
  }

  /** Like `request`, from memory where the revision has hints for it and they allow. */
  async cached(method: string, params: JsonObject, options: CacheableRequestOptions = {}): Promise<JsonObject> {
    const { cache, link } = this.#setup;
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
    const { result, asked } = await this.#complete(method, params, options);
    if (!asked) cache.keep(method, params, { result, generation });
    return result;
  }

  /** A server without the feature has an empty list, unless the program wants to be told. */
  async list(method: ListMethod, params: JsonObject = {}, options: ListRequestOptions = {}): Promise<JsonObject> {
    if (!this.#setup.strict && this.#lacks(method) !== undefined) return { [LIST_MEMBERS[method]]: [] };
    const fetchPage = async (page: JsonObject, mode = options.cacheMode): Promise<JsonObject> => {
      const result = await this.cached(method, page, { ...options, cacheMode: mode });
      itemsIn(method, result);
      return result;
    };
    if (options.pages === 1 || params['cursor'] !== undefined) return fetchPage(params);
    const gather = (mode = options.cacheMode): Promise<JsonObject> =>
      gatherPages(method, (cursor) => fetchPage(cursor === undefined ? params : { ...params, cursor }, mode));
    try {
      return await gather();
    } catch (error) {
      // A cursor from remembered pages may have died meanwhile: the list is then read anew, once.
      if (
        !(error instanceof ProtocolError) ||
        error.kind !== 'invalid-params' ||
        (options.cacheMode ?? 'use') !== 'use' ||
        this.#setup.cache?.find(method, params) === undefined
      )
        throw error;
      this.#setup.cache.invalidate(method);
      return gather('refresh');
    }
  }

  /** Why the server cannot be asked this, or `undefined`. */
  #lacks(method: string): ProtocolError | undefined {
    const { server, revision } = this.#setup.link;
    const needs = revision?.methods.get(method)?.needs;
    if (needs === undefined || server === undefined || hasCapability(server.capabilities, needs)) return undefined;
    return new ProtocolError(
      'method-not-found',
      `The server does not offer ${method}: it has not declared the capability "${needs}".`,
    );
  }

  #admit(revision: Revision, method: string): void {
    if (isSpecificationMethod(method) && !revision.methods.has(method)) {
      throw new ProtocolError(
        'method-not-found',
        `${method} is not part of the protocol revision in use, ${revision.id}.`,
      );
    }
    const lacking = this.#setup.strict ? this.#lacks(method) : undefined;
    if (lacking !== undefined) throw lacking;
  }

  #complete(method: string, params: JsonObject, options: RequestOptions): Promise<Completed> {
    const { clock, timers, maxRounds } = this.#setup;
    const startedAt = clock.now();
    const total = options.maxTotalTimeout ?? timers.totalMs;
    let id: RequestId = '';
    const once = async (retry: Retry | undefined): Promise<Outcome> => {
      const connection = await this.#setup.link.connection(options.signal);
      this.#admit(connection.revision, method);
      id = connection.peer.outgoing.reserveId();
      const left = total > 0 ? Math.max(1, total - (clock.now() - startedAt)) : 0;
      const outgoing = toOutgoing({ ...options, maxTotalTimeout: left }, timers, (problem) =>
        this.#setup.onproblem(problem),
      );
      try {
        return await connection.call(
          { id, method, params, facts: this.#setup.facts(), retry, send: toSendOptions(options) },
          outgoing,
        );
      } catch (error) {
        throw error instanceof Error ? error : new TransportError('invalid-result', String(error));
      }
    };
    const exchange = async (retry: Retry | undefined): Promise<Outcome> => {
      for (let repeated = 0; ; repeated += 1) {
        try {
          return await once(retry);
        } catch (error) {
          await this.#prepareRepeat({ method, options, repeated, startedAt }, error);
        }
      }
    };
    return runRounds(
      {
        clock,
        exchange,
        answer: (ask) => this.#setup.answer(ask, { requestId: id, signal: options.signal }),
        openPages: (error) => this.#setup.openPages(error, { requestId: id, signal: options.signal }),
      },
      {
        method,
        maxRounds,
        mode: options.inputRequired ?? this.#setup.inputRequired,
        signal: options.signal,
        retry: options.retry,
      },
    );
  }

  /** Resolves when the request may be sent again; rejects with what the caller is to be told when it may not. */
  async #prepareRepeat({ method, options, repeated, startedAt }: Repeat, error: unknown): Promise<void> {
    const { link, clock, timers } = this.#setup;
    const kind = failureKind(error);
    const policy = link.renewal;
    if (kind === 'final' || !link.canRenew) throw error;
    if (policy === undefined || !isReplaySafe(method, options.replay)) throw unrepeated(method, error);
    const patience = options.timeout ?? timers.idleMs;
    if (repeated >= policy.attempts || (patience > 0 && clock.now() - startedAt > patience)) throw error;
    if (kind === 'away' || repeated > 0) await pause(backoff(repeated, policy, Math.random()), clock, options.signal);
  }
}

interface Repeat {
  readonly method: string;
  readonly options: RequestOptions;
  readonly repeated: number;
  readonly startedAt: number;
}
