import { CliError } from './errors/cli-error.ts';

const AGAIN_MS = 1000;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Ends a command early: on Ctrl-C, on a signal, or when its time is over. A second signal ends the process at once. */
export class Interruption {
  readonly #controller = new AbortController();
  readonly #timer: NodeJS.Timeout | undefined;
  readonly #onsignal: (signal: NodeJS.Signals) => void;
  #catcher: (() => void) | undefined;
  #caughtAt = -Infinity;

  constructor(timeoutSeconds: number | undefined) {
    this.#onsignal = (signal) => {
      if (signal === 'SIGINT' && this.#isCaught()) return;
      if (this.#controller.signal.aborted) process.exit(130);
      this.#controller.abort(new CliError('interrupted', 'Interrupted. What was running was cancelled.'));
    };
    for (const signal of SIGNALS) process.on(signal, this.#onsignal);
    if (timeoutSeconds === undefined) return;
    const late = new CliError('timeout', `It was not done after ${timeoutSeconds} s.`, {
      hint: '--timeout SECONDS gives it more time.',
    });
    this.#timer = setTimeout(() => this.#controller.abort(late), timeoutSeconds * 1000);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Has `handler` called on Ctrl-C in place of ending the command. Returns the function that ends that. */
  caughtBy(handler: () => void): () => void {
    this.#catcher = handler;
    return () => {
      if (this.#catcher === handler) this.#catcher = undefined;
    };
  }

  /** A second Ctrl-C within a second is for the command. */
  #isCaught(): boolean {
    const isAgain = performance.now() - this.#caughtAt < AGAIN_MS;
    if (this.#catcher === undefined || isAgain || this.signal.aborted) return false;
    this.#caughtAt = performance.now();
    this.#catcher();
    return true;
  }

  /** The reason to tell: that of the interruption, where there was one. */
  reasonFor(error: unknown): unknown {
    return this.signal.aborted ? this.signal.reason : error;
  }

  stop(): void {
    clearTimeout(this.#timer);
    for (const signal of SIGNALS) process.off(signal, this.#onsignal);
  }
}
