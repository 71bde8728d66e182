import { ProtocolError, type Client } from 'crosspoint/client';
import type { Caller } from 'crosspoint/server';
import { CallerClient } from './caller-client.ts';

export interface ClientLimits {
  /** Most clients at a time. */
  readonly atMost: number;
  /** Milliseconds that a client without a call stays connected. */
  readonly idleMs: number;
}

/** Longest wait for `connectFor`. */
const CONNECT_MS = 30_000;

interface Held {
  readonly key: string;
  readonly made: Promise<CallerClient>;
  uses: number;
  idle: ReturnType<typeof setTimeout> | undefined;
}

/** One client for each caller: connected once, however many requests come at the same time; bounded; closed when unused. */
export class CallerClients {
  readonly #connect: (caller: Caller) => Client | Promise<Client>;
  readonly #limits: ClientLimits;
  readonly #onproblem: (problem: unknown) => void;
  /** Called with each client that was connected. */
  onconnected: ((client: CallerClient, caller: Caller) => void) | undefined;
  /** In the order of last use. */
  readonly #held = new Map<string, Held>();
  #isClosed = false;

  constructor(
    connect: (caller: Caller) => Client | Promise<Client>,
    limits: ClientLimits,
    onproblem: (problem: unknown) => void,
  ) {
    this.#connect = connect;
    this.#limits = limits;
    this.#onproblem = onproblem;
  }

  /** Runs work with the client of a caller. Rejects when there can be none. */
  async with<T>(caller: Caller, work: (client: CallerClient) => Promise<T>): Promise<T> {
    const held = this.#hold(caller);
    held.uses += 1;
    clearTimeout(held.idle);
    try {
      return await work(await held.made);
    } finally {
      held.uses -= 1;
      if (held.uses === 0 && this.#held.get(held.key) === held) this.#rest(held);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#held.values()].map((held) => this.#retire(held)));
  }

  #hold(caller: Caller): Held {
    if (this.#isClosed) throw new ProtocolError('internal', 'The source is closed.');
    const key = keyOf(caller);
    const known = this.#held.get(key);
    if (known !== undefined) {
      this.#held.delete(key);
      this.#held.set(key, known);
      return known;
    }
    this.#makeRoom();
    const held: Held = { key, made: this.#made(caller, () => this.#forget(held)), uses: 0, idle: undefined };
    this.#held.set(key, held);
    // The next request tries again.
    held.made.catch(() => this.#forget(held));
    return held;
  }

  async #made(caller: Caller, onended: () => void): Promise<CallerClient> {
    const client = new CallerClient(await this.#connected(caller), onended);
    this.onconnected?.(client, caller);
    return client;
  }

  /** The program's client, within the time for connecting. One that comes later is closed. */
  #connected(caller: Caller): Promise<Client> {
    return new Promise((resolve, reject) => {
      let isLate = false;
      const timer = setTimeout(() => {
        isLate = true;
        reject(new Error(`no client was connected within ${CONNECT_MS} ms`));
      }, CONNECT_MS);
      const connecting = (async () => this.#connect(caller))().finally(() => clearTimeout(timer));
      connecting.then((client) => (isLate ? client.close() : resolve(client))).catch(reject);
    });
  }

  #makeRoom(): void {
    const { atMost } = this.#limits;
    if (this.#held.size < atMost) return;
    const unused = [...this.#held.values()].find(({ uses }) => uses === 0);
    if (unused === undefined)
      throw new ProtocolError('rate-limited', `All ${atMost} connections to the server are in use: try again later.`);
    void this.#retire(unused);
  }

  #rest(held: Held): void {
    clearTimeout(held.idle);
    held.idle = setTimeout(() => void this.#retire(held), this.#limits.idleMs);
    held.idle.unref();
  }

  /** A client that has ended, or was never connected, is not given out again. */
  #forget(held: Held): void {
    clearTimeout(held.idle);
    if (this.#held.get(held.key) === held) this.#held.delete(held.key);
  }

  async #retire(held: Held): Promise<void> {
    this.#forget(held);
    const client = await held.made.catch(() => undefined);
    await client?.close().catch(this.#onproblem);
  }
}

/** Callers with a name share by name, others by session. Without either, all callers are one. */
function keyOf({ principal, sessionId }: Caller): string {
  return JSON.stringify(principal === undefined ? [null, sessionId ?? null] : [principal]);
}
