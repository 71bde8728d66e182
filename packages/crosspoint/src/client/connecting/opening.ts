import type { JsonObject } from '../../jsonrpc/message.ts';
import type { Clock } from '../../peer/clock.ts';
import { isProtocolError, TransportError, type ProtocolError } from '../../protocol/errors.ts';
import type { Facts } from '../../protocol/outcome.ts';
import { asError } from '../../runtime/guard.ts';
import { clientWordsOf } from '../../revisions/client-words.ts';
import type { Revision } from '../../revisions/revision.ts';
import type { SpokenRevisions } from '../../revisions/selection.ts';
import { httpFailureOf } from '../../transports/http/client/http-failure.ts';
import { isRestartable, type Transport } from '../../transports/transport.ts';
import { abortReason, follow, untilAborted } from '../calls/abort.ts';
import type { ClientConnection } from './connection.ts';
import { classifyHttpProbe } from './probe.ts';
import { negotiate, type InitializeOutcome, type NegotiationPort } from './negotiation.ts';
import type { ProbeOutcome } from './probe.ts';
import { initializedFacts, type ServerFacts } from './server-facts.ts';
import type { Verdict, VerdictMemory } from './verdicts.ts';

export interface OpeningSetup {
  readonly transport: Transport;
  readonly spoken: SpokenRevisions;
  readonly facts: Facts;
  /** The `extensions` member of an `initialize` request. */
  readonly extensions: JsonObject | undefined;
  readonly verdicts: VerdictMemory;
  readonly clock: Clock;
  readonly connectMs: number;
  readonly probeMs: number;
  readonly signal: AbortSignal | undefined;
  /** Makes a connection over the transport, not yet started. */
  makeConnection(revision: Revision): ClientConnection;
  onproblem(problem: Error): void;
}

export interface Opened {
  readonly connection: ClientConnection;
  readonly server: ServerFacts;
}

/** Transports that are still closing after an attempt whose time was over. */
const leaving = new WeakMap<Transport, Promise<void>>();

/** The end of an attempt on this transport whose time was over; `undefined` where there was none. */
export function leftBy(transport: Transport): Promise<void> | undefined {
  return leaving.get(transport);
}

/**
 * Starts the transport and negotiates a revision. On failure the transport is closed again, and the error says why. A transport that refuses
 * to start is left alone: another owner may have started it. An attempt whose time is over rejects at once, while a program that ends slowly
 * may take seconds; the next attempt on the transport waits for that.
 */
export async function openConnection(setup: OpeningSetup): Promise<Opened> {
  const left = leftBy(setup.transport);
  if (left !== undefined) await left;
  const opening = new Opening(setup);
  try {
    return await opening.run();
  } catch (error) {
    const gone = opening.abandon();
    if (opening.isOver)
      leaving.set(
        setup.transport,
        gone.catch((problem: unknown) => setup.onproblem(asError(problem))),
      );
    else await gone;
    throw error;
  }
}

class Opening implements NegotiationPort {
  readonly spoken: SpokenRevisions;
  readonly probeMs: number;
  readonly silenceDecides: boolean;
  readonly startsProcess: boolean;
  remembered: Verdict | undefined;
  readonly #setup: OpeningSetup;
  readonly #budget = new AbortController();
  #connection: ClientConnection;
  #stage = 'the start of the transport';
  #refusedStart = false;
  /** Whether the last probe was not answered. */
  #wasSilent = false;

  constructor(setup: OpeningSetup) {
    this.#setup = setup;
    this.spoken = setup.spoken;
    this.probeMs = setup.probeMs;
    this.silenceDecides = setup.transport.hasHeaders !== true;
    this.startsProcess = isRestartable(setup.transport) && setup.transport.renewable !== true;
    this.#connection = this.#makeConnection();
  }

  async run(): Promise<Opened> {
    const { clock, connectMs, signal, transport } = this.#setup;
    let timer: unknown;
    const watch = (isWaiting: boolean): void => {
      if (timer !== undefined) clock.clearTimeout(timer);
      const isLimited = !isWaiting && connectMs > 0 && connectMs < Number.POSITIVE_INFINITY;
      timer = isLimited ? clock.setTimeout(() => this.#expire(), connectMs) : undefined;
    };
    watch(false);
    // No time limit while a person logs in.
    transport.onwaiting = watch;
    const unfollow = follow(this.#budget, signal);
    try {
      await this.#startTransport();
      this.remembered = await this.#recall();
      const resumed = this.#resume();
      if (resumed !== undefined) return resumed;
      const negotiated = await negotiate(this);
      if (negotiated.kind === 'failed') throw negotiated.error;
      await this.#finish(negotiated.revision, negotiated.unsure ?? false);
      return { connection: this.#connection, server: negotiated.server };
    } finally {
      unfollow();
      transport.onwaiting = undefined;
      if (timer !== undefined) clock.clearTimeout(timer);
    }
  }

  /** Whether the time for connecting is over, or the program gave up. */
  get isOver(): boolean {
    return this.#budget.signal.aborted;
  }

  async abandon(): Promise<void> {
    if (this.#refusedStart) this.#connection.release();
    else if (!this.#connection.closed) await this.#connection.close();
  }

  async discover(revision: Revision, timeoutMs: number | undefined): Promise<ProbeOutcome> {
    this.#stage = 'server/discover';
    this.#connection.useRevision(revision);
    try {
      // Not cancelled on timeout: to a server of the other family, the cancellation would name an unknown request.
      const timers = timeoutMs === undefined ? {} : { idleTimeoutMs: timeoutMs };
      const call = { method: 'server/discover', params: {}, facts: this.#setup.facts };
      const outcome = await this.#connection.call(call, { ...timers, signal: this.#budget.signal, cancellable: false });
      return outcome.kind === 'complete'
        ? { kind: 'result', result: outcome.result }
        : { kind: 'invalid', reason: `a result of the kind ${outcome.kind}` };
    } catch (error) {
      if (error instanceof TransportError && error.code === 'idle-timeout') {
        this.#wasSilent = true;
        return { kind: 'silent', waitedMs: timeoutMs ?? 0 };
      }
      const failure = httpFailureOf(error);
      if (failure !== undefined && error instanceof Error) return { kind: 'http', failure, cause: error };
      if (isProtocolError(error)) return { kind: 'error', error };
      return this.#broken(error) ?? this.#failure(error);
    }
  }

  async initialize(offer: Revision): Promise<InitializeOutcome> {
    this.#stage = 'initialize';
    this.#connection.useRevision(offer);
    const { facts, extensions } = this.#setup;
    const { client = { name: '', version: '' }, capabilities } = facts;
    const params = {
      protocolVersion: offer.id,
      capabilities: {
        ...clientWordsOf(offer).writeClientCapabilities(capabilities),
        ...(extensions && { extensions }),
      },
      clientInfo: offer.writeImplementation(client),
    };
    const { peer } = this.#connection;
    try {
      return this.#readInitialize(
        await peer.request(peer.outgoing.reserveId(), 'initialize', params, {
          signal: this.#budget.signal,
          cancellable: false,
        }),
      );
    } catch (error) {
      if (isProtocolError(error)) return this.#refused(error);
      const failure = httpFailureOf(error);
      if (failure === undefined || !(error instanceof TransportError))
        return this.#broken(error) ?? this.#failure(error);
      // A refused login or a server that is down says nothing about the protocol: the caller gets the error unchanged.
      if (classifyHttpProbe(failure) === 'undecided') throw error;
      return { kind: 'unreadable', status: failure.status, cause: error };
    }
  }

  #refused(error: ProtocolError): InitializeOutcome {
    const failure = httpFailureOf(error);
    if (failure !== undefined && classifyHttpProbe(failure) === 'undecided') throw error;
    return { kind: 'refused', error, status: failure?.status };
  }

  /** A stream that ended without the response counts as an invalid answer. */
  #broken(error: unknown): { kind: 'invalid'; reason: string } | undefined {
    if (this.#budget.signal.aborted || !(error instanceof TransportError) || error.code !== 'delivery-unknown')
      return undefined;
    return { kind: 'invalid', reason: 'the stream ended without an answer' };
  }

  async restart(): Promise<boolean> {
    if (!isRestartable(this.#setup.transport)) return false;
    await this.abandon();
    if (this.#budget.signal.aborted) throw abortReason('connect', this.#budget.signal);
    this.#connection = this.#makeConnection();
    await this.#startTransport();
    return true;
  }

  lastFailure(): Error | undefined {
    const { transport } = this.#setup;
    return isRestartable(transport) ? transport.lastFailure : undefined;
  }

  /**
   * Continues a session whose id the program has. The server's capabilities were told when the session was opened and are unknown now, so
   * all of them are assumed.
   */
  #resume(): Opened | undefined {
    const { transport } = this.#setup;
    const resumed = isRestartable(transport) ? transport.resumed : undefined;
    const revision = this.spoken.find(resumed?.protocolVersion) ?? this.spoken.newest('handshake');
    if (resumed === undefined || revision?.family !== 'handshake') return undefined;
    this.#connection.useRevision(revision);
    transport.setProtocolVersion?.(revision.id);
    const capabilities = { tools: {}, prompts: {}, resources: { subscribe: true }, completions: {}, logging: {} };
    return { connection: this.#connection, server: { capabilities } };
  }

  #makeConnection(): ClientConnection {
    return this.#setup.makeConnection(this.#setup.spoken.all[0]);
  }

  async #startTransport(): Promise<void> {
    const { signal } = this.#budget;
    try {
      await untilAborted(this.#setup.transport.start(), 'connect', signal);
    } catch (error) {
      this.#refusedStart = !signal.aborted;
      throw error;
    }
  }

  #readInitialize(result: JsonObject): InitializeOutcome {
    const version = result['protocolVersion'];
    if (typeof version !== 'string') return { kind: 'invalid', reason: 'it names no protocolVersion' };
    const revision = this.spoken.find(version);
    if (revision?.family !== 'handshake') return { kind: 'countered', version };
    return { kind: 'agreed', revision, server: initializedFacts(result) };
  }

  /** Classifies a failure without a response: connection closed, or unreadable data. Rejects when the time is over. */
  async #failure(error: unknown): Promise<{ kind: 'closed' } | { kind: 'invalid'; reason: string }> {
    if (this.#budget.signal.aborted) throw abortReason('connect', this.#budget.signal);
    if (error instanceof TransportError && error.code === 'invalid-result')
      return { kind: 'invalid', reason: error.message };
    if (error instanceof TransportError && error.code === 'write-failed') await this.abandon();
    if (this.#connection.closed) return { kind: 'closed' };
    throw error;
  }

  async #finish(revision: Revision, unsure: boolean): Promise<void> {
    const { transport } = this.#setup;
    this.#connection.useRevision(revision);
    transport.setProtocolVersion?.(revision.id);
    // Awaited, because over HTTP the next request could overtake it and reach a server that still waits for it.
    if (revision.family === 'handshake')
      await untilAborted(this.#connection.tell('notifications/initialized'), 'connect', this.#budget.signal);
    if (!isRestartable(transport) || unsure) return;
    // A client that speaks no other family has not asked which ones the server speaks.
    const isKnown = revision.family === 'per-request' || this.spoken.newest('per-request') !== undefined;
    if (!isKnown && transport.hasTwoEndpoints !== true) return;
    const verdict = { family: revision.family, revision: revision.id };
    await this.#remember(
      transport.identity,
      transport.hasTwoEndpoints === true ? { ...verdict, twoEndpoints: true } : verdict,
    );
  }

  async #recall(): Promise<Verdict | undefined> {
    const { transport, verdicts } = this.#setup;
    if (!isRestartable(transport)) return undefined;
    try {
      const known = await verdicts.get(transport.identity);
      // Read here, where a memory that gives nonsense is a problem that is told, and connecting goes on.
      return known && { ...known };
    } catch (error) {
      this.#setup.onproblem(asError(error));
      return undefined;
    }
  }

  async #remember(key: string, verdict: Verdict): Promise<void> {
    try {
      await this.#setup.verdicts.set(key, verdict);
    } catch (error) {
      this.#setup.onproblem(asError(error));
    }
  }

  #expire(): void {
    const { connectMs } = this.#setup;
    const cause = this.lastFailure();
    const hint = this.#hint();
    const message = `The connection was not ready after ${connectMs} ms (connect timeout), waiting for ${this.#stage}${cause === undefined ? '.' : `: ${cause.message}`}${hint}`;
    this.#budget.abort(
      new TransportError(
        'connect-timeout',
        message,
        { connectMs, stage: this.#stage },
        cause === undefined ? undefined : { cause },
      ),
    );
  }

  /**
   * A program that answers neither the probe nor the handshake may hang because of the probe. It is not started again at once, because it may
   * as well be a slow start, such as a download.
   */
  #hint(): string {
    const { transport, spoken } = this.#setup;
    const offer = spoken.newest('handshake');
    const mayHang = this.#wasSilent && this.#stage === 'initialize' && this.startsProcess;
    if (!mayHang || offer === undefined || !isRestartable(transport)) return '';
    void this.#remember(transport.identity, { family: 'handshake', revision: offer.id });
    return ' It did not answer server/discover before that; the next attempt begins with initialize.';
  }
}
