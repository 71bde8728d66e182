import type { Client, LoggingLevel } from 'crosspoint/client';

const FROM_VERBOSE: readonly LoggingLevel[] = [
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
];

/** The most verbose of some levels; `undefined` of none. */
export function mostVerbose(levels: Iterable<LoggingLevel>): LoggingLevel | undefined {
  const wanted = new Set(levels);
  return FROM_VERBOSE.find((level) => wanted.has(level));
}

/** Longest wait for the server to take a level. */
const SET_MS = 5000;

/**
 * The log level of one session of a server with a handshake: the most verbose that anything in it wants, set only when it changes.
 * @deprecated Logging is deprecated by SEP-2577; the earliest revision without it is the first on or after 2027-07-28.
 */
export class LogLevel {
  readonly #client: Client;
  readonly #wanted = new Map<object, LoggingLevel>();
  #set: LoggingLevel | undefined;

  readonly #onproblem: (problem: Error) => void;

  constructor(client: Client, onproblem: (problem: Error) => void) {
    this.#client = client;
    this.#onproblem = onproblem;
  }

  /** Asks for messages from this level on, until the holder is released. A level that nobody wants any more is lowered with the next wish. */
  async want(holder: object, level: LoggingLevel): Promise<void> {
    this.#wanted.set(holder, level);
    const now = mostVerbose(this.#wanted.values());
    if (now === undefined || now === this.#set || this.#client.getServerCapabilities()?.logging === undefined) return;
    this.#set = now;
    try {
      await this.#client.setLoggingLevel(now, { timeout: SET_MS });
    } catch (error) {
      this.#set = undefined;
      this.#wanted.delete(holder);
      throw error;
    }
  }

  /** The same for a call, which does without log messages where the server refuses the level. */
  async wantForCall(call: object, level: LoggingLevel): Promise<void> {
    await this.want(call, level).catch((error: Error) => this.#onproblem(error));
  }

  release(holder: object): void {
    this.#wanted.delete(holder);
  }
}
