import { StoreUnavailableError } from './store-unavailable-error.ts';

/** The little that the store asks of a client: `createClient()` of the package `redis` has it. */
export interface RedisClient {
  readonly isOpen: boolean;
  readonly isReady: boolean;
  connect(): Promise<unknown>;
  duplicate(): RedisClient;
  sendCommand(args: string[]): Promise<unknown>;
  subscribe(channel: string, listener: (message: string) => void): Promise<unknown>;
  unsubscribe(channel: string): Promise<unknown>;
  on(event: string, listener: (error: Error) => void): unknown;
  off(event: string, listener: (error: Error) => void): unknown;
  /** The name in newer releases, and the one in older ones. */
  destroy?(): unknown;
  disconnect?(): unknown;
}

export interface RedisLinkOptions {
  /** How long a command may take. */
  readonly timeoutMs: number;
  /** How long to wait for a connection that is being made again, before a command fails. */
  readonly waitMs: number;
  readonly onproblem: (error: Error) => void;
}

export function closeRedisClient(client: RedisClient): void {
  if (!client.isOpen) return;
  if (client.destroy) client.destroy();
  else client.disconnect?.();
}

/** A client whose commands end in time: with an answer, or with the error that says that the store cannot be reached. */
export class RedisLink {
  readonly client: RedisClient;
  readonly #options: RedisLinkOptions;
  readonly #onerror: (error: Error) => void;
  #isConnecting = false;

  constructor(client: RedisClient, options: RedisLinkOptions) {
    this.client = client;
    this.#options = options;
    // Without a listener the first lost connection would end the process.
    this.#onerror = (error) => options.onproblem(error);
    client.on('error', this.#onerror);
  }

  /** Commands that are given one after the other reach Redis in that order. */
  send(args: string[]): Promise<unknown> {
    return this.run(() => this.client.sendCommand(args));
  }

  run<T>(command: () => Promise<T>): Promise<T> {
    if (this.client.isReady) return this.#timed(command);
    return this.#ready().then(() => this.#timed(command));
  }

  /** Leaves the client as it was given. */
  release(): void {
    this.client.off('error', this.#onerror);
  }

  #timed<T>(command: () => Promise<T>): Promise<T> {
    const { timeoutMs } = this.#options;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => reject(new StoreUnavailableError(new Error(`Redis did not answer within ${timeoutMs} ms.`))),
        timeoutMs,
      );
      command()
        .then(resolve, (error: unknown) => reject(new StoreUnavailableError(error)))
        .finally(() => clearTimeout(timer));
    });
  }

  /** Commands are not left to wait in the client: what is told to have failed must not happen later. */
  async #ready(): Promise<void> {
    const { client } = this;
    if (!client.isOpen && !this.#isConnecting) {
      this.#isConnecting = true;
      client
        .connect()
        .catch((error: unknown) => this.#onerror(error instanceof Error ? error : new Error(String(error))))
        .finally(() => (this.#isConnecting = false));
    }
    if (client.isReady) return;
    const { waitMs } = this.#options;
    await new Promise<void>((resolve, reject) => {
      const onready = (): void => {
        clearTimeout(timer);
        client.off('ready', onready);
        resolve();
      };
      const timer = setTimeout(() => {
        client.off('ready', onready);
        reject(new StoreUnavailableError(new Error('There is no connection to Redis.')));
      }, waitMs);
      client.on('ready', onready);
    });
  }
}
