import type { ProblemListener } from '../../../../runtime/guard.ts';
import type { AuthInfo } from '../../../transport.ts';
import type { TurnEndListener } from './end-of-turn.ts';

/** The part of an HTTP request that Node's objects and the web's have in common. */
export interface HttpRequest {
  readonly method: string;
  readonly path: string;
  /** Query string without the question mark. */
  readonly query: string;
  /** The address that the client asked for, made of its `Host`; `undefined` where that is none. */
  readonly url: URL | undefined;
  /** A header by its lower-case name; several values are joined with commas. */
  header(name: string): string | undefined;
  /** All headers, for handlers. */
  allHeaders(): Record<string, string | string[] | undefined>;
  /**
   * The body, if all of it has arrived already and is within the limits; otherwise use `readText`. Called at most once, before `readText`.
   * Absent where a body never arrives at once.
   */
  arrivedText?(limits: BodyLimits): string | undefined;
  /** Reads the body. Rejects with `BodyTooLarge` past the limit and with `BodyTimeout` when it does not arrive in time. */
  readText(limits: BodyLimits): Promise<string>;
  /** The body, where it has already been read and parsed: by a framework, or by a subclass that then passes the request on. */
  parsedBody: unknown;
  /** Whether the connection arrived at a loopback address; `undefined` where the runtime does not say. */
  readonly isLoopback: boolean | undefined;
  /** Network address of the client; `undefined` where the runtime does not say. */
  readonly remoteAddress: string | undefined;
  /** The verified identity of the caller. */
  authInfo: AuthInfo | undefined;
  /** Name of the caller, set by the endpoint; `null` for a caller without one. */
  principal?: string | null | undefined;
  /** Address that identifies a caller without a name, set by the endpoint; empty where unknown. */
  address?: string | undefined;
}

export interface BodyLimits {
  readonly maxBytes: number;
  readonly timeoutMs: number;
}

export type HttpHeaders = Readonly<Record<string, string>>;

/** One reply, whole or as a stream. Exactly one of `send` and `open` is called, once. */
export interface HttpReply {
  send(status: number, headers: HttpHeaders, body?: string): void;
  /** Starts a stream. `isStanding`: it stays open as long as its client does, and may occupy the connection. */
  open(status: number, headers: HttpHeaders, isStanding?: boolean): HttpStream;
  /** Calls `run` once if the client disconnects before the reply has ended; in a microtask if it already has. */
  onabort(run: () => void): void;
  /** Starts no timer for this reply, because its server has one. Absent where replies have none. */
  withoutPulse?(): void;
  /**
   * Calls `member.onTurnEnd()` after the current turn; a member that has replied by then does nothing. Adapters without a shared turn leave
   * this out; the endpoint then treats the request as pending immediately.
   */
  atEndOfTurn?(member: TurnEndListener): void;
}

export interface ReplyOptions {
  /** Bytes that may wait for a slow reader; `MAX_BUFFERED_BYTES` when absent. */
  readonly maxBufferedBytes?: number | undefined;
  /** Called with problems for which there is no client left to answer. */
  readonly onproblem?: ProblemListener | undefined;
}

export interface HttpStream {
  /** Writes text. Returns false when the reader was too slow and the stream was cut: memory is no queue for slow readers. */
  write(text: string): boolean;
  end(): void;
  /** Delays the head until the next write or `go()`, because data is about to follow; with `isShort`, for 20 ms at most. Absent where the head leaves at once. */
  wait?(isShort?: boolean): void;
  go?(): void;
}

export class BodyTooLarge extends Error {
  override readonly name: string = 'BodyTooLarge';
}

export class BodyTimeout extends Error {
  override readonly name: string = 'BodyTimeout';
}

/** Bytes that may wait for a slow reader before its stream is cut; the message that exceeds it is still written. */
export const MAX_BUFFERED_BYTES: number = 4 * 1024 * 1024;
