import { ErrorCode, McpError } from '../types/errors.ts';
import type { Progress, Result } from '../../types.ts';
import { DEFAULT_REQUEST_TIMEOUT_MSEC, type RequestOptions } from './protocol-options.ts';

/** A request that waits for its answer, with its timers. It settles once; later answers are ignored. */
export class PendingRequest {
  readonly answer: Promise<Result>;
  readonly #options: RequestOptions;
  readonly #oncancel: (reason: unknown) => void;
  readonly #sentAt: number = Date.now();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #settle: ((end: { result: Result } | { error: unknown }) => void) | undefined;

  /** `oncancel` is called when the caller stops waiting before an answer has come. */
  constructor(options: RequestOptions, oncancel: (reason: unknown) => void) {
    this.#options = options;
    this.#oncancel = oncancel;
    this.answer = new Promise((resolve, reject) => {
      this.#settle = (end) => {
        if ('result' in end) resolve(end.result);
        else reject(end.error);
      };
    });
    options.signal?.addEventListener('abort', this.#abort, { once: true });
    this.#arm();
  }

  readonly #abort = (): void => this.#giveUp(this.#options.signal?.reason);

  get wantsProgress(): boolean {
    return this.#options.onprogress !== undefined;
  }

  resolve(result: Result): void {
    this.#end({ result });
  }

  reject(error: unknown): void {
    this.#end({ error });
  }

  progress(progress: Progress): void {
    if (this.#settle === undefined) return;
    if (this.#options.resetTimeoutOnProgress === true) this.#arm();
    this.#options.onprogress?.(progress);
  }

  /** The timer runs for the idle timeout or for the rest of the total one, whichever is shorter. */
  #arm(): void {
    clearTimeout(this.#timer);
    const { timeout = DEFAULT_REQUEST_TIMEOUT_MSEC, maxTotalTimeout } = this.#options;
    const left = maxTotalTimeout === undefined ? Infinity : this.#sentAt + maxTotalTimeout - Date.now();
    const isLast = left < timeout;
    this.#timer = setTimeout(
      () => {
        const data = isLast ? { maxTotalTimeout, totalElapsed: Date.now() - this.#sentAt } : { timeout };
        const text = isLast ? 'Maximum total timeout exceeded' : 'Request timed out';
        this.#giveUp(new McpError(ErrorCode.RequestTimeout, text, data));
      },
      Math.max(0, isLast ? left : timeout),
    );
  }

  #giveUp(reason: unknown): void {
    if (this.#settle === undefined) return;
    this.#end({ error: toCancellation(reason) });
    this.#oncancel(reason);
  }

  #end(end: { result: Result } | { error: unknown }): void {
    clearTimeout(this.#timer);
    this.#options.signal?.removeEventListener('abort', this.#abort);
    this.#settle?.(end);
    this.#settle = undefined;
  }
}

/** An `McpError` that was given as the reason is what the caller gets. */
function toCancellation(reason: unknown): McpError {
  return McpError.prototype.isPrototypeOf(Object(reason))
    ? (reason as McpError)
    : new McpError(ErrorCode.RequestTimeout, String(reason), undefined, { cause: reason });
}
