import { CliError } from './errors/cli-error.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Ends a command early: on Ctrl-C, on a signal, or when its time is over. A second signal ends the process at once. */
export class Interruption {
  readonly #controller = new AbortController();
  readonly #timer: NodeJS.Timeout | undefined;
  readonly #onsignal: () => void;

  constructor(timeoutSeconds: number | undefined) {
    this.#onsignal = () => {
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

  /** The reason to tell: that of the interruption, where there was one. */
  reasonFor(error: unknown): unknown {
    return this.signal.aborted ? this.signal.reason : error;
  }

  stop(): void {
    clearTimeout(this.#timer);
    for (const signal of SIGNALS) process.off(signal, this.#onsignal);
  }
}
