import { CliError } from './errors/cli-error.ts';

const AGAIN_MS = 1000;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Interruptions of the commands that run, the innermost last: the line of a shell runs within the shell. */
const running: Interruption[] = [];

/**
 * Ends a command early: on Ctrl-C, on a signal, or when its time is over. Ctrl-C is for the innermost command alone. After a second signal `onagain` is
 * called, which ends the process when it is absent.
 */
export class Interruption {
  readonly #controller = new AbortController();
  readonly #timer: NodeJS.Timeout | undefined;
  readonly #onsignal: (signal: NodeJS.Signals) => void;
  #catcher: (() => void) | undefined;
  #caughtAt = -Infinity;

  constructor(timeoutSeconds: number | undefined, onagain: () => void = () => process.exit(130)) {
    running.push(this);
    this.#onsignal = (signal) => {
      if (signal === 'SIGINT' && (running.at(-1) !== this || this.#isCaught())) return;
      if (this.#controller.signal.aborted) return onagain();
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
    if (running.includes(this)) running.splice(running.indexOf(this), 1);
    for (const signal of SIGNALS) process.off(signal, this.#onsignal);
  }
}
