import { asError, report } from '../../runtime/guard.ts';
import { StoreUnavailableError } from '../store-unavailable-error.ts';
import { builtInModule } from '../../runtime/built-in-module.ts';

/** The part of a Redis client that the store uses; `createClient()` of the package `redis` has it. */
export interface RedisClient {
  readonly isOpen: boolean;
  readonly isReady: boolean;
  connect(): Promise<unknown>;
  duplicate(): RedisClient;
  sendCommand(args: string[], options?: object): Promise<unknown>;
  subscribe(channel: string, listener: (message: string) => void): Promise<unknown>;
  unsubscribe(channel: string): Promise<unknown>;
  on(event: string, listener: (error: Error) => void): unknown;
  off(event: string, listener: (error: Error) => void): unknown;
  /** `destroy` in newer releases, `disconnect` in older ones. */
  destroy?(): unknown;
  disconnect?(): unknown;
}

/** Options of every command, as newer releases of `redis` take them. */
export interface RedisCommandOptions {
  /** Withdraws a command that has not been sent yet. */
  readonly abortSignal?: AbortSignal;
  /** Always 0, none: otherwise the client makes a timer and a signal for each command (16 µs). */
  readonly timeout?: number;
}

export interface RedisLinkOptions {
  /** Milliseconds that a command may take. */
  readonly timeoutMs: number;
  /** Milliseconds that a command waits for a lost connection to be made again before it fails. */
  readonly waitMs: number;
  readonly onproblem: (error: Error) => void;
}

interface NodeEvents {
  setMaxListeners(most: number, ...targets: EventTarget[]): void;
}

/** Lifts Node's warning at ten listeners of one signal: here each unsent command is one. */
function allowManyListeners(signal: AbortSignal): void {
  builtInModule<Partial<NodeEvents>>('node:events')?.setMaxListeners?.(0, signal);
}

export function closeRedisClient(client: RedisClient): void {
  if (!client.isOpen) return;
  if (client.destroy) client.destroy();
  else client.disconnect?.();
}

/** A command that is not answered yet. */
interface Pending {
  readonly deadline: number;
  readonly span: Span;
  readonly reject: (error: Error) => void;
}

/** Commands of half a timeout (one second by default), which share a signal. */
interface Span {
  readonly until: number;
  readonly controller: AbortController;
  readonly options: RedisCommandOptions;
}

/** A client whose commands end in time: with an answer, or with a `StoreUnavailableError`. */
export class RedisLink {
  readonly client: RedisClient;
  /** Called when a new connection is ready, before a command is sent on it. */
  onconnected: (() => void) | undefined;
  readonly #options: RedisLinkOptions;
  readonly #onerror: (error: Error) => void;
  /** Commands that wait for a connection. */
  readonly #waiting = new Set<() => void>();
  #isConnecting = false;
  /** Unanswered commands in the order of their deadlines, since all have the same timeout; one timer watches the first. */
  readonly #pending = new Set<Pending>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #span: Span | undefined;

  constructor(client: RedisClient, options: RedisLinkOptions) {
    this.client = client;
    this.#options = options;
    // Without an error listener, the first lost connection would end the process.
    this.#onerror = (error) => report(options.onproblem, error);
    client.on('error', this.#onerror);
    client.on('ready', this.#onready);
  }

  /** Sends a command. Commands sent one after the other reach Redis in that order. */
  send(args: string[]): Promise<unknown> {
    return this.run((options) => this.client.sendCommand(args, options));
  }

  run<T>(command: (options: RedisCommandOptions) => Promise<T>): Promise<T> {
    if (this.client.isReady) return this.#timed(command);
    return this.#ready().then(() => this.#timed(command));
  }

  /** Removes the listeners from the client; it stays open. */
  release(): void {
    this.client.off('error', this.#onerror);
    this.client.off('ready', this.#onready);
  }

  readonly #onready = (): void => {
    this.onconnected?.();
    this.#wake();
  };

  #wake(): void {
    for (const go of this.#waiting) go();
    this.#waiting.clear();
  }

  #timed<T>(command: (options: RedisCommandOptions) => Promise<T>): Promise<T> {
    const { timeoutMs } = this.#options;
    return new Promise((resolve, reject) => {
      const now = performance.now();
      const span = this.#spanAt(now);
      const pending = { deadline: now + timeoutMs, span, reject };
      this.#pending.add(pending);
      this.#timer ??= setTimeout(this.#ontime, timeoutMs);
      command(span.options).then(
        (value) => {
          this.#answered(pending);
          resolve(value);
        },
        (error: unknown) => {
          this.#answered(pending);
          reject(new StoreUnavailableError(error));
        },
      );
    });
  }

  #spanAt(now: number): Span {
    if (this.#span === undefined || now >= this.#span.until) {
      const controller = new AbortController();
      allowManyListeners(controller.signal);
      const options = { abortSignal: controller.signal, timeout: 0 };
      this.#span = { until: now + this.#options.timeoutMs / 2, controller, options };
    }
    return this.#span;
  }

  #answered(pending: Pending): void {
    this.#pending.delete(pending);
    if (this.#pending.size > 0) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  readonly #ontime = (): void => {
    this.#timer = undefined;
    const { timeoutMs } = this.#options;
    const now = performance.now();
    for (const pending of this.#pending) {
      // Timers may be early by a fraction of a millisecond.
      if (pending.deadline - now > 1) {
        this.#timer = setTimeout(this.#ontime, pending.deadline - now);
        return;
      }
      this.#pending.delete(pending);
      // A command that has not been sent by now never will be.
      pending.span.controller.abort();
      pending.reject(new StoreUnavailableError(new Error(`Redis did not answer within ${timeoutMs} ms.`)));
    }
  };

  /** Waits for a connection here, not in the client's queue: a command reported as failed must not be sent later. */
  async #ready(): Promise<void> {
    const { client } = this;
    if (!client.isOpen && !this.#isConnecting) {
      this.#isConnecting = true;
      client
        .connect()
        .then(
          () => this.#wake(),
          (error: unknown) => this.#onerror(asError(error)),
        )
        .finally(() => (this.#isConnecting = false));
    }
    if (client.isReady) return;
    const { waitMs } = this.#options;
    await new Promise<void>((resolve, reject) => {
      const go = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        this.#waiting.delete(go);
        reject(new StoreUnavailableError(new Error('There is no connection to Redis.')));
      }, waitMs);
      this.#waiting.add(go);
    });
  }
}
