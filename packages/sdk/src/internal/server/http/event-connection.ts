import type { AuthInfo } from 'crosspoint';
import { armSseKeepAlive } from '../../../server/sseKeepAlive.ts';
import type { HttpReply, HttpStream } from './exchange.ts';

export interface ConnectionOptions {
  readonly headers: Readonly<Record<string, string>>;
  /** Milliseconds between comments; none below 1. */
  readonly keepAliveMs: number;
  /** True for a stream that stays open as long as its client does. */
  readonly isStanding: boolean;
  /** The identity with which the stream was asked for: a standing one ends when it expires. */
  readonly authInfo: AuthInfo | undefined;
  /** Called once, when the connection is over: ended here, left by the client, or cut because the client reads too slowly. */
  readonly onover: () => void;
}

/** The difference of clocks that is allowed for. */
const SKEW_MS = 30_000;
const MAX_TIMER_DELAY_MS = 2 ** 31 - 1;
/** Expiry times from here on are milliseconds, as some programs give them: in seconds they would lie after the year 5000. */
const FIRST_IN_MS = 1e11;

/** A connection that carries events to the client. Events are kept until it is opened. */
export class EventConnection {
  /** Events that were replayed on it: each is sent once. */
  readonly replayed: Set<string> = new Set();
  readonly #reply: HttpReply;
  readonly #options: ConnectionOptions;
  #sink: HttpStream | undefined;
  #early = '';
  #isOver = false;
  #keepAlive: ReturnType<typeof setInterval> | undefined;
  #expiry: ReturnType<typeof setTimeout> | undefined;

  constructor(reply: HttpReply, options: ConnectionOptions) {
    this.#reply = reply;
    this.#options = options;
  }

  /** Sends the head and the events so far. */
  open(): void {
    const { headers, keepAliveMs, isStanding, authInfo } = this.#options;
    this.#reply.withoutPulse?.();
    const sink = this.#reply.open(200, { ...STREAM_HEADERS, ...headers }, isStanding);
    if (this.#early !== '') sink.write(this.#early);
    this.#early = '';
    if (this.#isOver) return sink.end();
    this.#sink = sink;
    this.#keepAlive = armSseKeepAlive(keepAliveMs, () => void this.write(': keepalive\n\n'));
    if (isStanding) this.#expiry = endOfToken(authInfo, () => this.end());
    this.#reply.onabort(() => this.#finish());
  }

  /** Writes text. False when nobody reads it any more. */
  write(text: string): boolean {
    if (this.#isOver) return false;
    if (this.#sink === undefined) this.#early += text;
    else if (!this.#sink.write(text)) {
      this.#finish();
      return false;
    }
    return true;
  }

  end(): void {
    if (this.#isOver) return;
    this.#finish();
    this.#sink?.end();
  }

  #finish(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearInterval(this.#keepAlive);
    clearTimeout(this.#expiry);
    this.#options.onover();
  }
}

const STREAM_HEADERS = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-cache, no-transform',
  'X-Accel-Buffering': 'no',
} as const;

/** Calls `run` when a token is no longer accepted; never for one that does not expire. */
export function endOfToken(authInfo: AuthInfo | undefined, run: () => void): ReturnType<typeof setTimeout> | undefined {
  const { expiresAt } = authInfo ?? {};
  if (expiresAt === undefined) return undefined;
  const left = Math.max(0, (expiresAt >= FIRST_IN_MS ? expiresAt : expiresAt * 1000) + SKEW_MS - Date.now());
  if (left > MAX_TIMER_DELAY_MS) return undefined;
  const timer = setTimeout(run, left);
  (timer as { unref?: () => void }).unref?.();
  return timer;
}

/** An event with a message, and with the id under which it is stored. */
export function eventText(message: object, eventId?: string): string {
  const id = eventId === undefined || eventId === '' ? '' : `id: ${eventId}\n`;
  return `event: message\n${id}data: ${JSON.stringify(message)}\n\n`;
}
