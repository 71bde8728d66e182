import type { Answerer } from './answering/answerer.ts';
import type { CommandGroup, TargetWords } from './grammar/command.ts';
import type { GlobalValues, TargetValues } from './grammar/parse.ts';
import type { Io } from './output/io.ts';
import type { Output } from './output/output.ts';
import type { Home } from './place/home.ts';
import type { Questions } from './running.ts';
import type { OpenServer } from './server/open-server.ts';

/** Everything that a command works with, beside its own words. */
export interface CommandContext {
  readonly io: Io;
  readonly output: Output;
  readonly home: Home;
  readonly globals: GlobalValues;
  readonly reaching: TargetValues;
  /** Every first word, for commands that tell of other commands. */
  readonly groups: readonly CommandGroup[];
  /** Aborts on Ctrl-C, on a signal, and when `--timeout` is over. */
  readonly signal: AbortSignal;
  /**
   * Does the work with the server that was named, kept or opened for this command, and lets go of it in the end. Questions of the server
   * that come meanwhile are answered by `--rules`, at the terminal, or by nobody, which ends the command.
   */
  readonly withServer: <T>(
    target: TargetWords,
    work: (server: OpenServer) => Promise<T>,
    options?: WithServerOptions,
  ) => Promise<T>;
  /** Answers questions as `withServer` does: by `--rules`, then by the person at the terminal; nobody where there is neither. */
  readonly answerer: () => Promise<Answerer>;
  /** Calls `handler` on Ctrl-C, in place of ending the command, until the function that it returns is called. A second Ctrl-C within a second ends it. */
  readonly onInterrupt: (handler: () => void) => () => void;
  /** The same for a server that the command has opened itself. */
  readonly answered: <T>(server: OpenServer, work: (questions: Questions) => Promise<T>) => Promise<T>;
}

export interface WithServerOptions {
  /** Answers before `--rules` and the person at the terminal do. */
  readonly answerer?: Answerer;
  /** Keeps a record of what led to what; a kept connection always does. */
  readonly withTimeline?: boolean;
}
