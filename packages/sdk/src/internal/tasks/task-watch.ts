import { ErrorCode, McpError } from '../types/errors.ts';

/** Waits for changes of one task. A change between two waits is not missed. */
export class TaskWatch {
  #isChanged = false;
  #wake: (() => void) | undefined;

  /** Notes a change. */
  note(): void {
    this.#isChanged = true;
    this.#wake?.();
  }

  /** Resolves at the next change since the last call, or after `ms`: the program may change its store without a notice. */
  async changed(ms: number, signal: AbortSignal): Promise<void> {
    if (!this.#isChanged && !signal.aborted) await this.#sleep(ms, signal);
    this.#isChanged = false;
    if (signal.aborted) throw new McpError(ErrorCode.InvalidRequest, 'Request cancelled');
  }

  #sleep(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', wake);
        this.#wake = undefined;
        resolve();
      };
      const timer = setTimeout(wake, ms);
      signal.addEventListener('abort', wake, { once: true });
      this.#wake = wake;
    });
  }
}
