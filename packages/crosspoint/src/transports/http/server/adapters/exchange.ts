import type { ProblemListener } from '../../../../runtime/guard.ts';
import type { AuthInfo } from '../../../transport.ts';
import type { Lasting } from './end-of-turn.ts';

/** The smallest HTTP that both shells share: Node's request and response on one side, the web's on the other. */
export interface HttpRequest {
  readonly method: string;
  readonly path: string;
  /** What follows the question mark. */
  readonly query: string;
  /** By lower-case name; several values are joined as HTTP joins them. */
  header(name: string): string | undefined;
  /** All headers, for handlers that want to see them. */
  allHeaders(): Record<string, string | string[] | undefined>;
  /**
   * The body, where all of it is here already and within the limits; otherwise `readText` gives it. Asked once at most, and before
   * `readText`. Absent where a body is never here at once.
   */
  arrivedText?(limits: BodyLimits): string | undefined;
  /** Rejects with `BodyTooLarge` past the limit and with `BodyTimeout` when it does not arrive. */
  readText(limits: BodyLimits): Promise<string>;
  /** A body that a framework has read and parsed already. */
  readonly parsedBody: unknown;
  /** Whether the connection ends at a loopback address; `undefined` where the runtime does not say. */
  readonly isLoopback: boolean | undefined;
  /** Where the connection comes from; `undefined` where the runtime does not say. */
  readonly remoteAddress: string | undefined;
  /** What the program has verified of the caller. */
  authInfo: AuthInfo | undefined;
  /** The name of the caller, set by the endpoint; `null` for one without. */
  principal?: string | null | undefined;
  /** The address that stands for a caller without a name, set by the endpoint; empty where it is not known. */
  address?: string | undefined;
}

export interface BodyLimits {
  readonly maxBytes: number;
  readonly timeoutMs: number;
}

export type HttpHeaders = Readonly<Record<string, string>>;

/** One answer: whole, or as a stream. Exactly one of `send` and `open` is called, once. */
export interface HttpReply {
  send(status: number, headers: HttpHeaders, body?: string): void;
  /** `isStanding` says that the stream stays open for as long as its client does, so that it may have its connection for itself. */
  open(status: number, headers: HttpHeaders, isStanding?: boolean): HttpStream;
  /** Calls each given function once if the client goes away before the answer has ended; soon, if it has gone already. */
  onabort(run: () => void): void;
  /** Calls `lasts` soon, for an answer that may come before that. Absent where requests cannot wait for each other; then it lasts at once. */
  onlasting?(member: Lasting): void;
}

export interface ReplyOptions {
  /** See `MAX_BUFFERED_BYTES`, which it is when absent. */
  readonly maxBufferedBytes?: number | undefined;
  /** Told of what goes wrong when nobody is left to be answered. */
  readonly onproblem?: ProblemListener | undefined;
}

export interface HttpStream {
  /** False when the reader is so far behind that the stream was cut: memory is not a queue for slow readers. */
  write(text: string): boolean;
  end(): void;
  /** Keeps the head back until something is written, or `go` is called: something is about to come. Absent where heads leave at once. */
  wait?(): void;
  go?(): void;
}

export class BodyTooLarge extends Error {
  override readonly name: string = 'BodyTooLarge';
}

export class BodyTimeout extends Error {
  override readonly name: string = 'BodyTimeout';
}

/** How much may wait for a slow reader before its stream is cut; the message that goes beyond it is still written. */
export const MAX_BUFFERED_BYTES: number = 4 * 1024 * 1024;
