import { setTimeout as pause } from 'node:timers/promises';
import { AuthFlowError } from 'crosspoint/auth';
import { UnauthorizedError, type Client } from 'crosspoint/client';
import type { Listing } from '../catalogue/listing.ts';
import { ConfigResolveError, UntrustedConfigError } from '../config/errors.ts';
import { InputError } from '../config/inputs/input-error.ts';
import type { ServerEntry } from '../config/server-entry.ts';
import { asError, attempt, orAborted } from '../values/guard.ts';
import { LoginRefusedError } from './login.ts';
import { openClient } from './open-client.ts';
import { Pacing } from './pacing.ts';
import { readListing } from './read-listing.ts';
import type { ServerPort } from './server-port.ts';
import { ServerUnavailableError, isUnderway, isUsable, type ServerState } from './server-state.ts';
import { StderrTail } from './stderr-tail.ts';

/** The user has not allowed the server. */
class NotAllowedError extends Error {}

/** The end of one connection, which may come before anybody waits for it. */
class Ending {
  readonly promise: Promise<Error | undefined>;
  resolve: (cause: Error | undefined) => void = () => {};

  constructor() {
    this.promise = new Promise((resolve) => (this.resolve = resolve));
  }
}

/** How long after one change the lists are read again, so that many changes are one reading. */
const SETTLE_MS = 100;
const RELIST_MS = 5000;

/**
 * One server over its life: allowed, connected, listed, watched, connected again after a loss. It fails alone: nothing that happens here
 * reaches another server.
 */
export class HostServer {
  readonly name: string;
  readonly stderr: StderrTail = new StderrTail();
  readonly #port: ServerPort;
  readonly #life = new AbortController();
  readonly #waiting = new Set<() => void>();
  readonly #pacing: Pacing;
  #entry: ServerEntry;
  #state: ServerState = { status: 'connecting', attempt: 1 };
  #beforeLogin: ServerState | undefined;
  #client: Client | undefined;
  #listing: Listing | undefined;
  #wake: (() => void) | undefined;
  /** Whether `restart` was called since the attempt that runs began. */
  #isWanted = false;
  #running: Promise<void> | undefined;
  #relisting: Promise<void> | undefined;
  #listsAgain = false;
  /** Reads lists again that could not be read; does nothing once its connection has ended. */
  #relistTimer: NodeJS.Timeout | undefined;

  constructor(entry: ServerEntry, port: ServerPort) {
    this.name = entry.name;
    this.#entry = entry;
    this.#port = port;
    this.#pacing = new Pacing(port.retry);
    if (entry.isDisabled === true) this.#state = { status: 'disabled' };
  }

  get entry(): ServerEntry {
    return this.#entry;
  }

  get state(): ServerState {
    return this.#state;
  }

  /** The client, while it is connected. */
  get client(): Client | undefined {
    return this.#client;
  }

  /** Everything the server offered last. */
  get listing(): Listing | undefined {
    return this.#listing;
  }

  /** Begins to connect, unless the server is switched off. */
  start(): void {
    if (this.#state.status === 'disabled' || this.#running !== undefined) return;
    this.#running = this.#live();
  }

  /** Tries again now: after a refusal, a login that was not finished, or a failure; connects anew where it is connected. */
  restart(): void {
    this.#pacing.reset();
    this.#isWanted = true;
    if (this.#wake !== undefined) this.#wake();
    else this.#inBackground(() => this.#client?.close());
  }

  /** Waits until the server is usable, as long as connecting may take. Rejects when that needs somebody, and when `signal` aborts. */
  async ready(signal?: AbortSignal): Promise<Client> {
    const late = AbortSignal.timeout(this.#port.connectMs);
    const stop = signal === undefined ? late : AbortSignal.any([late, signal]);
    while (!isUsable(this.#state) && isUnderway(this.#state) && !late.aborted) {
      signal?.throwIfAborted();
      await this.#nextState(stop);
    }
    if (this.#client === undefined || !isUsable(this.#state)) throw new ServerUnavailableError(this.name, this.#state);
    return this.#client;
  }

  /** Resolves when no list is being read: the listing is then the one that the server told last. */
  async listed(): Promise<void> {
    await this.#relisting?.catch(() => {});
  }

  /** Resolves when the server is neither connecting nor trying for the first time. */
  async settled(signal?: AbortSignal): Promise<ServerState> {
    while (this.#state.status === 'connecting') {
      signal?.throwIfAborted();
      await this.#nextState(signal);
    }
    return this.#state;
  }

  /** Ends the connection and the process, if there is one, for good. */
  async close(): Promise<void> {
    this.#life.abort(new ServerUnavailableError(this.name, { status: 'closed' }));
    this.#wake?.();
    await this.#closed(this.#client);
    await this.#running;
    this.#become({ status: 'closed' });
  }

  async #live(): Promise<void> {
    while (!this.#isOver) {
      const { cause, heldMs } = await this.#connectOnce();
      if (this.#isOver) return;
      if (this.#listing !== undefined) await this.#port.onlisting(this.name, this.#listing, true);
      await this.#rest(cause, heldMs);
    }
  }

  get #isOver(): boolean {
    return this.#life.signal.aborted;
  }

  /** One connection from its beginning to its end. */
  async #connectOnce(): Promise<{ readonly cause: Error; readonly heldMs: number }> {
    const run = new AbortController();
    const signal = AbortSignal.any([this.#life.signal, run.signal]);
    this.#isWanted = false;
    this.#become({ status: 'connecting', attempt: this.#pacing.attempt });
    let openedAt: number | undefined;
    try {
      const reach = await orAborted(this.#reach(signal), signal);
      const ended = new Ending();
      this.#client = await openClient(this.#entry, reach, this.#port, {
        signal,
        stderr: this.stderr,
        onend: (cause) => ended.resolve(cause),
        onlogin: (isWaiting) => this.#waitForLogin(isWaiting),
        onlistchange: () => this.#inBackground(() => this.#relist(signal)),
      });
      openedAt = performance.now();
      await this.#relist(signal);
      const cause = (await ended.promise) ?? new Error('The connection ended.');
      return { cause, heldMs: performance.now() - openedAt };
    } catch (error) {
      return { cause: asError(error), heldMs: 0 };
    } finally {
      run.abort();
      clearTimeout(this.#relistTimer);
      const client = this.#client;
      this.#client = undefined;
      await this.#closed(client);
    }
  }

  /** A server that asks for a further login in the middle of a call is afterwards as it was before, whatever came of the login. */
  #waitForLogin(isWaiting: boolean): void {
    if (isWaiting && this.#state.status !== 'needs-login') {
      this.#beforeLogin = this.#state;
      this.#become({ status: 'needs-login' });
    } else if (!isWaiting && this.#state.status === 'needs-login' && this.#beforeLogin !== undefined)
      this.#become(this.#beforeLogin);
  }

  async #closed(client: Client | undefined): Promise<void> {
    await client?.close().catch((error: unknown) => this.#port.onproblem(this.name, asError(error)));
  }

  #inBackground(work: () => unknown): void {
    attempt(work, (error) => this.#port.onproblem(this.name, error));
  }

  async #reach(signal: AbortSignal): Promise<Awaited<ReturnType<ServerPort['resolve']>>> {
    const onasking = (reason: string): void => this.#become({ status: 'pending-approval', reason });
    const verdict = await this.#port.mayStart(this.#entry, { signal, onasking });
    if (!verdict.isAllowed) throw new NotAllowedError(verdict.reason);
    const reach = await this.#port.resolve(this.#entry, signal);
    this.#become({ status: 'connecting', attempt: this.#pacing.attempt });
    return reach;
  }

  /** Waits until there is a reason to try again. */
  async #rest(cause: Error, heldMs: number): Promise<void> {
    const delayMs = this.#settleInto(cause, heldMs);
    if (this.#isWanted) return;
    const woken = new Promise<void>((resolve) => (this.#wake = resolve));
    const over = new AbortController();
    await Promise.race([
      woken,
      ...(delayMs === undefined
        ? []
        : [pause(delayMs, undefined, { signal: over.signal, ref: false }).catch(() => {})]),
    ]);
    over.abort();
    this.#wake = undefined;
  }

  /** The state after a failure, and the milliseconds until the next attempt, where one comes by itself. */
  #settleInto(cause: Error, heldMs: number): number | undefined {
    if (cause instanceof NotAllowedError) {
      this.#become({ status: 'pending-approval', reason: cause.message });
      return undefined;
    }
    if (cause instanceof InputError && cause.fault === 'cancelled') {
      this.#become({ status: 'pending-approval', reason: cause.message });
      return undefined;
    }
    if (isLoginFault(cause)) {
      this.#become({ status: 'needs-login', cause });
      return undefined;
    }
    const delayMs = isOfConfiguration(cause) ? undefined : this.#pacing.failed(heldMs);
    this.#become({ status: 'failed', cause, ...(delayMs !== undefined && { retryAt: Date.now() + delayMs }) });
    return delayMs;
  }

  /** Reads the lists again; once more if something changed meanwhile. */
  #relist(signal: AbortSignal): Promise<void> {
    this.#listsAgain = this.#relisting !== undefined;
    this.#relisting ??= this.#relistUntilQuiet(signal).finally(() => (this.#relisting = undefined));
    return this.#relisting;
  }

  async #relistUntilQuiet(signal: AbortSignal): Promise<void> {
    for (;;) {
      const client = this.#client;
      if (client === undefined || signal.aborted) return;
      const options = { signal, timeout: this.#port.connectMs };
      const { listing, failures, faults } = await readListing(client, options, this.#listing);
      if (signal.aborted || this.#client !== client) return;
      this.#listing = listing;
      await this.#port.onlisting(this.name, listing, false);
      if (signal.aborted || this.#client !== client) return;
      const [first] = [...failures, ...faults];
      this.#become(first === undefined ? { status: 'ready' } : { status: 'degraded', cause: first });
      if (failures.length > 0) this.#later(RELIST_MS, signal);
      if (!this.#listsAgain) return;
      this.#listsAgain = false;
      await pause(SETTLE_MS, undefined, { signal }).catch(() => {});
    }
  }

  #later(ms: number, signal: AbortSignal): void {
    clearTimeout(this.#relistTimer);
    this.#relistTimer = setTimeout(() => this.#inBackground(() => this.#relist(signal)), ms);
    this.#relistTimer.unref();
  }

  #nextState(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        this.#waiting.delete(done);
        signal?.removeEventListener('abort', done);
        resolve();
      };
      this.#waiting.add(done);
      signal?.addEventListener('abort', done, { once: true });
    });
  }

  #become(state: ServerState): void {
    if (this.#state.status === 'closed' || (this.#isOver && state.status !== 'closed')) return;
    this.#state = state;
    this.#port.onstate(this.name, state);
    for (const done of this.#waiting) done();
  }
}

/** A fault that trying again does not mend. */
function isOfConfiguration(error: Error): boolean {
  return error instanceof InputError || error instanceof ConfigResolveError || error instanceof UntrustedConfigError;
}

function isLoginFault(error: unknown): boolean {
  if (error instanceof UnauthorizedError || error instanceof LoginRefusedError) return true;
  if (error instanceof AuthFlowError) return error.fault === 'needs-user' || error.fault === 'cancelled';
  return error instanceof Error && error.cause !== undefined && isLoginFault(error.cause);
}
